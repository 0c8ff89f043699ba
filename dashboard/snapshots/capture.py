"""Take a snapshot of a bucket: a job that lists it, compares the list with the last snapshot, and reads what has changed.

The bucket is listed by the crawl of its index, so a snapshot also makes it searchable. The cursor is in the job's row; what is
done of the current segment is a chunk in the store, written before the cursor names it. So a worker that is killed at any point
loses a few seconds of work, also inside a large file. The head is written last.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from time import monotonic
from typing import Any

import msgspec
from django.conf import settings
from django.http import Http404

from dashboard.catalog import crawl, leases, queries
from dashboard.catalog.walk import Entry
from dashboard.jobs.batch import Batch, Pause, Stop
from dashboard.jobs.models import ENDED, Job, State
from dashboard.jobs.transitions import start
from dashboard.snapshots.manifest import (
    LIST_SEGMENTS,
    SEGMENT_MAX_ENTRIES,
    Head,
    Manifest,
    Segment,
    ends_segment,
    pack,
    place_of,
    read_head,
    read_heads,
    unpack,
    write_head,
)
from dashboard.snapshots.objects import Reader
from dashboard.snapshots.segment import Progress, Taker
from dashboard.snapshots.store import FREE_MIN_BYTES, NONE, Foreign, Store, StoreError, opened
from dashboard.tokens.models import Kind
from dashboard.tokens.sight import sees_all
from dashboard.tokens.workspace import Workspace
from dashboard.vault.lookup import digest
from dashboard.web.failures.cards import Stopped
from dashboard.web.failures.local_problems import forbidden
from dashboard.web.process import liveness
from dashboard.web.text import bytes_text, counted

TAKE = "take snapshot"
STEP_SECONDS = 3.0
COMPARED_AT_ONCE = 1000
LEASE_SECONDS = 120.0
# Longer than a call to the store may take, with all its tries: for what nothing may come between.
CALL_SECONDS = 600.0
# The lease of the store is a row beside those of keys; no space has this name.
STORE_LEASE = ("~snapshots", "store", ("",))
REPLACED = "The token was replaced, and the new one may see other objects. Start again."
BUSY = "Another job is using the store of snapshots."
GRANTEE = "Only a person with a token of their own can use snapshots. Nothing was changed."


def is_on() -> bool:
    """Whether there is a store."""
    return bool(settings.SNAPSHOT_URL != NONE)


def is_open(workspace: Workspace, space: str) -> bool:
    """Whether the person may see snapshots of a space: there is a store, and a token of their own."""
    return is_on() and not workspace.grant_at(Kind.STORAGE, space)


def store() -> Store:
    """Return the store. Raises `StoreError`."""
    return opened(settings.SNAPSHOT_URL)


def require_own(workspace: Workspace, space: str) -> None:
    """Raise `Http404` without a store, and `Stopped` for a person who reaches the space through a grant.

    Snapshots belong to the token that took them.
    """
    if not is_on():
        raise Http404("Snapshots are not set up here.")
    workspace.require(Kind.STORAGE, space)
    if workspace.grant_at(Kind.STORAGE, space):
        raise Stopped(forbidden(GRANTEE))


def begin(workspace: Workspace, space: str, bucket: str, *, back: str) -> Job:
    """Start taking a snapshot, or return the job that does already."""
    require_own(workspace, space)
    last = last_job(workspace, space, bucket)
    if last and last.state not in ENDED:
        return last
    token = workspace.fingerprint(Kind.STORAGE, space)
    return start(
        workspace,
        TAKE,
        title=f"Take a snapshot of {bucket}",
        place=space,
        back=back,
        parameters={"space": space, "bucket": bucket, "token": token},
        cursor={"phase": "list"},
    )


def last_job(workspace: Workspace, space: str, bucket: str) -> Job | None:
    """Return the last job that took a snapshot of the bucket with this token."""
    token = workspace.fingerprint(Kind.STORAGE, space)
    by_token = Job.objects.filter(kind=TAKE, place=space, parameters__bucket=bucket, parameters__token=token)
    return by_token.order_by("pk").last()


def step(workspace: Workspace, batch: Batch) -> None:
    """Advance by cursor: list, compare, take, finish."""
    with in_store(workspace, batch):
        _STEPS[batch.cursor["phase"]](workspace, batch)


@contextmanager
def in_store(workspace: Workspace, batch: Batch) -> Iterator[None]:
    """Run a step of a job that uses the store with one token. Gives the store free unless the job pauses."""
    try:
        _require_same(workspace, batch)
        yield
    except Pause:
        raise
    except StoreError as error:
        if not isinstance(error, Foreign):
            raise Pause(30.0, f"The store of snapshots can't be used. {error}") from error
        release(batch)
        raise Stop(str(error)) from error
    except BaseException:
        release(batch)
        raise


def _require_same(workspace: Workspace, batch: Batch) -> None:
    """Raise `Stop` without a store, or with another token than the job began with."""
    space, token = batch.parameters["space"], batch.parameters["token"]
    if not is_on():
        raise Stop("SNAPSHOT_URL is not set any more.")
    if workspace.grant_at(Kind.STORAGE, space) or workspace.fingerprint(Kind.STORAGE, space) != token:
        raise Stop(REPLACED)


def hold(workspace: Workspace, batch: Batch, *, seconds: float = LEASE_SECONDS) -> None:
    """Hold the store for this job: one at a time, so that limits hold and nothing that it needs is removed."""
    if leases.claim(workspace, *STORE_LEASE, job=batch.job.pk, seconds=seconds):
        # Waiting counts as progress, not as a failure.
        batch.advance(batch.cursor)
        raise Pause(5.0, BUSY)


def release(batch: Batch) -> None:
    """Give the store free."""
    leases.release(*STORE_LEASE, job=batch.job.pk)


def claim() -> None:
    """Mark the store as this installation's. Raises `Foreign`."""
    store().claim(msgspec.json.encode({"installation": digest("snapshot store", "")}))


def _list(workspace: Workspace, batch: Batch) -> None:
    """Wait for a crawl of the bucket that began after this job."""
    space, bucket = batch.parameters["space"], batch.parameters["bucket"]
    cursor = dict(batch.cursor)
    known = queries.state(workspace, space, bucket)
    job = Job.objects.filter(pk=cursor.get("crawl") or 0).first()
    is_listed = known is not None and known.complete and not known.crawling and known.as_of >= batch.job.created_at
    if is_listed or (job and job.state == State.DONE and cursor["own"]):
        batch.advance({"phase": "compare"})
        return
    if job and job.state in ENDED and job.state != State.DONE:
        raise Stop(f"The bucket could not be listed. {job.message}".strip())
    if job is None or job.state in ENDED:
        begun = crawl.begin(workspace, space, bucket)
        cursor |= {"crawl": begun.job.pk, "own": not begun.joined}
    batch.advance(cursor)
    raise Pause(1.0, f"Listing the bucket: {job.done if job else 0:,} objects so far.")


def _compare(workspace: Workspace, batch: Batch) -> None:
    """Add up what has changed since the last snapshot, then check the limits, before anything is written."""
    space, bucket = batch.parameters["space"], batch.parameters["bucket"]
    if not _is_as_compared(workspace, batch):
        return
    reading, after, until = _taker(workspace, batch), batch.cursor["after"], monotonic() + STEP_SECONDS
    while rows := queries.everything(workspace, space, bucket, after=after, limit=COMPARED_AT_ONCE):
        for row in rows:
            size = 0 if reading.unchanged(row) or reading.reader.is_too_large(row.size) else row.size or 0
            batch.facts["to read"] = batch.facts.get("to read", 0) + size
        after = rows[-1].key
        liveness.note()
        if monotonic() > until or batch.stopping:
            batch.advance({**batch.cursor, "after": after})
            return
    require_room(batch.facts.get("to read", 0))
    claim()
    batch.facts |= {"objects": 0, "bytes": 0, "grown": 0, "left out": 0}
    batch.advance({**batch.cursor, "phase": "take", "after": "", "partial": "", "lists": [], "segments": []})


def _take(workspace: Workspace, batch: Batch) -> None:
    """Take segment after segment, for a few seconds."""
    space, bucket = batch.parameters["space"], batch.parameters["bucket"]
    if not _is_as_compared(workspace, batch):
        return
    reading, until = _taker(workspace, batch), monotonic() + STEP_SECONDS

    def is_due() -> bool:
        return monotonic() > until or batch.stopping

    while True:
        rows = _segment(queries.everything(workspace, space, bucket, after=batch.cursor["after"], limit=SEGMENT_MAX_ENTRIES))
        if not rows:
            _close_list(batch, at_least=1)
            batch.advance({**batch.cursor, "phase": "finish"})
            return
        progress = _partial(batch.cursor["partial"])
        try:
            is_whole = reading.take(rows, progress, is_due)
        except BaseException:
            _keep_partial(batch, progress)
            raise
        if not is_whole:
            _keep_partial(batch, progress)
            return
        _close_segment(batch, rows, progress)
        if is_due():
            return


def _finish(workspace: Workspace, batch: Batch) -> None:
    """Write the head, and give the store free."""
    space, bucket = batch.parameters["space"], batch.parameters["bucket"]
    if not _is_as_compared(workspace, batch):
        return
    hold(workspace, batch, seconds=CALL_SECONDS)
    known, facts = queries.state(workspace, space, bucket), batch.facts
    begun = batch.job.created_at.astimezone(UTC)
    head = Head(
        id=f"{begun:%Y%m%dT%H%M%SZ}-{batch.job.pk}",
        space=space,
        bucket=bucket,
        token=batch.parameters["token"],
        begun=begun,
        ended=datetime.now(UTC),
        objects=facts["objects"],
        bytes=facts["bytes"],
        new_bytes=facts["grown"],
        left_out=facts["left out"],
        unlisted=known.left_out if known else 0,
        lists=batch.cursor["lists"],
    )
    write_head(store(), head)
    if _not_kept(head) > (_not_kept(read_head(store(), base)) if (base := batch.cursor["base"]) else 0):
        facts["remark"] = f"{counted(_not_kept(head), 'file')} left out"
    release(batch)
    batch.advance(None)


_STEPS: dict[str, Callable[[Workspace, Batch], None]] = {
    "list": _list,
    "compare": _compare,
    "take": _take,
    "finish": _finish,
}


def _is_as_compared(workspace: Workspace, batch: Batch) -> bool:
    """Hold the store. Whether nothing was removed from it since the comparison began; if so, begin that anew.

    What the job has put there may be gone. What is still there isn't stored again.
    """
    hold(workspace, batch)
    generation = store().generation()
    if batch.cursor.get("generation") == generation:
        return True
    base = last(batch.parameters["space"], batch.parameters["bucket"], batch.parameters["token"])
    batch.facts = {}
    batch.advance({"phase": "compare", "after": "", "base": base, "generation": generation})
    return False


def _not_kept(head: Head) -> int:
    return head.left_out + head.unlisted


def taker(workspace: Workspace, space: str, bucket: str, base: str) -> Taker:
    """Return what takes objects of a bucket, except those that are unchanged since the snapshot `base` (a path, or empty)."""
    reader = Reader(workspace.storage(space), bucket, store(), settings.SNAPSHOT_MAX_FILE_BYTES)
    return Taker(reader, Manifest(store(), read_head(store(), base).lists if base else []), sees_all(workspace, space))


def _taker(workspace: Workspace, batch: Batch) -> Taker:
    return taker(workspace, batch.parameters["space"], batch.parameters["bucket"], batch.cursor["base"])


def last(space: str, bucket: str, token: str) -> str:
    """Return the path of the last snapshot of the bucket by this token, but of no deletion; empty if there is none."""
    heads = reversed(read_heads(store(), place_of(space, bucket)))
    return next((head.path for head in heads if head.token == token and not head.is_trash), "")


def require_room(size: int) -> None:
    """Raise `Stop`, or `StoreError`, unless so many bytes fit."""
    limit, free = settings.SNAPSHOT_MAX_BYTES, store().free()
    if free is not None and free - size < FREE_MIN_BYTES:
        least = bytes_text(FREE_MIN_BYTES)
        raise Stop(f"The disk has {bytes_text(free)} left, of which {least} stay free. The snapshot needs {bytes_text(size)}.")
    if limit and (used := store().used(liveness.note)) + size > limit:
        all_of = f"Snapshots take {bytes_text(used)} of at most {bytes_text(limit)} (SNAPSHOT_MAX_BYTES)."
        raise Stop(f"{all_of} This one needs up to {bytes_text(size)} more.")


def _segment(rows: list[Entry]) -> list[Entry]:
    """Return the rows of the next segment."""
    for number, row in enumerate(rows, start=1):
        if ends_segment(row.key, number):
            return rows[:number]
    return rows


def _partial(name: str) -> Progress:
    return unpack(store().chunk(name), Progress)[0] if name else Progress()


def _keep_partial(batch: Batch, progress: Progress) -> None:
    name, _ = store().add(pack([progress]))
    batch.advance({**batch.cursor, "partial": name})


def _close_segment(batch: Batch, rows: list[Entry], progress: Progress) -> None:
    entries = [progress.entries[row.key] for row in rows if row.key in progress.entries]
    left_out = sum(bool(entry.left_out) for entry in entries)
    cursor: dict[str, Any] = {**batch.cursor, "after": rows[-1].key, "partial": ""}
    grown = progress.grown
    if entries:
        chunk, more = store().add(pack(entries))
        segment = Segment(entries[0].key, chunk, len(entries), left_out)
        cursor["segments"] = [*cursor["segments"], msgspec.to_builtins(segment)]
        grown += more
    kept = [entry for entry in entries if not entry.left_out]
    added = {"objects": len(kept), "bytes": sum(entry.size or 0 for entry in kept), "grown": grown, "left out": left_out}
    batch.facts |= {name: batch.facts[name] + number for name, number in added.items()}
    batch.advance(cursor, seen=len(rows))
    _close_list(batch, at_least=LIST_SEGMENTS)


def _close_list(batch: Batch, *, at_least: int) -> None:
    """Write the segments so far as a list of the manifest, if there are enough."""
    segments = msgspec.convert(batch.cursor["segments"], list[Segment])
    if len(segments) >= at_least:
        name, grown = store().add(pack(segments))
        batch.facts["grown"] += grown
        batch.advance({**batch.cursor, "lists": [*batch.cursor["lists"], name], "segments": []})
