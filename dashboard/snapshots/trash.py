"""The trash: what is deleted through Pilothouse is kept first, as a small snapshot that says who deleted it.

The three verbs of snapshots do all of it. `keep` takes the objects into the store of all snapshots, compares them with the bucket
once more, and returns those that may be deleted: what could not be kept, or has changed, stays. Undo restores that snapshot.
A schedule deletes it after `TRASH_DAYS`, like any other one.

No lease is needed: if anything was removed from the store at that time, which the generation tells, they are taken again.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from secrets import randbelow

from django.conf import settings

from dashboard.catalog import lookup, walk
from dashboard.catalog.keys import folder_of
from dashboard.jobs import schedules
from dashboard.jobs.batch import Stop
from dashboard.snapshots import capture
from dashboard.snapshots.manifest import Entry, Head, Segment, ends_segment, pack, place_of, write_head
from dashboard.snapshots.segment import Progress
from dashboard.snapshots.store import StoreError
from dashboard.tokens.models import Kind
from dashboard.tokens.workspace import Workspace
from dashboard.web.process.parallel import map_bounded

KIND = "trash"
# A box on the question before a deletion, by name and label.
WITHOUT = ("unkept", "Delete without keeping")
# What is larger together is kept by a job, in parts of this size.
AT_ONCE_BYTES = 64 << 20
NAMED = 3
TRIES = 3
DAY_SECONDS = 86_400.0
MISSING = "Not deleted: it is gone already, or your token can't see it."
CHANGED = "Not deleted: it was changed while it was being kept."
UNKEPT = "Not deleted, because it could not be kept. {}"
BUSY = "Other snapshots are being deleted. Try again later."


@dataclass(frozen=True, slots=True)
class Kept:
    """The keys that may be deleted, and why the others may not. `head`: the snapshot; None if nothing was kept."""

    head: Head | None = None
    keys: list[str] = field(default_factory=list)
    why: dict[str, str] = field(default_factory=dict)


def days() -> int:
    """Return for how many days deleted objects are kept; 0 if they are not."""
    return int(settings.TRASH_DAYS) if capture.is_on() else 0


def size_of(workspace: Workspace, space: str, bucket: str, keys: Collection[str]) -> int:
    """Return the bytes of these objects, as far as they are listed (S13)."""
    return sum(row.size or 0 for row in _listed(workspace, space, bucket, keys).values())


def keep(workspace: Workspace, space: str, bucket: str, keys: Collection[str]) -> Kept:
    """Keep objects that are about to be deleted (S13, S18 and S19). Raises interface errors after which another try may do."""
    rows = _listed(workspace, space, bucket, keys)
    why = {key: MISSING for key in keys if key not in rows}
    for _ in range(TRIES):
        try:
            generation = capture.store().generation()
            kept = _keep(workspace, space, bucket, rows)
            if kept.head is None or capture.store().generation() == generation:
                if kept.head:
                    _expire(workspace, kept.head)
                return Kept(kept.head, kept.keys, why | kept.why)
            capture.store().remove(kept.head.path)
        except (StoreError, Stop) as error:
            return Kept(why=why | dict.fromkeys(rows, UNKEPT.format(error)))
    return Kept(why=why | dict.fromkeys(rows, UNKEPT.format(BUSY)))


def _keep(workspace: Workspace, space: str, bucket: str, rows: dict[str, walk.Entry]) -> Kept:
    """Take the objects, compare them with the bucket, and write the snapshot of those that are the same."""
    token, begun = workspace.fingerprint(Kind.STORAGE, space), datetime.now(UTC)
    taker = capture.taker(workspace, space, bucket, capture.last(space, bucket, token))
    capture.require_room(sum(row.size or 0 for row in rows.values() if not taker.unchanged(row)))
    capture.claim()
    progress = Progress()
    taker.take(rows.values(), progress, lambda: False)
    why = {key: UNKEPT.format(entry.left_out) for key, entry in progress.entries.items() if entry.left_out}
    why |= dict.fromkeys(progress.gone, MISSING)
    taken = {key: entry for key, entry in progress.entries.items() if not entry.left_out}
    now = _listed(workspace, space, bucket, taken)
    why |= {key: CHANGED for key, entry in taken.items() if not _is_same(entry, now.get(key))}
    entries = [taken[key] for key in sorted(taken) if key not in why]
    if not entries:
        return Kept(why=why)
    head = _written(workspace, entries, progress.grown, space=space, bucket=bucket, token=token, begun=begun)
    return Kept(head, [entry.key for entry in entries], why)


def _listed(workspace: Workspace, space: str, bucket: str, keys: Iterable[str]) -> dict[str, walk.Entry]:
    """Return those of the keys that the bucket lists now (S13)."""
    by_folder: dict[str, list[str]] = defaultdict(list)
    for key in keys:
        by_folder[folder_of(key)].append(key)
    look = partial(lookup.present, workspace.storage(space), bucket)
    return {key: row for found in map_bounded(lambda of: look(*of), by_folder.items()) for key, row in found.items()}


def _is_same(entry: Entry, now: walk.Entry | None) -> bool:
    """Whether what was kept is what the bucket lists now."""
    return now is not None and (entry.size, entry.etag, entry.updated) == (now.size, now.etag, now.updated_at)


def _written(
    workspace: Workspace, entries: Sequence[Entry], grown: int, *, space: str, bucket: str, token: str, begun: datetime
) -> Head:
    """Write the snapshot of a deletion."""
    segments: list[Segment] = []
    for some in _parted(entries):
        chunk, more = capture.store().add(pack(some))
        segments.append(Segment(some[0].key, chunk, len(some)))
        grown += more
    lists, more = capture.store().add(pack(segments))
    head = Head(
        id=f"{begun:%Y%m%dT%H%M%SZ-%f}{randbelow(10**6):06}",
        space=space,
        bucket=bucket,
        token=token,
        begun=begun,
        ended=datetime.now(UTC),
        objects=len(entries),
        bytes=sum(entry.size or 0 for entry in entries),
        new_bytes=grown + more,
        left_out=0,
        unlisted=0,
        lists=[lists],
        deleted_by=str(workspace.person),
        names=[entry.key for entry in entries[:NAMED]],
    )
    write_head(capture.store(), head)
    return head


def _parted(entries: Iterable[Entry]) -> Iterator[list[Entry]]:
    some: list[Entry] = []
    for entry in entries:
        some.append(entry)
        if ends_segment(entry.key, len(some)):
            yield some
            some = []
    if some:
        yield some


def _expire(workspace: Workspace, head: Head) -> None:
    """Have the trash of this bucket and token looked after, by whom the token belongs to."""
    key = f"{place_of(head.space, head.bucket)} {head.token}"
    timer = schedules.find(KIND, key)
    if timer is None or not timer.is_on:
        granted = workspace.grant_at(Kind.STORAGE, head.space)
        owner = granted.grant.giver if granted else workspace.person
        payload = {"space": head.space, "bucket": head.bucket, "token": head.token}
        schedules.start(KIND, key, owner=owner, first_in=DAY_SECONDS, every=DAY_SECONDS, payload=payload)
