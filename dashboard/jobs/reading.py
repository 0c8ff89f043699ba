"""Jobs and their items, ready to be read."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from django.db.models import QuerySet
from django.urls import reverse
from django.utils import timezone

from dashboard.jobs import kinds
from dashboard.jobs.models import ALIVE, ENDED, Asked, ItemState, Job, JobItem, State
from dashboard.web.spreadsheet import line
from dashboard.web.text import exact

TONES = {
    State.QUEUED: "waiting",
    State.RUNNING: "waiting",
    State.WAITING: "attention",
    State.PAUSED: "neutral",
    State.DONE: "good",
    State.FAILED: "danger",
    State.CANCELLED: "neutral",
}
ITEM_TONES = {
    ItemState.WAITING: "neutral",
    ItemState.UNDERWAY: "waiting",
    ItemState.DONE: "good",
    ItemState.SKIPPED: "neutral",
    ItemState.FAILED: "danger",
    ItemState.UNKNOWN: "attention",
}
COLUMNS = ("number", "item", "outcome", "words", "tries", "begun", "ended")


class Viewer(Protocol):
    """Whoever looks."""

    @property
    def pk(self) -> int: ...
    @property
    def is_owner(self) -> bool: ...


@dataclass(frozen=True, slots=True)
class Row:
    """A job, ready to print."""

    id: int
    href: str
    title: str
    kind: str
    place: str
    person: str
    state: str
    tone: str
    amount: str
    share: float | None
    words: str
    next_try_at: datetime | None
    created_at: datetime
    ended_at: datetime | None
    is_alive: bool


@dataclass(frozen=True, slots=True)
class ItemRow:
    """An item, ready to print."""

    number: int
    target: str
    state: str
    tone: str
    words: str
    ended_at: datetime | None


@dataclass(frozen=True, slots=True)
class Count:
    """How many items of a job are in one state; `state` is empty for all of them."""

    state: str
    label: str
    count: int


def visible(viewer: Viewer) -> QuerySet[Job]:
    """What somebody may see: owners of the team everything, everybody else the own jobs."""
    found = Job.objects.select_related("owner")
    return found if viewer.is_owner else found.filter(owner_id=viewer.pk)


def jobs(viewer: Viewer, *, state: str = "") -> QuerySet[Job]:
    """Newest first; `state` is "active", "ended" or empty for all."""
    found = visible(viewer)
    if state == "active":
        return found.exclude(state__in=ENDED)
    return found.filter(state__in=ENDED) if state == "ended" else found


def rows(found: Iterable[Job]) -> list[Row]:
    return [row(job) for job in found]


def row(job: Job) -> Row:
    state, tone = _state(job)
    return Row(
        id=job.pk,
        href=reverse("jobs:show", args=[job.pk]),
        title=job.title,
        kind=kinds.title_of(job.kind),
        place=job.place,
        person=str(job.owner),
        state=state,
        tone=tone,
        amount=_amount(job),
        share=min(1.0, job.settled / job.total) if job.total else None,
        words=job.words,
        next_try_at=job.next_try_at,
        created_at=job.created_at,
        ended_at=job.ended_at,
        is_alive=job.is_alive,
    )


def seconds_to_next_look(job: Job) -> int | None:
    """How soon a page should ask again: quickly at first, more slowly with the job's age; None when nothing changes by itself."""
    if not job.is_alive:
        return None
    age = (timezone.now() - job.created_at).total_seconds()
    return next((pause for limit, pause in ((60, 1), (600, 3)) if age < limit), 10)


def items(job: Job, *, state: str = "") -> QuerySet[JobItem]:
    found = JobItem.objects.filter(job=job).order_by("number")
    return found.filter(state=state) if state in ItemState.values else found


def item_rows(job: Job, found: Iterable[JobItem]) -> list[ItemRow]:
    return [
        ItemRow(
            number=item.number,
            target=item.target,
            state=_item_state(job, item),
            tone=_item_tone(job, item),
            words=item.words,
            ended_at=item.ended_at,
        )
        for item in found
    ]


def counts(job: Job) -> list[Count]:
    """How many items there are in each state that occurs, all of them first; from the job's own row."""
    total = job.total or 0
    told = (
        (ItemState.FAILED, job.failed),
        (ItemState.UNKNOWN, job.unknown),
        (ItemState.SKIPPED, job.skipped),
        (ItemState.DONE, job.done),
        (ItemState.WAITING, max(0, total - job.settled)),
    )
    label = "Not begun" if job.state in ENDED else "To do"
    named = [Count(state.value, label if state == ItemState.WAITING else state.label, count) for state, count in told if count]
    return [Count("", "All", total), *named]


def as_csv(job: Job) -> Iterator[str]:
    """Every item as a line of a spreadsheet."""
    yield line(COLUMNS)
    for item in items(job).iterator(chunk_size=500):
        begun = exact(item.started_at) if item.started_at else ""
        ended = exact(item.ended_at) if item.ended_at else ""
        yield line((item.number, item.target, _item_state(job, item), item.words, item.tries, begun, ended))


def _state(job: Job) -> tuple[str, str]:
    if job.asked == Asked.CANCEL and job.state in ALIVE:
        return "Cancelling", "attention"
    if job.asked == Asked.PAUSE and job.state in ALIVE:
        return "Pausing", "attention"
    if job.state == State.DONE and job.failed + job.unknown:
        return "Done, not everything", "attention"
    state = State(job.state)
    return state.label, TONES[state]


def _amount(job: Job) -> str:
    if job.total is None:
        return f"{job.settled:,}" if job.settled else ""
    return f"{job.settled:,} of {job.total:,}"


def _item_state(job: Job, item: JobItem) -> str:
    if job.state in ENDED and item.state == ItemState.WAITING:
        return "Not begun"
    if job.state in ENDED and item.state == ItemState.UNDERWAY:
        return ItemState.UNKNOWN.label
    return ItemState(item.state).label


def _item_tone(job: Job, item: JobItem) -> str:
    lost = job.state in ENDED and item.state == ItemState.UNDERWAY
    return ITEM_TONES[ItemState.UNKNOWN if lost else ItemState(item.state)]
