"""Jobs and their items, ready to be read."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from django.db.models import QuerySet
from django.urls import reverse
from django.utils import timezone

from dashboard.jobs import kinds
from dashboard.jobs.models import ALIVE, ENDED, Job, Phase, Request, State

TONES = {
    State.QUEUED: "waiting",
    State.RUNNING: "waiting",
    State.WAITING: "attention",
    State.PAUSED: "neutral",
    State.PLANNED: "attention",
    State.DONE: "good",
    State.FAILED: "danger",
    State.CANCELLED: "neutral",
}


class Viewer(Protocol):
    """Whoever looks."""

    @property
    def pk(self) -> int: ...
    @property
    def is_owner(self) -> bool: ...


@dataclass(frozen=True, slots=True)
class Row:
    """A job, ready to print. `place` is a project's ref or a space, `called` its name where that is known."""

    id: int
    href: str
    title: str
    kind: str
    place: str
    called: str
    person: str
    state: str
    tone: str
    amount: str
    share: float | None
    message: str
    next_try_at: datetime | None
    created_at: datetime
    ended_at: datetime | None
    is_alive: bool
    is_planned: bool


def visible(viewer: Viewer) -> QuerySet[Job]:
    """What somebody may see: owners of the team everything, everybody else the own jobs."""
    found = Job.objects.select_related("owner")
    return found if viewer.is_owner else found.filter(owner_id=viewer.pk)


def listed(viewer: Viewer) -> QuerySet[Job]:
    """The same for a list, without what it does not show and may be long."""
    return visible(viewer).defer("facts", "parameters", "cursor", "initial_cursor")


def jobs(viewer: Viewer, *, state: str = "") -> QuerySet[Job]:
    """Newest first; `state` is "active", "ended" or empty for all."""
    found = listed(viewer)
    if state == "active":
        return found.exclude(state__in=ENDED)
    return found.filter(state__in=ENDED) if state == "ended" else found


def rows(found: Iterable[Job], *, name: Callable[[str], str]) -> list[Row]:
    return [row(job, called=name(job.place) if job.place else "") for job in found]


def row(job: Job, *, called: str = "") -> Row:
    state, tone = _state(job)
    return Row(
        id=job.pk,
        href=reverse("jobs:show", args=[job.pk]),
        title=job.title,
        kind=kinds.title_of(job.kind),
        place=job.place,
        called=called,
        person=str(job.owner),
        state=state,
        tone=tone,
        amount=_amount(job),
        share=_share(job),
        message=job.message,
        next_try_at=job.next_try_at,
        created_at=job.created_at,
        ended_at=job.ended_at,
        is_alive=job.is_alive,
        is_planned=job.state == State.PLANNED,
    )


def mark(job: Job) -> str:
    """What a page has seen of the items: another mark means that its list of them is out of date."""
    return str(job.settled) if job.phase == Phase.RUN else f"{job.phase}-{job.total}-{job.failed}"


def seconds_to_next_look(job: Job) -> int | None:
    """How soon a page should ask again: quickly at first, more slowly with the job's age; None when nothing changes by itself."""
    if not job.is_alive:
        return None
    age = (timezone.now() - job.created_at).total_seconds()
    return next((pause for limit, pause in ((60, 1), (600, 3)) if age < limit), 10)


def _state(job: Job) -> tuple[str, str]:
    if job.requested == Request.CANCEL and job.state in ALIVE:
        return "Cancelling", "attention"
    if job.requested == Request.PAUSE and job.state in ALIVE:
        return "Pausing", "attention"
    if job.state == State.DONE and job.failed + job.unknown:
        return "Done, not everything", "attention"
    if job.state == State.RUNNING:
        return Phase(job.phase).label, TONES[State.RUNNING]
    state = State(job.state)
    return state.label, TONES[state]


def _amount(job: Job) -> str:
    """How far it is, in the terms of its phase."""
    if job.phase == Phase.PLAN and job.state not in ENDED:
        found = f"{job.total or 0:,} to do" if job.scanned or job.total else ""
        looked = f"{job.scanned:,} looked at, " if job.scanned and job.state != State.PLANNED else ""
        return looked + found
    if job.phase == Phase.VERIFY and job.state not in ENDED:
        return f"{job.scanned:,} of {job.done:,} checked"
    if job.total is None:
        return f"{job.settled:,}" if job.settled else ""
    return f"{job.settled:,} of {job.total:,}"


def _share(job: Job) -> float | None:
    """How much is done, from 0 to 1; None where that can't be known, or nothing is under way."""
    if job.phase == Phase.PLAN:
        return None
    part, whole = (job.scanned, job.done) if job.phase == Phase.VERIFY and job.state not in ENDED else (job.settled, job.total)
    return min(1.0, part / whole) if whole else None
