"""Delete objects that are items of a job: S8 in batches, kept first, checked against its answers and read back."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from dashboard.catalog import items, writes
from dashboard.catalog.items import key_of
from dashboard.catalog.keys import by_folder, folder_of
from dashboard.catalog.lookup import gone, is_empty, sees
from dashboard.catalog.selection import Selection
from dashboard.catalog.walk import Entry
from dashboard.interfaces import errors
from dashboard.jobs.batch import Batch, ItemOutcome
from dashboard.jobs.models import JobItem
from dashboard.links import follow, ledger
from dashboard.snapshots import trash
from dashboard.tokens.workspace import Workspace
from dashboard.web.text import counted

AT_ONCE = 1000
# Batch size after an answer was lost.
CAREFUL = 100
GONE = "Already deleted."
KEPT = "The service didn't delete it. Your token may not be allowed to."
STILL = "Reported as deleted, but still there."
TOO_MUCH = (errors.Rejected, errors.TooLarge)


def count_links(workspace: Workspace, batch: Batch, selection: Selection, keys: Sequence[str]) -> None:
    """Collect affected links in the facts across batches, since one link may include objects of several."""
    here = follow.dying_ids(selection.space, selection.bucket, keys=keys, folders=selection.folders)
    dying = here | set(batch.facts.get("dying", ()))
    named = ledger.named(workspace.person, dying)
    batch.facts |= {"dying": sorted(dying), "links": len(dying), "link names": named}


def links_lost(facts: Mapping[str, Any]) -> Iterator[str]:
    """Yield what a plan says of the links that `count_links` found."""
    if count := facts.get("links", 0):
        yield f"{counted(count, 'share link')} will stop working."
        if named := facts.get("link names"):
            yield f"{'; '.join(named)}."


def end_links(workspace: Workspace, space: str, bucket: str) -> None:
    """End the links of folders that are empty now (S13)."""
    follow.folders_lost(workspace, space, bucket, partial(is_empty, workspace.storage(space), bucket))


def version_of(entry: Entry) -> list[object]:
    """Return what tells this version of an object from others, for the parameters of an item."""
    return [entry.etag, entry.size, entry.updated_at.isoformat() if entry.updated_at else None]


def delete_items(
    workspace: Workspace,
    batch: Batch,
    space: str,
    bucket: str,
    rows: Sequence[JobItem],
    *,
    keeps: bool,
    there: Mapping[str, Entry] | None = None,
) -> None:
    """Delete these items of the batch (S8); with `keeps`, only those that could be kept first and didn't change since.

    What doesn't fit into one part of the trash waits. `there`: what the bucket listed just now, if that is known. The caller has
    set `record` as an effect of the batch.
    """
    items.wait_for_emptying(workspace, batch, space, bucket)
    if not keeps:
        _delete(workspace, batch, space, bucket, rows)
        return
    some = {key_of(row): row for row in _first_part(batch, rows)}
    listed = None if there is None else {key: there[key] for key in some if key in there}
    with trash.keeping(workspace, batch, space, bucket, some, rows=listed) as kept:
        lost = [some[key] for key, why in kept.why.items() if why == trash.MISSING]
        gone, hidden = _missing(workspace, batch, space, bucket, lost)
        for key, why in kept.why.items():
            if key in gone - hidden:
                batch.skipped(some[key], GONE)
            else:
                batch.failed(some[key], f"Not deleted. {why}")
        batch.save()
        _delete(workspace, batch, space, bucket, [some[key] for key in kept.keys])


def record(space: str, bucket: str, rows: Sequence[tuple[JobItem, ItemOutcome]]) -> None:
    """Record deleted items in the index and in share links. An effect of the batch."""
    keys = [key_of(row) for row, _ in rows]
    writes.removed(space, bucket, keys)
    follow.lost(space, bucket, keys)


def settle_items(workspace: Workspace, batch: Batch, space: str, bucket: str, rows: Sequence[JobItem]) -> None:
    """Settle items in flight: what the list of its folder no longer has is done, the others are open again (S13, S19)."""
    missing, hidden = _missing(workspace, batch, space, bucket, rows)
    for row in rows:
        if key_of(row) in missing - hidden:
            batch.done(row)
        else:
            batch.requeue(row)


def still_there(workspace: Workspace, batch: Batch, space: str, bucket: str, rows: Sequence[JobItem]) -> dict[int, str]:
    """Return what is wrong with items that are done, by number: those that are still there (S13 for folders, S19 for keys)."""
    missing, _ = _missing(workspace, batch, space, bucket, rows)
    return {row.number: STILL for row in rows if key_of(row) not in missing}


def _first_part(batch: Batch, rows: Iterable[JobItem]) -> list[JobItem]:
    """Return the first items, as many as fit into one part of the trash. The others wait."""
    some: list[JobItem] = []
    size = 0
    for row in rows:
        size += row.size or 0
        if some and size > trash.AT_ONCE_BYTES:
            batch.requeue(row)
        else:
            some.append(row)
    return some


def _delete(workspace: Workspace, batch: Batch, space: str, bucket: str, rows: Sequence[JobItem]) -> None:
    """Delete them in batches, smaller ones if the service refuses that many."""
    size, waiting = CAREFUL if any(row.tries > 1 for row in rows) else AT_ONCE, list(rows)
    while waiting and not batch.stopping:
        some = waiting[:size]
        try:
            _delete_batch(workspace, batch, space, bucket, some)
        except TOO_MUCH as refusal:
            if len(some) > 1:
                size = len(some) // 2
                continue
            batch.failed(some[0], refusal.text or str(refusal))
        waiting = waiting[len(some) :]
        batch.save()
    for row in waiting:
        batch.requeue(row)


def _delete_batch(workspace: Workspace, batch: Batch, space: str, bucket: str, rows: Sequence[JobItem]) -> None:
    keys = [key_of(row) for row in rows]
    target = f"{len(keys)} objects in {bucket}"
    with workspace.record("S8", target=target, place=space, before={"keys": keys}) as change:
        with batch.sending(rows, entry=change.entry):
            said = workspace.storage(space).objects.delete_many(bucket, keys)
        deleted = {entry.name for entry in said}
        left = [key for key in keys if key not in deleted]
        change.after = {"deleted": len(keys) - len(left), "left": left}
    absent, hidden = _missing(workspace, batch, space, bucket, [row for row in rows if key_of(row) not in deleted])
    for row in rows:
        key = key_of(row)
        if key in deleted:
            batch.done(row)
        elif key in hidden:
            batch.failed(row, f"Not deleted. {trash.MISSING}")
        elif key in absent:
            batch.skipped(row, GONE)
        else:
            batch.failed(row, KEPT)


def _missing(workspace: Workspace, batch: Batch, space: str, bucket: str, rows: Iterable[JobItem]) -> tuple[set[str], set[str]]:
    """Return the keys that are not found, and those of them that the token might just not see (S13 and S19)."""
    look = partial(gone, workspace.storage(space), bucket)
    missing: set[str] = set().union(*batch.map(lambda pair: look(*pair), by_folder(map(key_of, rows)).items()))
    blind = {folder for folder in set(map(folder_of, missing)) if not sees(workspace, space, bucket, folder)}
    return missing, {key for key in missing if folder_of(key) in blind}
