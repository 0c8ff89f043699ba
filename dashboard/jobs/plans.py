"""Plans: what a job will do, for its owner to review."""

from dataclasses import dataclass
from datetime import timedelta

from django.utils import timezone

from dashboard.jobs.models import Approval, Job

# Conflict policies: the values of `parameters["policy"]` for all kinds that have conflicts.
STOP = "stop"
SKIP = "skip"
REPLACE = "replace"
BOTH = "both"
# Those of deletions. `UNKEPT` also replaces without keeping.
KEEP = "keep"
UNKEPT = "unkept"

EXPIRES_AFTER = timedelta(hours=24)


@dataclass(frozen=True, slots=True)
class Policy:
    """One way to treat conflicts: `value` is STOP, SKIP, REPLACE, BOTH or UNKEPT; or what is deleted: KEEP or UNKEPT."""

    value: str
    label: str
    description: str


@dataclass(frozen=True, slots=True)
class Plan:
    """`policies` are offered, also to treat `conflicts`; `policy` is the default. `typed` must be typed to apply the plan."""

    summary: str
    details: tuple[str, ...] = ()
    policies: tuple[Policy, ...] = ()
    policy: str = ""
    conflicts: int = 0
    typed: str = ""
    danger: bool = False
    button: str = "Apply"


def needs_approval(job: Job, plan: Plan) -> bool:
    if job.approval == Approval.ON_CONFLICT:
        return bool(plan.conflicts or plan.typed)
    return job.approval == Approval.REQUIRED


def is_expired(job: Job) -> bool:
    return job.planned_at is not None and job.planned_at < timezone.now() - EXPIRES_AFTER
