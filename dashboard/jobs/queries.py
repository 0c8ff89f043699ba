"""Query jobs and their items for display: lists, counts, and the CSV export."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

from django.db.models import QuerySet
from django.urls import reverse
from django.utils import timezone

from dashboard.jobs import kinds
from dashboard.jobs.batch import DELETES
from dashboard.jobs.models import ALIVE, ENDED, ItemState, Job, JobItem, Phase, Request, State
from dashboard.jobs.plans import BOTH
from dashboard.web.files.spreadsheet import line
from dashboard.web.pages.frame import Viewer
from dashboard.web.process.database import in_chunks
from dashboard.web.text import bytes_text, counted, sortable

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
ITEM_TONES = {
    ItemState.WAITING: "neutral",
    ItemState.IN_FLIGHT: "waiting",
    ItemState.DONE: "good",
    ItemState.SKIPPED: "neutral",
    ItemState.FAILED: "danger",
    ItemState.UNKNOWN: "attention",
}
# A filter of items that is not a state.
CONFLICT = "conflict"
CSV_COLUMNS = ("number", "item", "outcome", "message", "tries", "started", "ended", "to", "bytes", "conflict", "deletion")
CSV_CHUNK = 500


@dataclass(frozen=True, slots=True)
class Row:
    """A job in a list. `place` is a project's ref or a space, `place_name` its name if known; `share` is the fraction done."""

    id: int
    href: str
    title: str
    kind: str
    place: str
    place_name: str
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


@dataclass(frozen=True, slots=True)
class ItemRow:
    """An item in a list. `to` is its destination, if any. `deletes`: it is deleted, unlike others of the job."""

    number: int
    target: str
    to: str
    size: str
    conflict: str
    state: str
    tone: str
    message: str
    ended_at: datetime | None
    deletes: bool


@dataclass(frozen=True, slots=True)
class Count:
    """How many items of a job are in one state; an empty `state` means all of them."""

    state: str
    label: str
    count: int

    @property
    def amount(self) -> str:
        return f"{self.count:,}"


def visible(viewer: Viewer) -> QuerySet[Job]:
    """Return all jobs for owners of the team, their own for everybody else."""
    found = Job.objects.select_related("owner")
    return found if viewer.is_owner else found.filter(owner_id=viewer.pk)


def listed(viewer: Viewer) -> QuerySet[Job]:
    """Return `visible` without the columns that lists don't show and that may be long."""
    return visible(viewer).defer("facts", "parameters", "cursor", "initial_cursor")


def jobs(viewer: Viewer, *, state: str = "") -> QuerySet[Job]:
    """Return jobs, newest first; `state` is "active", "ended" or empty for all."""
    found = listed(viewer)
    if state == "active":
        return found.exclude(state__in=ENDED)
    return found.filter(state__in=ENDED) if state == "ended" else found


def rows(found: Iterable[Job], *, name: Callable[[str], str]) -> list[Row]:
    return [row(job, place_name=name(job.place) if job.place else "") for job in found]


def row(job: Job, *, place_name: str = "") -> Row:
    state, tone = _state(job)
    return Row(
        id=job.pk,
        href=reverse("jobs:show", args=[job.pk]),
        title=job.title,
        kind=kinds.title_of(job.kind),
        place=job.place,
        place_name=place_name,
        person=str(job.owner),
        state=state,
        tone=tone,
        amount=_amount(job),
        share=_share(job),
        message=job.message,
        next_try_at=job.due_at if job.state == State.WAITING else None,
        created_at=job.created_at,
        ended_at=job.ended_at,
        is_alive=job.is_alive,
        is_planned=job.state == State.PLANNED,
    )


def items(job: Job, *, state: str = "") -> QuerySet[JobItem]:
    """Return items in order; `state` is an item's state, "conflict", or anything else for all."""
    found = JobItem.objects.filter(job=job).order_by("number")
    if state == CONFLICT:
        return found.exclude(conflict="")
    return found.filter(state=state) if state in ItemState.values else found


def item_rows(job: Job, found: Iterable[JobItem]) -> list[ItemRow]:
    return [
        ItemRow(
            number=item.number,
            target=item.target,
            to=_to(job, item),
            size="" if item.size is None else bytes_text(item.size),
            conflict=item.conflict,
            state=_item_state(job, item),
            tone=_item_tone(job, item),
            message=item.message,
            ended_at=item.ended_at,
            deletes=DELETES in item.parameters,
        )
        for item in found
    ]


def counts(job: Job) -> list[Count]:
    """Return the counts of all items, then of each state that occurs, from the job's row alone."""
    total = job.total or 0
    numbers = (
        (ItemState.FAILED, job.failed),
        (ItemState.UNKNOWN, job.unknown),
        (ItemState.SKIPPED, job.skipped),
        (ItemState.DONE, job.done),
        (ItemState.WAITING, max(0, total - job.with_outcome)),
    )
    label = "Not started" if job.state in ENDED else "To do"
    by_state = [Count(state, label if state == ItemState.WAITING else state.label, number) for state, number in numbers if number]
    conflicts = [Count(CONFLICT, "Conflicts", job.conflicts)] if job.conflicts else []
    return [Count("", "All", total), *by_state, *conflicts]


def as_csv(job: Job, *, state: str = "") -> Iterator[str]:
    """Yield a header, then a line per item, of all states or one."""
    yield line(CSV_COLUMNS)
    for item in in_chunks(items(job, state=state), CSV_CHUNK):
        started = sortable(item.started_at) if item.started_at else ""
        ended = sortable(item.ended_at) if item.ended_at else ""
        outcome = (item.number, item.target, _item_state(job, item), item.message, item.tries, started, ended)
        size, deletion = "" if item.size is None else item.size, "yes" if DELETES in item.parameters else ""
        yield line((*outcome, _to(job, item), size, item.conflict, deletion))


def progress_mark(job: Job) -> str:
    """Return a text that changes whenever a page's list of items is out of date."""
    return str(job.with_outcome) if job.phase == Phase.RUN else f"{job.phase}-{job.total}-{job.failed}"


def poll_seconds(job: Job) -> int | None:
    """Return the seconds until a page should poll again, more for older jobs. None if the job is not active."""
    if not job.is_alive:
        return None
    age = (timezone.now() - job.created_at).total_seconds()
    return next((pause for limit, pause in ((60, 1), (600, 3)) if age < limit), 10)


def _state(job: Job) -> tuple[str, str]:
    if job.requested == Request.CANCEL and job.state in ALIVE:
        return "Cancelling", "waiting"
    if job.requested == Request.PAUSE and job.state in ALIVE:
        return "Pausing", "waiting"
    if job.state == State.RUNNING:
        return Phase(job.phase).label, TONES[State.RUNNING]
    if job.state != State.DONE:
        return job.ending, TONES[State(job.state)]
    if job.failed + job.unknown:
        return job.ending, TONES[State.FAILED] if job.all_failed else "attention"
    return job.ending, "neutral" if job.total == 0 else TONES[State.DONE]


def _amount(job: Job) -> str:
    """Describe the progress in the terms of the phase."""
    if job.phase == Phase.PLAN and job.state not in ENDED:
        found = f"{job.total or 0:,} to do" if job.scanned or job.total else ""
        scanned = f"{job.scanned:,} scanned, " if job.scanned and job.state != State.PLANNED else ""
        return scanned + found
    if job.phase == Phase.VERIFY and job.state not in ENDED:
        return f"{job.scanned:,} of {job.done:,} verified"
    if not job.total:
        return counted(job.with_outcome, "item") if job.with_outcome else ""
    return f"{job.with_outcome:,} of {job.total:,}"


def _share(job: Job) -> float | None:
    """Return the fraction that is done, from 0 to 1. None if unknown."""
    if job.phase == Phase.PLAN:
        return None
    part, whole = (
        (job.scanned, job.done) if job.phase == Phase.VERIFY and job.state not in ENDED else (job.with_outcome, job.total)
    )
    return min(1.0, part / whole) if whole else None


def _to(job: Job, item: JobItem) -> str:
    """Return the destination: the free name beside the existing object if both are kept."""
    beside = item.parameters.get("beside") if item.conflict and job.parameters.get("policy") == BOTH else ""
    return str(beside or item.parameters.get("to") or "")


def _item_state(job: Job, item: JobItem) -> str:
    if job.state in ENDED and item.state == ItemState.WAITING:
        return "Not started"
    if job.state in ENDED and item.state == ItemState.IN_FLIGHT:
        return ItemState.UNKNOWN.label
    return ItemState(item.state).label


def _item_tone(job: Job, item: JobItem) -> str:
    is_lost = job.state in ENDED and item.state == ItemState.IN_FLIGHT
    return ITEM_TONES[ItemState.UNKNOWN if is_lost else ItemState(item.state)]
