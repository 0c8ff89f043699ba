"""Moving, copying and renaming: what was planned, some objects at a time, settled and checked by reading back."""

from collections import defaultdict
from collections.abc import Sequence
from functools import partial
from threading import Event
from typing import Any

from dashboard.catalog import leases, writes
from dashboard.catalog.keys import folder_of
from dashboard.catalog.lookup import absent, is_empty
from dashboard.features.bulk.rules.targets import Transfer
from dashboard.features.bulk.tasks.effects import Noting
from dashboard.features.bulk.tasks.items import key_of
from dashboard.features.bulk.tasks.transfer_item import Carrier
from dashboard.jobs.batch import Batch, ItemOutcome, Pause, Stop
from dashboard.jobs.models import ItemState, JobItem
from dashboard.jobs.plans import STOP
from dashboard.links import follow
from dashboard.tokens.workspace import Workspace
from dashboard.web.text import counted

AT_ONCE = 200
CONNECTIONS = 8
CHECKED_AT_ONCE = 2000
# Longer than a step may take, and than a request whose answer was lost may run.
LEASE_SECONDS = 900.0
HELD_SECONDS = 5.0
MISSING = "The service said that it was done, but the object is not where it should be."


def carry(workspace: Workspace, batch: Batch) -> None:
    """S11, or S12 and S8: one record in the journal for each slice."""
    wanted = Transfer.from_parameters(batch.parameters)
    carrier = _carrier(workspace, batch, wanted)
    noting = _noting(workspace, batch, wanted, carrier)
    going = _leased(workspace, batch, wanted, carrier)
    pairs = [[key_of(row), carrier.place(row)] for row in going]
    operation = "S11" if wanted.verb == "move" and not wanted.is_across else "S12"
    to = f"{wanted.bucket}/{wanted.to}" if wanted.is_across else wanted.to or "the root"
    target = f"{len(pairs)} objects of {wanted.source} to {to}"
    with workspace.record(operation, target=target, place=wanted.space, before={"pairs": pairs}) as change:
        try:
            batch.for_each(carrier.carry, concurrency=CONNECTIONS)
        finally:
            batch.save()
            in_flight = {row.pk for row in batch.open_items()}
            _release(batch, wanted, carrier, [row for row in going if row.pk not in in_flight])
            change.after = _after(noting, pairs)
    if carrier.reasons:
        raise Stop(carrier.reasons[0])


def settle(workspace: Workspace, batch: Batch) -> None:
    """S19 for what was in flight."""
    wanted = Transfer.from_parameters(batch.parameters)
    carrier = _carrier(workspace, batch, wanted)
    _noting(workspace, batch, wanted, carrier)
    try:
        batch.for_each(carrier.settle, concurrency=CONNECTIONS)
    finally:
        batch.save()
        in_flight = set(batch.job.items.filter(state=ItemState.IN_FLIGHT).values_list("pk", flat=True))
        _release(batch, wanted, carrier, [row for row in batch.items if row.pk not in in_flight])


def _leased(workspace: Workspace, batch: Batch, wanted: Transfer, carrier: Carrier) -> list[JobItem]:
    """The items whose target key nobody else is storing to, with a lease of it; the others wait. Raises `Pause`."""
    keys = {carrier.place(row) for row in batch.items}
    held = leases.claim(workspace, wanted.space, wanted.bucket, keys, holder=_holder(batch), seconds=LEASE_SECONDS)
    for row in batch.items:
        if carrier.place(row) in held:
            batch.requeue(row)
    going = [row for row in batch.items if carrier.place(row) not in held]
    if not going:
        # Uploads may take hours: that is no failure.
        batch.advance(None)
        raise Pause(HELD_SECONDS, f"Waiting for {counted(len(held), 'upload')} to the same names.")
    return going


def _release(batch: Batch, wanted: Transfer, carrier: Carrier, rows: Sequence[JobItem]) -> None:
    leases.release(wanted.space, wanted.bucket, {carrier.place(row) for row in rows}, holder=_holder(batch))


def _holder(batch: Batch) -> str:
    return f"job {batch.job.pk}"


def verify(workspace: Workspace, batch: Batch) -> None:
    """S13 for the folders that things went to; what the list does not show is asked for by name."""
    wanted = Transfer.from_parameters(batch.parameters)
    carrier = _carrier(workspace, batch, wanted)
    rows = batch.done_after(int(batch.cursor.get("after", 0)), CHECKED_AT_ONCE)
    by_folder: dict[str, list[str]] = defaultdict(list)
    for row in rows:
        by_folder[folder_of(carrier.place(row))].append(carrier.place(row))
    look = partial(absent, carrier.storage, wanted.bucket)
    missing: set[str] = set().union(*batch.map(lambda pair: look(*pair), by_folder.items()))
    batch.correct({row.number: MISSING for row in rows if carrier.place(row) in missing})
    if len(rows) == CHECKED_AT_ONCE:
        batch.advance({"after": rows[-1].number}, seen=len(rows))
        return
    if wanted.verb == "move" and not missing and batch.job.items.exclude(state=ItemState.DONE).count() == 0:
        # Links to whole folders follow once all of the folder did.
        folders = {folder: wanted.arrival(folder) for folder in wanted.selection.folders}
        follow.carry(wanted.space, wanted.source, folders, destination_bucket=wanted.bucket)
    if wanted.verb == "move":
        follow.folders_lost(wanted.space, wanted.source, partial(is_empty, carrier.storage, wanted.source))
    batch.advance(None, seen=len(rows))


def _carrier(workspace: Workspace, batch: Batch, wanted: Transfer) -> Carrier:
    policy = str(batch.parameters.get("policy") or STOP)
    return Carrier(workspace.storage(wanted.space), wanted, policy, Event(), [])


def _noting(workspace: Workspace, batch: Batch, wanted: Transfer, carrier: Carrier) -> Noting:
    """The index and the links follow what was done."""

    def note(rows: Sequence[tuple[JobItem, ItemOutcome]]) -> None:
        pairs = {key_of(row): carrier.place(row) for row, _ in rows}
        tell = writes.moved if wanted.verb == "move" else writes.copied
        sizes = {key_of(row): row.size for row, _ in rows}
        tell(workspace, wanted.space, wanted.source, pairs, destination_bucket=wanted.bucket, sizes=sizes)
        if wanted.verb == "move":
            follow.carry(wanted.space, wanted.source, pairs, destination_bucket=wanted.bucket)

    return Noting(batch, note)


def _after(noting: Noting, pairs: list[list[str]]) -> dict[str, Any]:
    done = {key_of(row) for row, _ in noting.done}
    return {"done": len(done), "not done": [source for source, _ in pairs if source not in done]}
