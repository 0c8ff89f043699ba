"""Take a snapshot of a bucket or one of its folders: a job that lists it, compares the list with the last snapshot, and reads
what has changed.

The bucket is listed by the crawl of its index, so a snapshot also makes it searchable, all of it even for a folder. The cursor is
in the job's row; what is done of the current segment is a chunk in the store, written before the cursor names it. So a worker
that is killed at any point loses a few seconds of work, also inside a large file. The head is written last.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from time import monotonic
from typing import Any

import msgspec
from django.conf import settings
from django.http import Http404
from django.utils import timezone

from dashboard.catalog import crawl, leases, queries
from dashboard.catalog.keys import following, printable
from dashboard.catalog.walk import Entry
from dashboard.jobs.batch import Batch, Pause, Stop
from dashboard.jobs.models import ENDED, Job, State
from dashboard.jobs.transitions import start
from dashboard.snapshots.manifest import (
    LIST_SEGMENTS,
    Head,
    Manifest,
    Segment,
    folder_in,
    id_of_job,
    last_taken,
    named,
    pack,
    parted,
    place_of,
    read_head,
    unpack,
    write_head,
)
from dashboard.snapshots.objects import Rate, Reader
from dashboard.snapshots.ranges import READ_AT_ONCE, Ranges, digest_of, everything, listed
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
JOBS_READ = 100
LEASE_SECONDS = 120.0
# Longer than a call to the store may take, with all its tries: for what nothing may come between.
CALL_SECONDS = 600.0
# The lease of the store is a row beside those of keys; no space has this name.
STORE_LEASE = ("~snapshots", "store", ("",))
REPLACED = "The token was replaced, and the new one may see other objects. Start again."
BUSY = "Another job is using the store of snapshots."
NOTHING_IN = "No snapshot is taken: there is nothing in {}, or your token doesn't see it."
GRANTEE = "Only a person with a token of their own can take, schedule and delete snapshots. Nothing was changed."


def is_on() -> bool:
    """Whether there is a store."""
    return bool(settings.SNAPSHOT_URL != NONE)


def manages(workspace: Workspace, space: str) -> bool:
    """Whether the person may take and delete snapshots of a space: there is a store, and they use a token of their own."""
    return is_on() and not workspace.grant_at(Kind.STORAGE, space)


def store() -> Store:
    """Return the store. Raises `StoreError`."""
    return opened(settings.SNAPSHOT_URL)


def require_store() -> None:
    """Raise `Http404` without a store."""
    if not is_on():
        raise Http404("Snapshots are not set up here.")


def require_own(workspace: Workspace, space: str) -> None:
    """Raise `Http404` without a store, and `Stopped` for a person who reaches the space through a grant."""
    require_store()
    workspace.require(Kind.STORAGE, space)
    if workspace.grant_at(Kind.STORAGE, space):
        raise Stopped(forbidden(GRANTEE))


def begin(workspace: Workspace, space: str, bucket: str, folder: str = "", *, back: str) -> Job:
    """Start taking a snapshot, or return the job that already does. `folder` ends in a slash; "" is the whole bucket."""
    require_own(workspace, space)
    last = last_jobs(workspace, space, bucket).get(folder)
    if last and last.state not in ENDED:
        return last
    token = workspace.fingerprint(Kind.STORAGE, space)
    return start(
        workspace,
        TAKE,
        title=f"Take a snapshot of {named(bucket, folder)}",
        place=space,
        back=back,
        parameters={"space": space, "bucket": bucket, "folder": folder, "token": token},
        cursor={"phase": "list"},
    )


def last_jobs(workspace: Workspace, space: str, bucket: str) -> dict[str, Job]:
    """Return, by folder, the last job that took a snapshot of the bucket with this token, among the latest 100 jobs."""
    token = workspace.fingerprint(Kind.STORAGE, space)
    by_token = Job.objects.filter(kind=TAKE, place=space, parameters__bucket=bucket, parameters__token=token)
    return {folder_in(job.parameters): job for job in by_token.order_by("-pk")[:JOBS_READ][::-1]}


def step(workspace: Workspace, batch: Batch) -> None:
    """Advance by cursor: list, compare, take, finish."""
    with in_store(workspace, batch):
        _STEPS[batch.cursor["phase"]](workspace, batch)


@contextmanager
def in_store(workspace: Workspace, batch: Batch) -> Iterator[None]:
    """Run a step of a job that uses the store with one token. Releases the store unless the job pauses."""
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
    """Raise `Stop` without a store, or with another token than the job began with, if it needs one.

    A grant whose scope was changed counts as another one.
    """
    if not is_on():
        raise Stop("SNAPSHOT_URL is not set any more.")
    if "token" not in batch.parameters:
        return
    space, token = batch.parameters["space"], batch.parameters["token"]
    if workspace.fingerprint(Kind.STORAGE, space) != token:
        raise Stop(REPLACED)


def hold(workspace: Workspace, batch: Batch, *, seconds: float = LEASE_SECONDS) -> None:
    """Hold the store for this job: one at a time, so that limits hold and nothing that it needs is removed."""
    if leases.claim(workspace, *STORE_LEASE, job=batch.job.pk, seconds=seconds):
        # Waiting counts as progress, not as a failure.
        batch.advance(batch.cursor)
        raise Pause(5.0, BUSY)


def release(batch: Batch) -> None:
    """Release the store."""
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
    # A small bucket is listed at once: wait a tenth longer than the crawl takes.
    taken = (timezone.now() - job.created_at).total_seconds() if job else 0.0
    raise Pause(min(max(taken / 10, 0.1), 1.0), f"Listing the bucket: {job.done if job else 0:,} objects so far.")


def _compare(workspace: Workspace, batch: Batch) -> None:
    """Add up what has changed since the last snapshot, then check the limits, before anything is written."""
    space, bucket = batch.parameters["space"], batch.parameters["bucket"]
    if not _is_as_compared(workspace, batch):
        return
    reading, until = _taker(workspace, batch), monotonic() + STEP_SECONDS
    ranges, read = _ranges(batch, reading), queries.reader(workspace, space, bucket, folder_in(batch.parameters))
    first = batch.cursor["first"]
    while first is not None:
        number = ranges.at(first)
        old = ranges.kept(first)
        rows = read(first, ranges.end(number), READ_AT_ONCE)
        if old and old.listed == digest_of(rows) and ranges.is_whole(number):
            batch.facts["objects"] += len(rows)
            batch.facts["bytes"] += sum(row.size or 0 for row in rows)
        else:
            ranges.change(number)
            kept_out = reading.reader.is_too_large
            batch.facts["to read"] += sum(row.size or 0 for row in rows if not reading.unchanged(row) and not kept_out(row.size))
        first = following(rows[-1].key) if len(rows) == READ_AT_ONCE else ranges.end(number) or None
        liveness.note()
        if first is not None and (monotonic() > until or batch.stopping):
            batch.advance({**batch.cursor, "first": first, "changed": ranges.changed})
            return
    require_room(batch.facts["to read"])
    claim()
    begun = {"phase": "take", "first": folder_in(batch.parameters), "partial": "", "lists": [], "segments": []}
    batch.advance({**batch.cursor, **begun, "changed": ranges.changed})


def _take(workspace: Workspace, batch: Batch) -> None:
    """Take segment after segment, for a few seconds."""
    space, bucket = batch.parameters["space"], batch.parameters["bucket"]
    if not _is_as_compared(workspace, batch):
        return
    reading, until = _taker(workspace, batch), monotonic() + STEP_SECONDS

    def is_due() -> bool:
        return monotonic() > until or batch.stopping

    ranges, read = _ranges(batch, reading), queries.reader(workspace, space, bucket, folder_in(batch.parameters))
    while (first := batch.cursor["first"]) is not None:
        if segment := ranges.kept(first):
            _keep_segment(batch, segment, ranges.end(ranges.at(first)))
            if is_due():
                return
            continue
        end = ranges.end(ranges.at(first))
        for rows in parted(everything(read, first, end)):
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
        batch.advance({**batch.cursor, "first": end or None})
    _close_list(batch, at_least=1)
    batch.advance({**batch.cursor, "phase": "finish"})


def _finish(workspace: Workspace, batch: Batch) -> None:
    """Write the head, and release the store."""
    space, bucket, folder = batch.parameters["space"], batch.parameters["bucket"], folder_in(batch.parameters)
    if not _is_as_compared(workspace, batch):
        return
    known, facts = queries.state(workspace, space, bucket), batch.facts
    if folder and not (facts["objects"] or facts["left out"]):
        raise Stop(NOTHING_IN.format(printable(folder)))
    hold(workspace, batch, seconds=CALL_SECONDS)
    begun = batch.job.created_at.astimezone(UTC)
    head = Head(
        id=id_of_job(begun, batch.job.pk),
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
        folder=folder,
    )
    before = last_taken(store(), place_of(space, bucket), head.token, lambda one: one.folder == head.folder and one.id != head.id)
    write_head(store(), head)
    if head.not_kept > (before.not_kept if before else 0):
        facts["remark"] = f"{counted(head.not_kept, 'file')} left out"
    release(batch)
    batch.advance(None)


_STEPS: dict[str, Callable[[Workspace, Batch], None]] = {
    "list": _list,
    "compare": _compare,
    "take": _take,
    "finish": _finish,
}


def _is_as_compared(workspace: Workspace, batch: Batch) -> bool:
    """Hold the store, and return whether nothing was removed from it since the comparison began.

    Otherwise begin the comparison anew: what the job put there may be gone. What is still there isn't stored again.
    """
    hold(workspace, batch)
    generation = store().generation()
    if batch.cursor.get("generation") == generation:
        return True
    folder = folder_in(batch.parameters)
    base = last(batch.parameters["space"], batch.parameters["bucket"], batch.parameters["token"], folder)
    batch.facts = {"to read": 0, "objects": 0, "bytes": 0, "grown": 0, "left out": 0}
    batch.advance({"phase": "compare", "first": folder, "changed": [], "base": base, "generation": generation})
    return False


def taker(workspace: Workspace, space: str, bucket: str, base: str, *, rate: int = 0) -> Taker:
    """Return a taker of objects of a bucket that have changed since the snapshot `base` (a path; "" takes all).

    `rate`: bytes a second to read at most; 0: no limit.
    """
    reader = Reader(workspace.storage(space), bucket, store(), settings.SNAPSHOT_MAX_FILE_BYTES, Rate(rate))
    return Taker(reader, Manifest(store(), read_head(store(), base).lists if base else []), sees_all(workspace, space))


def _taker(workspace: Workspace, batch: Batch) -> Taker:
    space, bucket, rate = batch.parameters["space"], batch.parameters["bucket"], settings.SNAPSHOT_MAX_RATE << 20
    return taker(workspace, space, bucket, batch.cursor["base"], rate=rate)


def _ranges(batch: Batch, reading: Taker) -> Ranges:
    return Ranges(store(), reading.previous.segments, batch.cursor["changed"], folder_in(batch.parameters))


def last(space: str, bucket: str, token: str, folder: str = "", *, most: int | None = None) -> str:
    """Return the path of the last snapshot by this token that covers the folder, leaving out deletions; "" if there is none.

    `most`: how many snapshots to read at most.
    """
    head = last_taken(store(), place_of(space, bucket), token, lambda one: folder.startswith(one.folder), most=most)
    return head.path if head else ""


def require_room(size: int) -> None:
    """Raise `Stop`, or `StoreError`, unless so many bytes fit."""
    limit, free, needed = settings.SNAPSHOT_MAX_BYTES, store().free(), bytes_text(size)
    if free is not None and free - size < FREE_MIN_BYTES:
        raise Stop(f"The disk has {bytes_text(free)} left, of which {bytes_text(FREE_MIN_BYTES)} stay free. Needed: {needed}.")
    if limit and (used := store().used(liveness.note, up_to=limit - size)) + size > limit:
        more = f", and up to {needed} more are needed" if size else ""
        all_of = f"{bytes_text(used)} of at most {bytes_text(limit)} (SNAPSHOT_MAX_BYTES){more}"
        raise Stop(f"Snapshots take {all_of}. Delete some, or raise the limit.")


def _partial(name: str) -> Progress:
    return unpack(store().chunk(name), Progress)[0] if name else Progress()


def _keep_partial(batch: Batch, progress: Progress) -> None:
    name, _ = store().add(pack([progress]))
    batch.advance({**batch.cursor, "partial": name})


def _keep_segment(batch: Batch, segment: Segment, end: str) -> None:
    """Keep a segment of the last snapshot, whose objects were counted when it was compared."""
    segments = [*batch.cursor["segments"], msgspec.to_builtins(segment)]
    batch.advance({**batch.cursor, "first": end or None, "segments": segments}, seen=segment.entries)
    _close_list(batch, at_least=LIST_SEGMENTS)


def _close_segment(batch: Batch, rows: list[Entry], progress: Progress) -> None:
    entries = [progress.entries[row.key] for row in rows if row.key in progress.entries]
    left_out = sum(bool(entry.left_out) for entry in entries)
    cursor: dict[str, Any] = {**batch.cursor, "first": following(rows[-1].key), "partial": ""}
    grown = progress.grown
    if entries:
        chunk, more = store().add(pack(entries), reads=True)
        segment = Segment(entries[0].key, chunk, len(entries), left_out, listed(rows, entries))
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
        name, grown = store().add(pack(segments), reads=True)
        batch.facts["grown"] += grown
        batch.advance({**batch.cursor, "lists": [*batch.cursor["lists"], name], "segments": []})
