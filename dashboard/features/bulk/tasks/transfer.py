"""Move, copy and rename: transfer planned objects in batches, settle them, and verify them by reading back."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from threading import Event
from typing import Any

from dashboard.catalog import items, writes
from dashboard.catalog.items import Effects, is_marker, key_of
from dashboard.catalog.keys import by_folder, folder_of
from dashboard.catalog.lookup import Facts, absent, alike, facts_of, is_empty, sees
from dashboard.features.bulk.rules import Transfer
from dashboard.features.bulk.tasks.transfer_plan import IGNORES_DESTINATION
from dashboard.interfaces import StorageInterface
from dashboard.interfaces.errors import Conflict, Effect, InterfaceError
from dashboard.jobs.batch import Batch, ItemOutcome, Stop
from dashboard.jobs.models import ItemState, JobItem
from dashboard.jobs.plans import BOTH, REPLACE, SKIP, STOP, UNKEPT
from dashboard.links import follow, holders
from dashboard.snapshots import replacements
from dashboard.tokens.workspace import Workspace
from dashboard.web.text import counted

AT_ONCE = 200
CONCURRENCY = 8
VERIFIED_AT_ONCE = 2000
MISSING = "Reported as done, but missing at the destination."
NOT_BEGUN = ItemOutcome(ItemState.WAITING, untried=True)
NOT_DONE = ItemOutcome(ItemState.WAITING)
LEFT = ItemOutcome(ItemState.SKIPPED, "Skipped: another object exists there.")
ITSELF = ItemOutcome(ItemState.SKIPPED, "Skipped: source and destination are the same.")
NEW = ItemOutcome(ItemState.FAILED, "Not transferred: an object was stored there after planning.")
NO_NAME = ItemOutcome(ItemState.FAILED, "No free name was found.")
OLDER = ItemOutcome(
    ItemState.FAILED,
    "This version of the storage service can't replace objects by copying. Delete the existing one first.",
)
UNLIKE = ItemOutcome(ItemState.FAILED, "The copy could not be verified, so the original was kept.")
STAYED = ItemOutcome(
    ItemState.FAILED, "It was copied, but the service did not delete the original: your token may not be allowed to."
)
ELSEWHERE = ItemOutcome(ItemState.FAILED, "The copy went to the wrong place. The original was kept.")
LOST = ItemOutcome(ItemState.FAILED, "Missing at both source and destination.")
HIDDEN = ItemOutcome(
    ItemState.FAILED, "Your token sees it neither at the source nor at the destination, so the outcome is unknown."
)


@dataclass(frozen=True, slots=True)
class Executor:
    """Transfers single objects, in threads without the database. `halt` stops further ones, `reasons` say why.

    `sees(bucket, folder)`: whether objects that the token doesn't find there are missing.
    """

    storage: StorageInterface
    wanted: Transfer
    policy: str
    halt: Event
    reasons: list[str]
    sees: Callable[[str, str], bool]

    def destination(self, row: JobItem) -> str:
        """Return the destination key: if both objects are kept, the free name beside the existing one."""
        return str(row.parameters["beside" if row.conflict and self.policy == BOTH else "to"])

    def replaces(self, row: JobItem) -> bool:
        return bool(row.conflict) and self.policy in {REPLACE, UNKEPT}

    def run(self, row: JobItem) -> ItemOutcome | None:
        """Transfer one item: S11, S12, S8 and S19."""
        if self.halt.is_set():
            return NOT_BEGUN
        if refused := self.refusal(row):
            return refused
        key, to = key_of(row), self.destination(row)
        if is_marker(row) and row.parameters.get("there"):
            return self._delete_source(key)
        replacing = self.replaces(row)
        if self.wanted.is_across or self.wanted.verb == "copy" or replacing:
            # An earlier try may already have made the copy.
            is_copied = row.tries > 1 and not replacing and self._is_copied(key, to)
            return self._delete_source(key) if is_copied else self._copy(key, to, replacing=replacing)
        try:
            self.storage.objects.move(self.wanted.source, key, to)
        except Conflict:
            return self._on_conflict(to)
        return None

    def settle(self, row: JobItem) -> ItemOutcome | None:
        """Settle an item in flight: S19 of source and destination."""
        if self.refusal(row):
            return NOT_DONE
        key, to = key_of(row), self.destination(row)
        there = facts_of(self.storage, self.wanted.bucket, to)
        here = facts_of(self.storage, self.wanted.source, key)
        planned = Facts(row.size, row.parameters.get("etag"))
        if self.wanted.verb == "move":
            if here is not None:
                return NOT_DONE
            if there is not None or is_marker(row):
                return None
            return LOST if self._is_seen(self.wanted.source, key) and self._is_seen(self.wanted.bucket, to) else HIDDEN
        return None if alike(there, planned) and not self.replaces(row) else NOT_DONE

    def refusal(self, row: JobItem) -> ItemOutcome | None:
        """Return the outcome if the plan has already determined it."""
        if problem := row.parameters.get("problem"):
            return ItemOutcome(ItemState.FAILED, str(problem))
        if not row.conflict:
            return None
        itself = not self.wanted.is_across and row.parameters["to"] == key_of(row)
        if self.policy == SKIP:
            return LEFT
        if self.replaces(row) and itself:
            return ITSELF
        return NO_NAME if self.policy == BOTH and not row.parameters.get("beside") else None

    def _copy(self, key: str, to: str, *, replacing: bool) -> ItemOutcome | None:
        other = self.wanted.bucket
        try:
            arrived = self.storage.objects.copy(self.wanted.source, key, to, destination_bucket=other, upsert=replacing)
        except Conflict:
            there = facts_of(self.storage, other, to)
            if there is None and self.wanted.is_across and self._is_seen(other, to):
                return self._halt()
            # An interrupted copy of ours, or the same bytes: either way the copy exists.
            if replacing or not alike(there, facts_of(self.storage, self.wanted.source, key)):
                return OLDER if replacing else self._on_conflict(to)
        except InterfaceError as lost:
            # An existing copy needs no answer. A replaced object may look as before.
            if lost.effect is not Effect.UNKNOWN or replacing or not self._is_copied(key, to):
                raise
        else:
            if arrived != f"{other}/{to}":
                return self._misplaced(arrived, key, to)
        return self._delete_if_copied(key, to) if self.wanted.verb == "move" else None

    def _delete_if_copied(self, key: str, to: str) -> ItemOutcome | None:
        """Delete the original once its copy is verified."""
        return self._delete_source(key) if self._is_copied(key, to) else UNLIKE

    def _is_copied(self, key: str, to: str) -> bool:
        there = facts_of(self.storage, self.wanted.bucket, to)
        return alike(there, facts_of(self.storage, self.wanted.source, key))

    def _delete_source(self, key: str) -> ItemOutcome | None:
        if self.wanted.verb == "copy":
            return None
        if self.storage.objects.delete_many(self.wanted.source, [key]):
            return None
        is_gone = facts_of(self.storage, self.wanted.source, key) is None and self._is_seen(self.wanted.source, key)
        return None if is_gone else STAYED

    def _is_seen(self, bucket: str, key: str) -> bool:
        return self.sees(bucket, folder_of(key))

    def _misplaced(self, arrived: str, key: str, to: str) -> ItemOutcome:
        """The copy landed in the source bucket: delete it and stop."""
        if arrived != f"{self.wanted.source}/{to}":
            return ELSEWHERE
        if to != key:
            self.storage.objects.delete_many(self.wanted.source, [to])
        return self._halt()

    def _halt(self) -> ItemOutcome:
        self.reasons.append(IGNORES_DESTINATION)
        self.halt.set()
        return NOT_BEGUN

    def _on_conflict(self, to: str) -> ItemOutcome:
        if self.policy == SKIP:
            return LEFT
        if self.policy != STOP:
            return NEW
        self.reasons.append(f"Stopped at the first conflict: “{to}” exists. What was done before stays done.")
        self.halt.set()
        return NOT_BEGUN


def run(workspace: Workspace, batch: Batch) -> None:
    """Transfer the items (S11, or S12 and S8), with one journal entry per batch."""
    wanted = Transfer.from_parameters(batch.parameters)
    executor = _executor(workspace, batch, wanted)
    effects = _effects(workspace, batch, wanted, executor)
    items.wait_for_emptying(workspace, batch, wanted.space, wanted.source, wanted.bucket)
    going = items.hold_keys(workspace, batch, wanted.space, wanted.bucket, executor.destination)
    pairs = [[key_of(row), executor.destination(row)] for row in going]
    operation = "S11" if wanted.verb == "move" and not wanted.is_across else "S12"
    to = f"{wanted.bucket}/{wanted.to}" if wanted.is_across else wanted.to or "the root"
    target = wanted.renamed or f"{counted(len(pairs), 'object')} of {wanted.source} to {to}"
    with workspace.record(operation, target=target, place=wanted.space, before={"pairs": pairs}) as change:
        try:
            keeps = executor.policy == REPLACE and bool(batch.facts.get("days"))
            kept = [row for row in batch.open_items() if keeps and executor.replaces(row) and not executor.refusal(row)]
            rows = {executor.destination(row): row for row in kept}
            with replacements.keeping(workspace, batch, wanted.space, wanted.bucket, rows):
                batch.for_each(executor.run, concurrency=CONCURRENCY, entry=change.entry)
        finally:
            batch.save()
            items.release_keys(batch, wanted.space, wanted.bucket, executor.destination)
            change.after = _after(effects, pairs)
    if executor.reasons:
        raise Stop(executor.reasons[0])


def settle(workspace: Workspace, batch: Batch) -> None:
    """Settle items in flight (S19)."""
    wanted = Transfer.from_parameters(batch.parameters)
    executor = _executor(workspace, batch, wanted)
    _effects(workspace, batch, wanted, executor)
    try:
        batch.for_each(executor.settle, concurrency=CONCURRENCY)
    finally:
        batch.save()
        items.release_keys(batch, wanted.space, wanted.bucket, executor.destination)


def verify(workspace: Workspace, batch: Batch) -> None:
    """Verify the transfers: S13 for the destination folders; S19 for keys that are not listed."""
    wanted = Transfer.from_parameters(batch.parameters)
    executor = _executor(workspace, batch, wanted)
    rows = batch.done_after(int(batch.cursor.get("after", 0)), VERIFIED_AT_ONCE)
    look = partial(absent, executor.storage, wanted.bucket)
    missing: set[str] = set().union(*batch.map(lambda pair: look(*pair), by_folder(map(executor.destination, rows)).items()))
    # The token may be allowed to add objects there, but not to see them.
    blind = {folder for folder in set(map(folder_of, missing)) if not executor.sees(wanted.bucket, folder)}
    missing = {key for key in missing if folder_of(key) not in blind}
    batch.correct({row.number: MISSING for row in rows if executor.destination(row) in missing})
    if len(rows) == VERIFIED_AT_ONCE:
        batch.advance({"after": rows[-1].number}, seen=len(rows))
        return
    if wanted.verb == "move" and not missing and batch.job.items.exclude(state=ItemState.DONE).count() == 0:
        # Records that name a folder follow only once everything in it was moved.
        holders.carry(workspace, wanted.folder_move)
    if wanted.verb == "move":
        follow.folders_lost(workspace, wanted.space, wanted.source, partial(is_empty, executor.storage, wanted.source))
    batch.advance(None, seen=len(rows))


def _executor(workspace: Workspace, batch: Batch, wanted: Transfer) -> Executor:
    policy = str(batch.parameters.get("policy") or STOP)
    return Executor(workspace.storage(wanted.space), wanted, policy, Event(), [], partial(sees, workspace, wanted.space))


def _effects(workspace: Workspace, batch: Batch, wanted: Transfer, executor: Executor) -> Effects:
    """Update the catalog and share links."""

    def effect(rows: Sequence[tuple[JobItem, ItemOutcome]]) -> None:
        pairs = {key_of(row): executor.destination(row) for row, _ in rows}
        sizes = {key_of(row): row.size for row, _ in rows}
        copies = wanted.verb != "move"
        writes.transferred(
            workspace, wanted.space, wanted.source, pairs, destination_bucket=wanted.bucket, sizes=sizes, copies=copies
        )
        if not copies:
            follow.carry(wanted.space, wanted.source, pairs, destination_bucket=wanted.bucket)

    return Effects(batch, effect)


def _after(effects: Effects, pairs: list[list[str]]) -> dict[str, Any]:
    done = {key_of(row) for row, _ in effects.done}
    return {"done": len(done), "not done": [source for source, _ in pairs if source not in done]}
