"""The trash: what is deleted or replaced is kept first, as a small snapshot that says by whom.

The three verbs of snapshots do all of it. `keep` takes the objects into the store of all snapshots, compares them with the bucket
once more, and returns those that may be deleted: what could not be kept, or has changed, stays. Undo restores that snapshot.
One schedule deletes what any bucket has kept for `TRASH_DAYS`.

No lease is needed: while a job removes chunks, nothing is kept. If one began to at that time, which the generation tells, the
objects are taken again.
"""

from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import islice
from os.path import commonprefix
from time import sleep

import msgspec
from django.conf import settings

from dashboard.catalog import lookup, walk
from dashboard.catalog.keys import by_folder, folder_of
from dashboard.catalog.models import UnkeptBucket
from dashboard.interfaces.errors import Effect, InterfaceError
from dashboard.jobs import schedules
from dashboard.jobs.batch import Batch, Stop
from dashboard.jobs.models import ItemState, JobItem
from dashboard.snapshots import capture, collect
from dashboard.snapshots.manifest import (
    BEGUN,
    IDENT,
    Entry,
    Head,
    Manifest,
    Segment,
    head_path,
    id_in_trash,
    pack,
    parted,
    read_head,
    unpack,
    write_head,
)
from dashboard.snapshots.segment import Progress
from dashboard.snapshots.store import Damaged, Missing, StoreError
from dashboard.team.models import Person
from dashboard.tokens.models import Kind
from dashboard.tokens.workspace import Workspace
from dashboard.web.failures.cards import Stopped
from dashboard.web.failures.problems import effect_of
from dashboard.web.process.parallel import map_bounded

KIND = "trash"
# A box on the question before a deletion, by name and label.
WITHOUT = ("unkept", "Delete without keeping")
# What is larger together is kept by a job, in parts of this size.
AT_ONCE_BYTES = 64 << 20
NAMED = 3
TRIES = 3
# How often and how long to wait for a job that removes chunks: most take less than a second.
WAITS, WAIT_SECONDS = 10, 0.5
# A deletion looks for what is kept already in so many snapshots: some may be of other folders.
LOOKED_AT = 16
DAY_SECONDS = 86_400.0
# Why nothing was done. Callers say before it what was not done.
MISSING = "It is gone already, or your token can't see it."
CHANGED = "It was changed while it was being kept."
UNKEPT = "It could not be kept. {}"
BUSY = "Other snapshots are being deleted. Try again later."


@dataclass(frozen=True, slots=True)
class Kept:
    """The keys that may be deleted or replaced, and why the others may not. `head`: the snapshot; None if nothing was kept.

    `earlier`: the snapshot of the earlier parts of the deletion. `head` holds all of it, so it can be dropped.
    """

    head: Head | None = None
    earlier: Head | None = None
    keys: list[str] = field(default_factory=list)
    why: dict[str, str] = field(default_factory=dict)

    @property
    def id(self) -> str:
        """Return the id of the snapshot, or ""."""
        return self.head.id if self.head else ""


def days() -> int:
    """Return for how many days deleted objects are kept where a bucket's settings allow it; 0 if they are not."""
    return int(settings.TRASH_DAYS) if capture.is_on() else 0


def days_of(space: str, bucket: str) -> int:
    """Return for how many days deleted and replaced objects of a bucket are kept; 0 if they are not."""
    return 0 if UnkeptBucket.objects.filter(space=space, bucket=bucket).exists() else days()


def switch(space: str, bucket: str, *, on: bool) -> None:
    """Keep what is deleted or replaced in a bucket from now on, or keep nothing of it. What is kept stays."""
    if on:
        UnkeptBucket.objects.filter(space=space, bucket=bucket).delete()
    else:
        UnkeptBucket.objects.get_or_create(space=space, bucket=bucket)


def listed(workspace: Workspace, space: str, bucket: str, keys: Iterable[str]) -> dict[str, walk.Entry]:
    """Return those of the keys that the bucket lists now (S13)."""
    look = partial(lookup.present, workspace.storage(space), bucket)
    return {key: row for found in map_bounded(lambda of: look(*of), by_folder(keys).items()) for key, row in found.items()}


def keep(
    workspace: Workspace,
    space: str,
    bucket: str,
    keys: Collection[str],
    *,
    rows: Mapping[str, walk.Entry] | None = None,
    earlier: str = "",
    replaces: bool = False,
    tries: Mapping[str, int] | None = None,
) -> Kept:
    """Keep objects that are about to be deleted or replaced (S13, S18 and S19). Raises interface errors after which to try again.

    `rows` are those of `keys` that were `listed` just now; None: they are listed here. `earlier` is the id of the snapshot that
    holds the earlier parts of the same deletion; the new one holds them, too. `tries`: how often each key was tried before.
    """
    rows = listed(workspace, space, bucket, keys) if rows is None else rows
    why = {key: MISSING for key in keys if key not in rows}
    for _ in range(TRIES):
        try:
            generation = _generation()
            kept = _keep(workspace, space, bucket, rows, earlier, replaces=replaces, progress=Progress(tries={**(tries or {})}))
            if kept.head is None or capture.store().generation() == generation:
                return replace(kept, why=why | kept.why)
            capture.store().remove(kept.head.path)
        except (StoreError, Stop) as error:
            return Kept(why=why | dict.fromkeys(rows, UNKEPT.format(error)))
    return Kept(why=why | dict.fromkeys(rows, UNKEPT.format(BUSY)))


@contextmanager
def keeping(
    workspace: Workspace,
    batch: Batch,
    space: str,
    bucket: str,
    items: Mapping[str, JobItem],
    *,
    rows: Mapping[str, walk.Entry] | None = None,
    replaces: bool = False,
) -> Iterator[Kept]:
    """Keep a part of what a job deletes or replaces, as `keep` does; the block deletes or replaces it. `items` are by key.

    The fact `kept` is the id of the snapshot of all parts. What the service refused is taken out of it again: nothing happened
    to that. What nobody knows of stays.
    """
    earlier, tries = batch.facts.get("kept", ""), {key: row.tries - 1 for key, row in items.items()}
    kept = keep(workspace, space, bucket, items, rows=rows, earlier=earlier, replaces=replaces, tries=tries)
    _note(batch, kept.head)
    if kept.earlier:
        drop(kept.earlier)
    try:
        yield kept
    except InterfaceError:
        _take_out_refused(workspace, batch, kept, items)
        raise
    _take_out_refused(workspace, batch, kept, items)


@contextmanager
def sparing(workspace: Workspace, head: Head | None, keys: Collection[str]) -> Iterator[None]:
    """Take what was kept out of its new snapshot again if it is certainly not deleted in the block."""
    try:
        yield
    except (InterfaceError, Stopped) as error:
        if head and (isinstance(error, Stopped) or effect_of(error) is not Effect.UNKNOWN):
            take_out(workspace, head, keys)
        raise


def take_out(workspace: Workspace, head: Head, keys: Collection[str]) -> Head | None:
    """Take those of the keys out of a new snapshot that are there as they were kept. Return what is left of it."""
    new = _without(workspace, head, keys)
    if new is None:
        return head
    drop(head)
    return new if new.objects else None


def spare(workspace: Workspace, space: str, bucket: str, ident: str, keys: Collection[str]) -> None:
    """Take those of the keys out of a snapshot, known by its id or "", that are there as they were kept."""
    if ident:
        with suppress(StoreError):
            take_out(workspace, read_head(capture.store(), head_path(space, bucket, ident)), keys)


def drop(head: Head) -> None:
    """Remove the snapshot of the earlier parts, once the id of the new one is known. If that fails, both stay."""
    with suppress(StoreError):
        capture.store().remove(head.path)


def look_after() -> None:
    """Schedule emptying the trash daily, in the name of an owner of the team: it belongs to nobody, and needs no token."""
    if not capture.is_on() or ((timer := schedules.find(KIND, "")) and timer.is_on):
        return
    if owner := Person.objects.active_owners().order_by("pk").first():
        schedules.start(KIND, "", owner=owner, first_in=0, every=DAY_SECONDS)


def expired() -> list[Head]:
    """Return the deletions of all buckets that were kept long enough and are not being restored. Raises `StoreError`."""
    oldest, used, found = datetime.now(UTC) - timedelta(days=days()), collect.in_use(), list[Head]()
    for path in capture.store().heads():
        # A head is named by its time, so that younger ones needn't be read.
        if path.rpartition("/")[2] > f"{oldest:{BEGUN}}~":
            break
        with suppress(Missing, Damaged):
            found.append(read_head(capture.store(), path))
    return [head for head in found if head.is_trash and head.begun <= oldest and head.id not in used]


def _generation() -> str:
    """Return the generation of the store once no job removes chunks from it. Raises `Stop` if one goes on."""
    for _ in range(WAITS):
        # In this order: a job that began to remove after it was read is seen by another generation later.
        generation = capture.store().generation()
        if not collect.is_removing():
            return generation
        sleep(WAIT_SECONDS)
    raise Stop(BUSY)


def _keep(
    workspace: Workspace,
    space: str,
    bucket: str,
    rows: Mapping[str, walk.Entry],
    earlier: str,
    *,
    replaces: bool,
    progress: Progress,
) -> Kept:
    """Take the objects, compare them with the bucket, and write the snapshot of those that are the same."""
    token, begun = workspace.fingerprint(Kind.STORAGE, space), datetime.now(UTC)
    common = folder_of(commonprefix(list(rows)))  # noqa: RUF071 - the folder is taken from it
    known = capture.last(space, bucket, token, common, most=LOOKED_AT)
    taker = capture.taker(workspace, space, bucket, known)
    capture.require_room(bytes_of(row for row in rows.values() if not taker.unchanged(row)))
    capture.claim()
    taker.take(rows.values(), progress, lambda: False)
    why = {key: UNKEPT.format(entry.left_out) for key, entry in progress.entries.items() if entry.left_out}
    why |= dict.fromkeys(progress.gone, MISSING)
    taken = {key: entry for key, entry in progress.entries.items() if not entry.left_out}
    now = listed(workspace, space, bucket, taken)
    why |= {key: CHANGED for key, entry in taken.items() if not _is_same(entry, now.get(key))}
    entries = [taken[key] for key in sorted(taken) if key not in why]
    if not entries:
        return Kept(why=why)
    made = Head(
        id=id_in_trash(begun),
        space=space,
        bucket=bucket,
        token=token,
        begun=begun,
        ended=begun,
        objects=0,
        bytes=0,
        new_bytes=progress.grown,
        left_out=0,
        unlisted=0,
        lists=[],
        deleted_by=str(workspace.person),
        replaced=replaces,
    )
    before = _earlier(made, earlier, entries)
    return Kept(_written(made, before, {entry.key: entry for entry in entries}), before, [entry.key for entry in entries], why)


def _note(batch: Batch, head: Head | None) -> None:
    if head:
        batch.facts["kept"] = head.id if head.objects else ""
        batch.advance(None)
        batch.save()


def _take_out_refused(workspace: Workspace, batch: Batch, kept: Kept, items: Mapping[str, JobItem]) -> None:
    """Write the snapshot without what is there as it was kept, unless it may still be deleted or replaced (S13)."""
    batch.save()
    in_doubt = {row.pk for row in batch.open_items() if row.check_until}
    pks = {items[key].pk: key for key in kept.keys}
    done = set(batch.job.items.filter(pk__in=pks, state=ItemState.DONE).values_list("pk", flat=True))
    left = [key for pk, key in pks.items() if pk not in in_doubt | done]
    if kept.head and (new := _without(workspace, kept.head, left)):
        _note(batch, new)
        drop(kept.head)


def _without(workspace: Workspace, head: Head, keys: Collection[str]) -> Head | None:
    """Write the snapshot without those of the keys that are there as they were kept (S13). None if it has to stay as it is."""
    if not keys or head.id in collect.in_use():
        return None
    with suppress(InterfaceError, StoreError, Stop):
        held, now = Manifest(capture.store(), head.lists), listed(workspace, head.space, head.bucket, keys)
        same = [key for key in keys if (entry := held.get(key)) and _is_same(entry, now.get(key))]
        if not same:
            return None
        generation = _generation()
        new = _written(msgspec.structs.replace(head, id=id_in_trash(head.begun)), head, dict.fromkeys(same))
        if capture.store().generation() == generation:
            return new
        capture.store().remove(new.path)
    return None


def _earlier(made: Head, ident: str, entries: Iterable[Entry]) -> Head | None:
    """Return the snapshot of the earlier parts, unless it is gone, in use, or of another kind, person or token.

    Nor if it holds one of the objects as it was before: both versions stay, in snapshots of their own.
    """
    if not IDENT.fullmatch(ident) or ident in collect.in_use():
        return None
    try:
        head = read_head(capture.store(), head_path(made.space, made.bucket, ident))
    except Missing:
        return None
    held = Manifest(capture.store(), head.lists)
    is_other = any((old := held.get(entry.key)) and old.sha256 != entry.sha256 for entry in entries)
    is_alike = (head.token, head.deleted_by, head.replaced) == (made.token, made.deleted_by, made.replaced)
    return head if is_alike and not is_other else None


def _is_same(entry: Entry, now: walk.Entry | None) -> bool:
    """Whether what was kept is what the bucket lists now."""
    return now is not None and (entry.size, entry.etag, entry.updated) == (now.size, now.etag, now.updated_at)


def _written(made: Head, earlier: Head | None, entries: Mapping[str, Entry | None]) -> Head:
    """Write the snapshot of a deletion, with what its earlier parts kept, except that of which `entries` has None.

    If nothing is left, nothing is written.
    """
    segments, size, more = _merged(Manifest(capture.store(), earlier.lists).segments if earlier else [], entries)
    lists, of_lists = capture.store().add(pack(segments))
    names = [name for name in [*(earlier.names if earlier else ()), *entries] if name not in entries or entries[name]]
    # Those that are named may be taken out.
    left = Manifest(capture.store(), [lists]) if None in entries.values() else ()
    firsts = (entry.key for entry in islice(left, NAMED))
    head = msgspec.structs.replace(
        made,
        begun=earlier.begun if earlier else made.begun,
        ended=datetime.now(UTC),
        objects=sum(segment.entries for segment in segments),
        bytes=size + (earlier.bytes if earlier else 0),
        new_bytes=made.new_bytes + more + of_lists + (earlier.new_bytes if earlier else 0),
        lists=[lists],
        names=list(dict.fromkeys([*names, *firsts]))[:NAMED],
    )
    if segments:
        write_head(capture.store(), head)
    return head


def _merged(old: Sequence[Segment], entries: Mapping[str, Entry | None]) -> tuple[list[Segment], int, int]:
    """Add entries to segments, or take out those that are None. Only segments that this changes are written anew.

    Return the segments, the bytes of the objects added, and those by which the store grew.
    """
    store, segments, size, grown, at = capture.store(), list[Segment](), 0, 0, 0
    keys, ends = sorted(entries), [segment.first for segment in old[1:]]
    for number in range(max(len(old), 1)):
        first, at = at, bisect_left(keys, ends[number]) if number < len(ends) else len(keys)
        if first == at:
            segments.append(old[number])
            continue
        known = {entry.key: entry for entry in unpack(store.chunk(old[number].chunk), Entry)} if old else {}
        merged = known | {key: entries[key] for key in keys[first:at]}
        whole = [entry for _, entry in sorted(merged.items()) if entry]
        size += bytes_of(whole) - bytes_of(known.values())
        for some in parted(whole):
            chunk, more = store.add(pack(some))
            segments.append(Segment(some[0].key, chunk, len(some)))
            grown += more
    return segments, size, grown


def bytes_of(entries: Iterable[Entry | walk.Entry]) -> int:
    """Return the bytes of these objects, as far as their sizes are known."""
    return sum(entry.size or 0 for entry in entries)
