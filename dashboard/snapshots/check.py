"""Read a share of what a bucket's snapshots hold, and take what is damaged or missing again from the bucket: a job.

A segment's name decides its share, so a segment that stays the same is read by one of `SHARES` checks.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from time import monotonic
from typing import Any

import msgspec

from dashboard.interfaces.errors import InterfaceError
from dashboard.jobs.batch import Batch, Stop, is_retryable
from dashboard.jobs.models import Job
from dashboard.jobs.transitions import start
from dashboard.snapshots.capture import hold, in_store, release, require_own, store
from dashboard.snapshots.collect import Marks
from dashboard.snapshots.manifest import Entry, Manifest, folder_in, heads_at, ident_of, named, place_of, read_head, unpack
from dashboard.snapshots.objects import LeftOut, Part, Reader
from dashboard.snapshots.store import Damaged, Missing
from dashboard.tokens.actor import stop_reason
from dashboard.tokens.models import Kind
from dashboard.tokens.workspace import Workspace
from dashboard.web.process import liveness
from dashboard.web.text import counted

CHECK = "check snapshots"
SHARES = 4
STEP_SECONDS = 3.0
NAMED = 3


class Within(msgspec.Struct):
    """How far an object was checked: the chunks that were read, whether one `is_bad`, and what was taken again so far."""

    chunks: int = 0
    is_bad: bool = False
    part: Part | None = None


def begin(workspace: Workspace, space: str, bucket: str, folder: str = "", *, share: int, back: str) -> Job:
    """Start reading one of `SHARES` shares of the snapshots that this token took: of a folder, or of a bucket and its folders."""
    require_own(workspace, space)
    token = workspace.fingerprint(Kind.STORAGE, space)
    return start(
        workspace,
        CHECK,
        title=f"Check snapshots of {named(bucket, folder)}",
        place=space,
        back=back,
        parameters={"space": space, "bucket": bucket, "folder": folder, "token": token, "share": share},
        cursor={},
    )


def step(workspace: Workspace, batch: Batch) -> None:
    """Read for a few seconds. At the end, fail the job if something was damaged, so that its owner is told."""
    with in_store(workspace, batch):
        hold(workspace, batch)
        if not batch.cursor:
            batch.facts = {"again": 0, "lost": 0, "named": []}
            batch.advance({"heads": _heads(batch), "segment": 0, "entry": 0, "within": {}, "read": []})
        elif batch.cursor["heads"]:
            _read_on(workspace, batch)
        elif words := _words(batch.facts):
            raise Stop(words)
        else:
            release(batch)
            batch.advance(None)


def _heads(batch: Batch) -> list[str]:
    """Return the paths of the heads to read, newest first. Whose a damaged one is isn't known, so each check tells of it."""
    heads = heads_at(store(), store().heads(place_of(batch.parameters["space"], batch.parameters["bucket"])))
    own = [head for head in heads.read[::-1] if head.token == batch.parameters["token"]]
    return [*heads.damaged, *(head.path for head in own if head.folder.startswith(folder_in(batch.parameters)))]


def _read_on(workspace: Workspace, batch: Batch) -> None:
    """Read objects of the first of the snapshots that are left."""
    cursor, until = batch.cursor, monotonic() + STEP_SECONDS
    path, *others = cursor["heads"]
    seen = 0
    try:
        read = Marks(cursor["read"])
    except Missing:
        # They were removed by a job that deletes: what was read is read again.
        read = Marks([])

    def keep(segment: int, entry: int, within: Within | None = None, **others: Any) -> None:
        position = {"segment": segment, "entry": entry, "within": msgspec.to_builtins(within or Within())}
        batch.advance({**cursor, "read": read.save(), **position, **others}, seen=seen)

    def is_due() -> bool:
        return monotonic() > until or batch.stopping

    for segment, number, entry in _share(batch, path, read):
        begun = cursor["segment"], cursor["entry"]
        if (segment, number) < begun:
            continue
        within = msgspec.convert(cursor["within"] if (segment, number) == begun else {}, Within)
        try:
            is_done = _check(workspace, batch, entry, within, is_due)
        except InterfaceError:
            keep(segment, number, within)
            raise
        if not is_done:
            keep(segment, number, within)
            return
        seen += 1
        if is_due():
            keep(segment, number + 1)
            return
    keep(0, 0, heads=others)


def _share(batch: Batch, path: str, read: Marks) -> Iterator[tuple[int, int, Entry]]:
    """Yield the objects of a snapshot's share with their places, from the cursor's segment on, if that was not read yet."""
    ident = ident_of(path)
    try:
        segments = Manifest(store(), read_head(store(), path).lists).segments
    except (Missing, Damaged):
        if path in store().heads():
            _lose(batch, f"the snapshot {ident}")
        return
    for at, segment in enumerate(segments):
        is_shared = int(segment.chunk[:2], 16) % SHARES == batch.parameters["share"]
        if at < batch.cursor["segment"] or not is_shared or segment.chunk in read:
            continue
        try:
            entries = unpack(store().chunk(segment.chunk), Entry)
        except (Missing, Damaged):
            read.add([segment.chunk])
            _lose(batch, f"{counted(segment.entries, 'file')} from {segment.first} on in the snapshot {ident}")
            continue
        yield from ((at, number, entry) for number, entry in enumerate(entries) if not entry.left_out)
        read.add([segment.chunk])


def _check(workspace: Workspace, batch: Batch, entry: Entry, within: Within, is_due: Callable[[], bool]) -> bool:
    """Read the chunks of an object, at least one. If one is bad, take the object again. Return whether it is done."""
    for name in entry.chunks[within.chunks :]:
        liveness.note()
        within.is_bad |= not store().holds(name)
        within.chunks += 1
        if is_due() and within.chunks < len(entry.chunks):
            return False
    return not within.is_bad or _take_again(workspace, batch, entry, within, is_due)


def _take_again(workspace: Workspace, batch: Batch, entry: Entry, within: Within, is_due: Callable[[], bool]) -> bool:
    """Read an object again, or go on with it, if it is still the same. Return whether it is done."""
    # It was kept when it was taken, so no limit applies now. A bad chunk is overwritten, not removed: the reader may be at fault.
    mended = replace(store(), overwrites=True)
    reader = Reader(workspace.storage(batch.parameters["space"]), batch.parameters["bucket"], mended, 0)
    row = entry.listed
    part = before = within.part or Part(key=entry.key)
    try:
        for part in reader.parts(row, before):
            within.part = part
            if not part.sha256 and part.etag and is_due():
                return False
    except (InterfaceError, LeftOut) as error:
        if isinstance(error, InterfaceError) and (is_retryable(error) or stop_reason(error)):
            raise
        _lose(batch, entry.key)
        return True
    if part.chunks == entry.chunks:
        batch.facts["again"] += 1
    else:
        _lose(batch, entry.key)
    return True


def _lose(batch: Batch, what: str) -> None:
    batch.facts["lost"] += 1
    batch.facts["named"] = [*batch.facts["named"], what][:NAMED]


def _words(facts: dict[str, Any]) -> str:
    """Say what was damaged; empty if nothing was."""
    again, lost, named = facts["again"], facts["lost"], ", ".join(facts["named"])
    first = f"Damaged in the store, and taken again from the bucket: {counted(again, 'file')}." if again else ""
    more = " and more" if lost > NAMED else ""
    return " ".join(filter(None, [first, f"Damaged, and can't be taken again: {named}{more}." if lost else ""]))
