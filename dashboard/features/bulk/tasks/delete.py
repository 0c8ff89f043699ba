"""Delete selected objects: S8 in batches, checked against its answers, verified at the end."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import partial

from dashboard.catalog import contents, items, writes
from dashboard.catalog.items import Effects, key_of
from dashboard.catalog.keys import folder_of
from dashboard.catalog.lookup import gone, is_empty, sees
from dashboard.catalog.selection import Selection
from dashboard.interfaces import errors
from dashboard.jobs.batch import Batch, ItemOutcome
from dashboard.jobs.models import JobItem
from dashboard.links import follow, holders, ledger
from dashboard.tokens.workspace import Workspace

AT_ONCE = 1000
# Batch size after an answer was lost.
CAREFUL = 100
VERIFIED_AT_ONCE = 2000
GONE = "Already deleted."
HIDDEN = "Not deleted: it is gone already, or your token can't see it."
KEPT = "The service didn't delete it. Your token may not be allowed to."
STILL = "Reported as deleted, but still there."
TOO_MUCH = (errors.Rejected, errors.TooLarge)


def plan(workspace: Workspace, batch: Batch) -> None:
    """Add every selected object as an item (S13)."""
    selection = Selection.from_parameters(batch.parameters["selection"])
    for block in contents.read(workspace, batch, selection, pending=True):
        for group in block.groups:
            batch.add(items.item(entry) for entry in group.entries)
            contents.tally(batch.facts, group.entries)
        if selection.filter:
            _count_links(workspace, batch, selection, [entry.key for entry in block.entries])
        elif block.cursor is None:
            _count_links(workspace, batch, selection, selection.keys)
            batch.facts["held"] = holders.named(selection.space, selection.bucket, selection.folders, links=False)
        batch.advance(block.cursor, seen=len(block.entries))


def delete(workspace: Workspace, batch: Batch) -> None:
    """Delete at most 1,000 keys (S8), fewer if the service refuses that many."""
    selection = Selection.from_parameters(batch.parameters["selection"])
    Effects(batch, lambda rows: _record_deleted(workspace, selection, rows))
    items.wait_for_emptying(workspace, batch, selection.space, selection.bucket)
    size = CAREFUL if any(row.tries > 1 for row in batch.items) else AT_ONCE
    waiting = list(batch.items)
    while waiting and not batch.stopping:
        some = waiting[:size]
        try:
            _delete_batch(workspace, batch, selection, some)
        except TOO_MUCH as refusal:
            if len(some) > 1:
                size = len(some) // 2
                continue
            batch.failed(some[0], refusal.text or str(refusal))
        waiting = waiting[len(some) :]
        batch.save()
    for row in waiting:
        batch.requeue(row)


def settle(workspace: Workspace, batch: Batch) -> None:
    """Settle items in flight: missing objects were deleted (S13 and S19)."""
    selection = Selection.from_parameters(batch.parameters["selection"])
    Effects(batch, lambda rows: _record_deleted(workspace, selection, rows))
    missing, hidden = _missing(workspace, batch, selection, batch.items)
    for row in batch.items:
        if key_of(row) in missing - hidden:
            batch.done(row)
        else:
            batch.requeue(row)


def verify(workspace: Workspace, batch: Batch) -> None:
    """Verify that deleted objects are missing: S13 for their folders, S19 for keys still listed."""
    selection = Selection.from_parameters(batch.parameters["selection"])
    after = int(batch.cursor.get("after", 0))
    rows = batch.done_after(after, VERIFIED_AT_ONCE)
    missing, _ = _missing(workspace, batch, selection, rows)
    batch.correct({row.number: STILL for row in rows if key_of(row) not in missing})
    more = len(rows) == VERIFIED_AT_ONCE
    if not more:
        look = partial(is_empty, workspace.storage(selection.space), selection.bucket)
        follow.folders_lost(workspace, selection.space, selection.bucket, look)
    batch.advance({"after": rows[-1].number} if more else None, seen=len(rows))


def _count_links(workspace: Workspace, batch: Batch, selection: Selection, keys: Sequence[str]) -> None:
    """Collect affected links across batches, since one link may include objects of several."""
    here = follow.dying_ids(selection.space, selection.bucket, keys=keys, folders=selection.folders)
    dying = here | set(batch.facts.get("dying", ()))
    named = ledger.named(workspace.person, dying)
    batch.facts |= {"dying": sorted(dying), "links": len(dying), "link names": named}


def _delete_batch(workspace: Workspace, batch: Batch, selection: Selection, rows: Sequence[JobItem]) -> None:
    keys = [key_of(row) for row in rows]
    target = f"{len(keys)} objects in {selection.bucket}"
    with workspace.record("S8", target=target, place=selection.space, before={"keys": keys}) as change:
        with batch.sending(rows, entry=change.entry):
            said = workspace.storage(selection.space).objects.delete_many(selection.bucket, keys)
        deleted = {entry.name for entry in said}
        left = [key for key in keys if key not in deleted]
        change.after = {"deleted": len(keys) - len(left), "left": left}
    absent, hidden = _missing(workspace, batch, selection, [row for row in rows if key_of(row) not in deleted])
    for row in rows:
        key = key_of(row)
        if key in deleted:
            batch.done(row)
        elif key in hidden:
            batch.failed(row, HIDDEN)
        elif key in absent:
            batch.skipped(row, GONE)
        else:
            batch.failed(row, KEPT)


def _missing(workspace: Workspace, batch: Batch, selection: Selection, rows: Iterable[JobItem]) -> tuple[set[str], set[str]]:
    """Return the keys that are not found, and those of them that the token might just not see (S13 and S19)."""
    by_folder: dict[str, list[str]] = defaultdict(list)
    for row in rows:
        by_folder[folder_of(key_of(row))].append(key_of(row))
    look = partial(gone, workspace.storage(selection.space), selection.bucket)
    missing: set[str] = set().union(*batch.map(lambda pair: look(*pair), by_folder.items()))
    blind = {folder for folder in set(map(folder_of, missing)) if not sees(workspace, selection.space, selection.bucket, folder)}
    return missing, {key for key in missing if folder_of(key) in blind}


def _record_deleted(workspace: Workspace, selection: Selection, rows: Sequence[tuple[JobItem, ItemOutcome]]) -> None:
    keys = [key_of(row) for row, _ in rows]
    writes.removed(workspace, selection.space, selection.bucket, keys)
    follow.lost(selection.space, selection.bucket, keys)
