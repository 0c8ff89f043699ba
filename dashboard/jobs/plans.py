"""What a plan says to the person who asked for the work, before anything is done."""

from dataclasses import dataclass
from datetime import timedelta

from django.utils import timezone

from dashboard.jobs import kinds
from dashboard.jobs.models import Approval, Job

# What to do where something stands in the way. Every kind that meets conflicts uses these words in its parameters.
STOP = "stop"
SKIP = "skip"
REPLACE = "replace"
BOTH = "both"

# The world moves on: an older plan is made again.
KEEPS = timedelta(hours=24)


@dataclass(frozen=True, slots=True)
class Policy:
    """One way to treat conflicts: `value` is STOP, SKIP, REPLACE or BOTH, `words` say what it comes to."""

    value: str
    label: str
    message: str


@dataclass(frozen=True, slots=True)
class Plan:
    """What will happen: `lines` are further sentences, `policies` the choice where `conflicts` are met, `policy` the one chosen
    beforehand. `typed` has to be typed (empty: nothing), `button` carries the verb and the object."""

    sentence: str
    lines: tuple[str, ...] = ()
    policies: tuple[Policy, ...] = ()
    policy: str = ""
    conflicts: int = 0
    typed: str = ""
    danger: bool = False
    button: str = "Begin"


def plan_of(job: Job) -> Plan:
    """The plan of a job, in the words of its kind."""
    kind = kinds.find(job.kind)
    if kind and kind.describe:
        return kind.describe(job)
    return Plan(f"{job.total or 0:,} items.", conflicts=job.conflicts)


def goes_by_itself(job: Job, plan: Plan) -> bool:
    """Need nobody be asked?"""
    return job.approval == Approval.NONE or (job.approval == Approval.ON_CONFLICT and not plan.conflicts and not plan.typed)


def is_expired(job: Job) -> bool:
    return job.planned_at is not None and job.planned_at < timezone.now() - KEEPS
