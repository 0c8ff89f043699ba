"""Delete selected objects: S8 in batches, checked against its answers, verified at the end."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import partial

from django.urls import reverse

from dashboard.catalog import contents, items, writes
from dashboard.catalog.items import Effects, key_of
from dashboard.catalog.keys import folder_of
from dashboard.catalog.lookup import gone, is_empty, sees
from dashboard.catalog.selection import Selection
from dashboard.interfaces import errors
from dashboard.jobs.batch import Batch, ItemOutcome
from dashboard.jobs.models import Job, JobItem
from dashboard.jobs.plans import UNKEPT
from dashboard.links import follow, holders, ledger
from dashboard.snapshots import trash
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
    batch.facts["days"] = trash.days()
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
    """Delete at most 1,000 keys (S8), fewer if the service refuses that many. They are kept first, if the plan says so."""
    selection = Selection.from_parameters(batch.parameters["selection"])
    Effects(batch, lambda rows: _record_deleted(workspace, selection, rows))
    items.wait_for_emptying(workspace, batch, selection.space, selection.bucket)
    size = CAREFUL if any(row.tries > 1 for row in batch.items) else AT_ONCE
    is_kept = batch.facts.get("days") and batch.parameters.get("policy") != UNKEPT
    waiting = _keep(workspace, batch, selection) if is_kept else list(batch.items)
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


def undo(job: Job) -> tuple[str, str] | None:
    """Return what leads back: Undo, or the trash if it was kept in several parts. Who acts through a grant has none."""
    kept: list[str] = [] if job.grants else job.facts.get("kept", [])
    selection = job.parameters["selection"]
    here = (selection["space"], selection["bucket"])
    if len(kept) == 1:
        return "Undo", reverse("snapshots:undo", args=[*here, kept[0]])
    return ("Open trash", reverse("snapshots:trash", args=here)) if kept else None


def _keep(workspace: Workspace, batch: Batch, selection: Selection) -> list[JobItem]:
    """Keep the first items, as many as fit into one part. Return those that may be deleted; the others say why not, or wait."""
    some: list[JobItem] = []
    size = 0
    for row in batch.items:
        size += row.size or 0
        if some and size > trash.AT_ONCE_BYTES:
            batch.requeue(row)
        else:
            some.append(row)
    kept = trash.keep(workspace, selection.space, selection.bucket, [key_of(row) for row in some])
    if kept.head:
        batch.facts["kept"] = [*batch.facts.get("kept", ()), kept.head.id]
        batch.advance(None)
    gone, hidden = _missing(workspace, batch, selection, [row for row in some if kept.why.get(key_of(row)) == trash.MISSING])
    for row in some:
        if key_of(row) in gone - hidden:
            batch.skipped(row, GONE)
        elif key_of(row) not in kept.keys:
            batch.failed(row, kept.why[key_of(row)])
    batch.save()
    return [row for row in some if key_of(row) in kept.keys]


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
