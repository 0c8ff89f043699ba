"""The items of a job, ready to be read: what became of each, how many there are of a kind, and all of them as a spreadsheet."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

from django.db.models import QuerySet

from dashboard.jobs.models import ENDED, ItemState, Job, JobItem
from dashboard.jobs.plans import BOTH
from dashboard.web.database import in_chunks
from dashboard.web.spreadsheet import line
from dashboard.web.text import bytes_text, exact

TONES = {
    ItemState.WAITING: "neutral",
    ItemState.IN_FLIGHT: "waiting",
    ItemState.DONE: "good",
    ItemState.SKIPPED: "neutral",
    ItemState.FAILED: "danger",
    ItemState.UNKNOWN: "attention",
}
COLUMNS = ("number", "item", "outcome", "message", "tries", "begun", "ended", "to", "bytes", "conflict")
# Not a state: the filter for items in whose way something stands.
CONFLICT = "conflict"


@dataclass(frozen=True, slots=True)
class ItemRow:
    """An item, ready to print. `to` is where it goes, empty where it goes nowhere."""

    number: int
    target: str
    to: str
    size: str
    conflict: str
    state: str
    tone: str
    message: str
    ended_at: datetime | None


@dataclass(frozen=True, slots=True)
class Count:
    """How many items of a job are in one state; `state` is empty for all of them."""

    state: str
    label: str
    count: int

    @property
    def amount(self) -> str:
        return f"{self.count:,}"


def items(job: Job, *, state: str = "") -> QuerySet[JobItem]:
    """In their order; `state` is one of an item, "conflict", or anything else for all."""
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
            state=_state(job, item),
            tone=_tone(job, item),
            message=item.message,
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
    met = [Count(CONFLICT, "In conflict", job.conflicts)] if job.conflicts else []
    return [Count("", "All", total), *named, *met]


def as_csv(job: Job, *, state: str = "") -> Iterator[str]:
    """Every item, or those of a state, as a line of a spreadsheet."""
    yield line(COLUMNS)
    for item in in_chunks(items(job, state=state), 500):
        begun = exact(item.started_at) if item.started_at else ""
        ended = exact(item.ended_at) if item.ended_at else ""
        told = (item.number, item.target, _state(job, item), item.message, item.tries, begun, ended)
        yield line((*told, _to(job, item), "" if item.size is None else item.size, item.conflict))


def _to(job: Job, item: JobItem) -> str:
    """Where it goes: beside what is there already, where both are kept."""
    beside = item.parameters.get("beside") if item.conflict and job.parameters.get("policy") == BOTH else ""
    return str(beside or item.parameters.get("to") or "")


def _state(job: Job, item: JobItem) -> str:
    if job.state in ENDED and item.state == ItemState.WAITING:
        return "Not begun"
    if job.state in ENDED and item.state == ItemState.IN_FLIGHT:
        return ItemState.UNKNOWN.label
    return ItemState(item.state).label


def _tone(job: Job, item: JobItem) -> str:
    lost = job.state in ENDED and item.state == ItemState.IN_FLIGHT
    return TONES[ItemState.UNKNOWN if lost else ItemState(item.state)]
