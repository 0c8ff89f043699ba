"""Read a share of what a bucket's snapshots hold, and take what is damaged or missing again from the bucket: a job.

The name of a segment says in which share it is, so a part that stays the same is read once in `SHARES` times.
"""

from collections.abc import Iterator
from dataclasses import replace
from time import monotonic
from typing import Any

from dashboard.catalog import walk
from dashboard.interfaces.errors import InterfaceError
from dashboard.jobs.batch import Batch, Stop, is_retryable
from dashboard.jobs.models import Job
from dashboard.jobs.transitions import start
from dashboard.snapshots.capture import hold, in_store, release, require_own, store
from dashboard.snapshots.collect import Marks
from dashboard.snapshots.manifest import Entry, Manifest, place_of, read_head, read_heads, unpack
from dashboard.snapshots.objects import LeftOut, Reader
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


def begin(workspace: Workspace, space: str, bucket: str, *, share: int, back: str) -> Job:
    """Start reading one of `SHARES` shares of the snapshots that this token took."""
    require_own(workspace, space)
    token = workspace.fingerprint(Kind.STORAGE, space)
    return start(
        workspace,
        CHECK,
        title=f"Check snapshots of {bucket}",
        place=space,
        back=back,
        parameters={"space": space, "bucket": bucket, "token": token, "share": share},
        cursor={},
    )


def step(workspace: Workspace, batch: Batch) -> None:
    """Read for a few seconds. At the end, fail the job if something was damaged, so that its owner is told."""
    with in_store(workspace, batch):
        hold(workspace, batch)
        if not batch.cursor:
            batch.facts = {"again": 0, "lost": 0, "named": []}
            batch.advance({"heads": _heads(batch), "segment": 0, "entry": 0, "read": []})
        elif batch.cursor["heads"]:
            _read_on(workspace, batch)
        elif words := _words(batch.facts):
            raise Stop(words)
        else:
            release(batch)
            batch.advance(None)


def _heads(batch: Batch) -> list[str]:
    place = place_of(batch.parameters["space"], batch.parameters["bucket"])
    return [head.path for head in read_heads(store(), place)[::-1] if head.token == batch.parameters["token"]]


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

    def keep(**position: Any) -> None:
        batch.advance({**cursor, "read": read.save(), **position}, seen=seen)

    for segment, number, entry in _share(batch, path, read):
        if (segment, number) < (cursor["segment"], cursor["entry"]):
            continue
        try:
            _check(workspace, batch, entry)
        except InterfaceError:
            keep(segment=segment, entry=number)
            raise
        seen += 1
        if monotonic() > until or batch.stopping:
            keep(segment=segment, entry=number + 1)
            return
    keep(heads=others, segment=0, entry=0)


def _share(batch: Batch, path: str, read: Marks) -> Iterator[tuple[int, int, Entry]]:
    """Yield the objects of a snapshot's share with their places, from the cursor's segment on, if that was not read yet."""
    ident = path.rpartition("/")[2].removesuffix(".json")
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


def _check(workspace: Workspace, batch: Batch, entry: Entry) -> None:
    """Read the chunks of an object. If one is damaged or missing, read the object again, if it is still the same."""
    bad = [name for name in entry.chunks if not _is_whole(name)]
    if not bad:
        return
    # It was kept when it was taken, so no limit applies now.
    mended = replace(store(), overwrites=True)
    reader = Reader(workspace.storage(batch.parameters["space"]), batch.parameters["bucket"], mended, 0)
    try:
        found, _ = reader.read(walk.Entry(entry.key, entry.size, entry.type, entry.etag, entry.created, entry.updated))
    except (InterfaceError, LeftOut) as error:
        if isinstance(error, InterfaceError) and (is_retryable(error) or stop_reason(error)):
            raise
        _lose(batch, entry.key)
        return
    if found.chunks == entry.chunks:
        batch.facts["again"] += 1
    else:
        _lose(batch, entry.key)


def _is_whole(name: str) -> bool:
    liveness.note()
    try:
        store().chunk(name)
    except (Missing, Damaged):
        return False
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
