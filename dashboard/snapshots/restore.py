"""Restore objects of a snapshot as planned: a job that uploads them with all that was known of them, and verifies them."""

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from hashlib import md5
from itertools import filterfalse
from threading import BoundedSemaphore

from django.core.exceptions import ValidationError

from dashboard.catalog import items, receipts, uploads, walk, writes
from dashboard.catalog.items import Effects, key_of
from dashboard.catalog.lookup import Facts, facts_of, md5_of
from dashboard.catalog.query import EVERYTHING
from dashboard.catalog.receipts import Receipt
from dashboard.catalog.selection import Selection
from dashboard.interfaces import StorageInterface
from dashboard.interfaces.errors import Conflict
from dashboard.jobs.batch import DELETES, Batch, ItemOutcome, Pause
from dashboard.jobs.models import Approval, ItemState, Job, JobItem
from dashboard.jobs.plans import REPLACE, UNKEPT
from dashboard.jobs.transitions import start
from dashboard.snapshots import deletions, replacements, trash
from dashboard.snapshots.body import Body
from dashboard.snapshots.capture import in_store, store
from dashboard.snapshots.collect import RESTORE
from dashboard.snapshots.export import content
from dashboard.snapshots.manifest import Entry, Head, Manifest
from dashboard.snapshots.restore_plan import Restoration, head_of, is_deletion, vouched
from dashboard.snapshots.sight import require_sight
from dashboard.snapshots.store import Damaged, Missing, StoreError
from dashboard.tokens.models import Kind
from dashboard.tokens.workspace import Workspace
from dashboard.web.process import liveness
from dashboard.web.process.parallel import side_by_side
from dashboard.web.text import counted, exact

AT_ONCE = 200
VERIFIED_AT_ONCE = 2000
# An upload is at least so fast, so that leases of its key last.
SLOWEST = 256 << 10
# Larger objects are read two at a time, as each holds two chunks in memory.
LARGE_BYTES = 1 << 20
CLOCKS_APART_SECONDS = 60
AGAIN = ItemOutcome(ItemState.WAITING, untried=True)
NOT_DONE = ItemOutcome(ItemState.WAITING)
LEFT = ItemOutcome(ItemState.SKIPPED, "Left: another object exists.")
TAKEN = ItemOutcome(ItemState.FAILED, "Not restored: an object was stored there after planning.")
CHANGED = ItemOutcome(ItemState.FAILED, "Not restored: the object was changed or deleted after planning.")
INCOMPLETE = "Not deleted: something could not be restored. Try that again first."
NEWER = "Not deleted: the object was changed after planning."
LAST = "Nothing is deleted before everything is restored."
ONLY_IN_PLACE = "Files can be deleted only where the snapshot was taken. Nothing was planned."
UNTOLD = ItemOutcome(ItemState.UNKNOWN, "The service doesn't show whether it was stored.")
WRONG = {
    "missing": "Reported as stored, but it is missing.",
    "size": "Reported as stored, but it has another size.",
    "content": "Reported as stored, but it has other contents.",
}


def begin(
    workspace: Workspace,
    head: Head,
    selection: Selection,
    *,
    to_space: str,
    to_bucket: str,
    deletes: bool = False,
    back: str,
    approval: Approval = Approval.REQUIRED,
) -> Job:
    """Plan the restoration of what is selected of a snapshot. Its owner has to approve it, unless `approval` says otherwise.

    `deletes`: and the deletion of what was stored there after the snapshot, where `vouched` allows it. Raises as `require_sight`,
    `Stopped` for a grant that may not upload there, and `ValidationError` where nothing may be deleted.
    """
    require_sight(workspace, head.space)
    workspace.require(Kind.STORAGE, to_space)
    workspace.require_act(Kind.STORAGE, to_space, "upload")
    token = workspace.fingerprint(Kind.STORAGE, head.space)
    folder = vouched(workspace, head, selection) if deletes and (to_space, to_bucket) == (head.space, head.bucket) else None
    if deletes and folder is None:
        raise ValidationError(ONLY_IN_PLACE)
    wanted = Restoration(
        selection=selection, snapshot=head.id, token=token, to_space=to_space, to_bucket=to_bucket, deletes=folder
    )
    return start(
        workspace,
        RESTORE,
        title=_title(wanted, head),
        place=to_space,
        back=back,
        parameters=wanted.as_parameters(),
        approval=approval,
    )


def _title(wanted: Restoration, head: Head) -> str:
    if head.is_trash and wanted.selection.filter == EVERYTHING:
        return f"Restore what was {head.verb} in {head.bucket} at {exact(head.begun)}"
    later = "" if wanted.deletes is None else ", and delete what came later"
    return f"Restore {wanted.what} of {head.of} as of {exact(head.begun)}{later}"


def undo(workspace: Workspace, head: Head, *, back: str) -> Job:
    """Restore what a deletion kept to where it was. Needs approval only if something else is there now."""
    everything = Selection(head.space, head.bucket, filter=EVERYTHING)
    return begin(
        workspace, head, everything, to_space=head.space, to_bucket=head.bucket, back=back, approval=Approval.ON_CONFLICT
    )


@dataclass(frozen=True, slots=True)
class Executor:
    """Restores single objects, in threads without the database. `away` says why the store can't be read any more."""

    workspace: Workspace
    wanted: Restoration
    storage: StorageInterface
    manifest: Manifest
    policy: str
    away: list[str] = field(default_factory=list)
    large: BoundedSemaphore = field(default_factory=lambda: BoundedSemaphore(2))

    def replaces(self, row: JobItem) -> bool:
        return bool(row.conflict) and "problem" not in row.parameters and self.policy in {REPLACE, UNKEPT}

    def unsent(self, row: JobItem) -> ItemOutcome | None:
        """Return the outcome of an item that the plan doesn't send; None for others."""
        if problem := row.parameters.get("problem"):
            return ItemOutcome(ItemState.FAILED, str(problem))
        if row.conflict and not self.replaces(row):
            return LEFT
        return None

    def run(self, row: JobItem) -> ItemOutcome | None:
        """Restore one object: S9, or S19 and S10 over another one."""
        if self.away:
            return AGAIN
        try:
            with self.large if (row.size or 0) > LARGE_BYTES else nullcontext():
                return self._restore(row, self._entry(row))
        except (Damaged, Missing) as error:
            return ItemOutcome(ItemState.FAILED, f"Not restored. {error}")
        except StoreError as error:
            self.away.append(str(error))
            return AGAIN

    def settle(self, row: JobItem) -> ItemOutcome | None:
        """Settle an item in flight (S19): by its MD5, or its size and time. What replaces the same bytes is sent again."""
        if self.unsent(row) or (self.replaces(row) and row.parameters["there"] == row.parameters["etag"]):
            return NOT_DONE
        try:
            is_stored = self._is_stored(row, self._entry(row))
        except StoreError:
            return NOT_DONE
        if is_stored is None:
            return UNTOLD
        return None if is_stored else NOT_DONE

    def _restore(self, row: JobItem, entry: Entry) -> ItemOutcome | None:
        bucket, objects = self.wanted.to_bucket, self.storage.objects
        if self.replaces(row):
            now = facts_of(self.storage, bucket, entry.key)
            if now is None or now.etag != row.parameters["there"]:
                return None if self._is_same(now, entry) else CHANGED
        send = objects.replace if self.replaces(row) else objects.upload
        try:
            send(
                bucket,
                entry.key,
                Body(store(), entry),
                content_type=entry.type or uploads.UNKNOWN_TYPE,
                cache_control=entry.cache_control,
                metadata=entry.metadata,
            )
        except Conflict:
            return None if self._is_same(facts_of(self.storage, bucket, entry.key), entry) else TAKEN
        return None

    def _entry(self, row: JobItem) -> Entry:
        entry = self.manifest.get(key_of(row))
        if entry is None:
            raise Missing("The snapshot doesn't hold it.")
        return entry

    def _is_same(self, now: Facts | None, entry: Entry) -> bool:
        """Whether the MD5 proves that the object is there, maybe by an earlier try of ours."""
        return now is not None and md5_of(now.etag) == _md5(entry)

    def _is_stored(self, row: JobItem, entry: Entry) -> bool | None:
        """Whether an upload without an answer was carried out; None if that can't be told."""
        begun = row.started_at.timestamp() if row.started_at else 0.0
        since, until = begun - CLOCKS_APART_SECONDS, begun + receipts.LONGEST_UPLOAD_SECONDS
        sent = Receipt(entry.key, entry.size or 0, _md5(entry), since, until)
        wanted = receipts.wanted(self.wanted.to_bucket, sent, "", replaces=self.replaces(row))
        return receipts.is_stored(receipts.read_back(self.workspace, self.wanted.to_space, wanted), wanted)


def run(workspace: Workspace, batch: Batch) -> None:
    """Restore the items: new ones (S9), then those that replace others (S10), with an entry of the journal for each.

    What is replaced is kept first, if the plan says so. What is deleted (S8) comes last.
    """
    with in_store(workspace, batch):
        wanted = Restoration.from_parameters(batch.parameters)
        _effects(workspace, batch, wanted)
        items.wait_for_emptying(workspace, batch, wanted.to_space, wanted.to_bucket)
        seconds = items.LEASE_SECONDS + sum(row.size or 0 for row in batch.items) / SLOWEST
        going = items.hold_keys(workspace, batch, wanted.to_space, wanted.to_bucket, seconds=seconds)
        try:
            executor = _executor(workspace, batch, wanted)
            for row in filterfalse(is_deletion, going):
                if outcome := executor.unsent(row):
                    batch.record(row, outcome)
            _send(workspace, batch, executor, "S9", [row for row in _to_write(batch) if not executor.replaces(row)])
            keeps = executor.policy == REPLACE and bool(batch.facts.get("days"))
            kept = {key_of(row): row for row in going if keeps and executor.replaces(row)}
            with replacements.keeping(workspace, batch, wanted.to_space, wanted.to_bucket, kept):
                _send(workspace, batch, executor, "S10", [row for row in _to_write(batch) if executor.replaces(row)])
            deleted = [row for row in going if is_deletion(row)]
            if deleted and not executor.away:
                _delete(workspace, batch, wanted, deleted)
        finally:
            for row in batch.open_items():
                if row.check_until is None:
                    batch.requeue(row)
            batch.save()
            items.release_keys(batch, wanted.to_space, wanted.to_bucket)
        if executor.away:
            raise Pause(30.0, f"The store of snapshots can't be used. {executor.away[0]}")


def settle(workspace: Workspace, batch: Batch) -> None:
    """Settle items in flight (S19, and S13 for what is deleted)."""
    with in_store(workspace, batch):
        wanted = Restoration.from_parameters(batch.parameters)
        _effects(workspace, batch, wanted)
        try:
            deleted = list(filter(is_deletion, batch.items))
            deletions.settle_items(workspace, batch, wanted.to_space, wanted.to_bucket, deleted)
            batch.for_each(_executor(workspace, batch, wanted).settle)
        finally:
            batch.save()
            items.release_keys(batch, wanted.to_space, wanted.to_bucket)


def verify(workspace: Workspace, batch: Batch) -> None:
    """Read back what was restored and deleted: S13 for many objects of a folder, else S19."""
    wanted = Restoration.from_parameters(batch.parameters)
    rows = batch.done_after(int(batch.cursor.get("after", 0)), VERIFIED_AT_ONCE)
    written, deleted = list(filterfalse(is_deletion, rows)), list(filter(is_deletion, rows))
    sent = [Receipt(key_of(row), row.size or 0, md5_of(row.parameters.get("etag"))) for row in written]
    start = batch.cursor.get("reached", {})
    checked = receipts.check(workspace, wanted.to_space, wanted.to_bucket, sent, start=start, parallel=side_by_side)
    batch.correct({row.number: WRONG[said] for row in written if (said := checked.verdicts[key_of(row)]) in WRONG})
    batch.correct(deletions.still_there(workspace, batch, wanted.to_space, wanted.to_bucket, deleted))
    more = len(rows) == VERIFIED_AT_ONCE
    if not more and wanted.deletes is not None:
        deletions.end_links(workspace, wanted.to_space, wanted.to_bucket)
    batch.advance({"after": rows[-1].number, "reached": checked.reached} if more else None, seen=len(rows))


def _send(workspace: Workspace, batch: Batch, executor: Executor, operation: str, rows: Sequence[JobItem]) -> None:
    if not rows:
        return
    wanted = executor.wanted
    target = f"{counted(len(rows), 'object')} of a snapshot to {wanted.to_bucket}"
    keys = [key_of(row) for row in rows]
    with workspace.record(operation, target=target, place=wanted.to_space, before={"keys": keys}) as change:
        change.after = {"snapshot": wanted.snapshot, "from": wanted.selection.bucket}
        try:
            batch.for_each(executor.run, items=rows, entry=change.entry)
        finally:
            batch.save()
            done = set(batch.job.items.filter(pk__in=[row.pk for row in rows], state=ItemState.DONE).values_list("pk", flat=True))
            left = [key_of(row) for row in rows if row.pk not in done]
            change.after = {**change.after, "done": len(done), "not done": left}


def _to_write(batch: Batch) -> list[JobItem]:
    return list(filterfalse(is_deletion, batch.open_items()))


def _delete(workspace: Workspace, batch: Batch, wanted: Restoration, rows: Sequence[JobItem]) -> None:
    """Delete what is there as planned, kept first, once all is restored; nothing if an object unexpectedly was not."""
    batch.save()
    space, bucket, writes = wanted.to_space, wanted.to_bucket, batch.job.items.exclude(parameters__has_key=DELETES)
    if writes.filter(state__in=(ItemState.WAITING, ItemState.IN_FLIGHT)).exists():
        for row in rows:
            # It counts as a try, so that what is restored is claimed first.
            batch.record(row, NOT_DONE)
        batch.advance(None)
        raise Pause(items.HELD_SECONDS, LAST)
    failed = writes.filter(state__in=(ItemState.FAILED, ItemState.UNKNOWN)).exclude(parameters__has_key="problem").exists()
    there = {} if failed else trash.listed(workspace, space, bucket, map(key_of, rows))
    going = list[JobItem]()
    for row in rows:
        now = there.get(key_of(row))
        if failed:
            batch.failed(row, INCOMPLETE)
        elif now and deletions.version_of(now) != row.parameters[DELETES]:
            batch.failed(row, NEWER)
        else:
            going.append(row)
    keeps = bool(batch.facts.get("days"))
    deletions.delete_items(workspace, batch, space, bucket, going, keeps=keeps, there=there)


def _executor(workspace: Workspace, batch: Batch, wanted: Restoration) -> Executor:
    manifest = Manifest(store(), head_of(wanted).lists)
    storage = workspace.storage(wanted.to_space)
    return Executor(workspace, wanted, storage, manifest, str(batch.parameters.get("policy", "")))


def _effects(workspace: Workspace, batch: Batch, wanted: Restoration) -> None:
    """Update the index, and the links of what is deleted."""

    def effect(rows: Sequence[tuple[JobItem, ItemOutcome]]) -> None:
        written = [row for row, _ in rows if not is_deletion(row)]
        came = [walk.Entry(key_of(row), size=row.size, mimetype=row.parameters["type"]) for row in written]
        writes.all_stored(workspace, wanted.to_space, wanted.to_bucket, came)
        if gone := [(row, outcome) for row, outcome in rows if is_deletion(row)]:
            deletions.record(wanted.to_space, wanted.to_bucket, gone)

    Effects(batch, effect)


def _md5(entry: Entry) -> str:
    """Return the MD5 of an object of the snapshot, whose chunks are read."""
    digest = md5(usedforsecurity=False)
    for block in content(store(), entry):
        digest.update(block)
        liveness.note()
    return digest.hexdigest()
