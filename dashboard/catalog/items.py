"""Objects as items of jobs: the leases of their keys, and side effects of outcomes.

The marker of an empty folder is shown as the folder.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from dashboard.catalog import leases
from dashboard.catalog.keys import PLACEHOLDER
from dashboard.catalog.receipts import everything_in
from dashboard.catalog.walk import Entry
from dashboard.jobs.batch import Batch, Item, ItemOutcome, Pause
from dashboard.jobs.models import ItemState, JobItem
from dashboard.jobs.settlement import require_settled
from dashboard.jobs.unsettled import Unsettled
from dashboard.tokens.workspace import Workspace
from dashboard.web.text import counted

WAITING_SECONDS = 30.0
# Longer than a step may take, and longer than a request without an answer may run.
LEASE_SECONDS = 900.0
HELD_SECONDS = 5.0

Effect = Callable[[Sequence[tuple[JobItem, ItemOutcome]]], object]


def item(entry: Entry, parameters: dict[str, Any] | None = None, *, conflict: str = "") -> Item:
    named = dict(parameters or {})
    if entry.is_marker:
        return Item(entry.key.removesuffix(PLACEHOLDER) or "/", {**named, "key": entry.key}, size=0, conflict=conflict)
    return Item(entry.key, named, size=entry.size, conflict=conflict)


def key_of(row: JobItem) -> str:
    return str(row.parameters.get("key", row.target))


def is_marker(row: JobItem) -> bool:
    return "key" in row.parameters


def wait_for_emptying(workspace: Workspace, batch: Batch, space: str, *buckets: str) -> None:
    """Pause the job while a request without an answer may still empty one of these buckets."""
    try:
        require_settled(workspace, space, *map(everything_in, buckets))
    except Unsettled as waiting:
        for row in batch.open_items():
            batch.requeue(row)
        # This may take an hour, so waiting for it counts as progress, not as a failure.
        batch.advance(None)
        raise Pause(WAITING_SECONDS, str(waiting)) from waiting


def hold_keys(
    workspace: Workspace,
    batch: Batch,
    space: str,
    bucket: str,
    written: Callable[[JobItem], str] = key_of,
    *,
    seconds: float = LEASE_SECONDS,
) -> list[JobItem]:
    """Lease the keys that are `written`. Return the items that got theirs; the others wait. Raises `Pause` if there are none."""
    held = leases.claim(workspace, space, bucket, {written(row) for row in batch.items}, job=batch.job.pk, seconds=seconds)
    for row in batch.items:
        if written(row) in held:
            batch.requeue(row)
    going = [row for row in batch.items if written(row) not in held]
    if not going:
        # Uploads may take hours, so waiting for one counts as progress, not as a failure.
        batch.advance(None)
        raise Pause(HELD_SECONDS, f"Waiting for {counted(len(held), 'name')} to which an upload or another job is writing.")
    return going


def release_keys(batch: Batch, space: str, bucket: str, written: Callable[[JobItem], str] = key_of) -> None:
    """Release the keys of this batch's items, except of those in flight."""
    if batch.settling:
        in_flight = set(batch.job.items.filter(state=ItemState.IN_FLIGHT).values_list("pk", flat=True))
    else:
        in_flight = {row.pk for row in batch.open_items()}
    leases.release(space, bucket, {written(row) for row in batch.items if row.pk not in in_flight}, job=batch.job.pk)


class Effects:
    """Apply side effects of items that are done. Runs in the transaction that saves the outcomes: both are saved, or neither."""

    def __init__(self, batch: Batch, effect: Effect) -> None:
        self._rows = {row.pk: row for row in batch.items}
        self._effect = effect
        self.done: list[tuple[JobItem, ItemOutcome]] = []
        batch.on_save = self

    def __call__(self, outcomes: Mapping[int, ItemOutcome]) -> None:
        done = [(self._rows[pk], one) for pk, one in outcomes.items() if one.state == ItemState.DONE]
        if done:
            self._effect(done)
            self.done += done
