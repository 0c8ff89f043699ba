"""One object carried from here to there, by the operations that a service offers. For threads: nothing here asks the database."""

from dataclasses import dataclass
from threading import Event

from dashboard.catalog.lookup import Facts, alike, facts_of
from dashboard.features.bulk.rules.targets import Transfer
from dashboard.features.bulk.tasks.items import is_marker, key_of
from dashboard.features.bulk.tasks.probe import STAYS
from dashboard.interfaces import StorageInterface
from dashboard.interfaces.errors import Conflict, Effect, InterfaceError
from dashboard.jobs.batch import ItemOutcome
from dashboard.jobs.models import ItemState, JobItem
from dashboard.jobs.plans import BOTH, REPLACE, SKIP, STOP

NOT_BEGUN = ItemOutcome(ItemState.WAITING, untried=True)
NOT_DONE = ItemOutcome(ItemState.WAITING)
LEFT = ItemOutcome(ItemState.SKIPPED, "Another object is there already; it was left as it is.")
ITSELF = ItemOutcome(ItemState.SKIPPED, "It is the object itself.")
NEW = ItemOutcome(ItemState.FAILED, "An object was stored there since the plan was made; it was left as it is.")
NO_NAME = ItemOutcome(ItemState.FAILED, "No free name was found beside the object that is there.")
OLDER = ItemOutcome(
    ItemState.FAILED,
    "This storage service is an older one, which never replaces by moving or copying. Delete the other one first.",
)
UNLIKE = ItemOutcome(ItemState.FAILED, "The copy could not be confirmed to be the same, so the original was kept.")
STAYED = ItemOutcome(
    ItemState.FAILED, "It was copied, but the service did not delete the original: your token may not be allowed to."
)
ELSEWHERE = ItemOutcome(ItemState.FAILED, "The copy did not arrive where it should; the original was kept.")
LOST = ItemOutcome(ItemState.FAILED, "It is neither where it was nor where it should go.")


@dataclass(frozen=True, slots=True)
class Carrier:
    """What all objects of a job have in common. `halt` is set when nothing more may begin, `reason` tells why."""

    storage: StorageInterface
    wanted: Transfer
    policy: str
    halt: Event
    reasons: list[str]

    def place(self, row: JobItem) -> str:
        """The key it gets: the one beside, where both are kept."""
        return str(row.parameters["beside" if row.conflict and self.policy == BOTH else "to"])

    def carry(self, row: JobItem) -> ItemOutcome | None:
        """S11, S12, S8 and S19 for one item."""
        if self.halt.is_set():
            return NOT_BEGUN
        if refused := self._refusal(row):
            return refused
        key, to = key_of(row), self.place(row)
        if is_marker(row) and row.parameters.get("there"):
            return self._drop(key)
        replacing = bool(row.conflict) and self.policy == REPLACE
        if self.wanted.is_across or self.wanted.verb == "copy" or replacing:
            # An earlier try may have got as far as the copy.
            is_copied = row.tries > 1 and not replacing and self._is_copied(key, to)
            return self._drop(key) if is_copied else self._copy(key, to, replacing=replacing)
        try:
            self.storage.objects.move(self.wanted.source, key, to)
        except Conflict:
            return self._in_the_way(to)
        return None

    def settle(self, row: JobItem) -> ItemOutcome | None:
        """S19 here and there: what became of an item that was in flight."""
        if self._refusal(row):
            return NOT_DONE
        key, to = key_of(row), self.place(row)
        there = facts_of(self.storage, self.wanted.bucket, to)
        here = facts_of(self.storage, self.wanted.source, key)
        planned = Facts(row.size, row.parameters.get("etag"))
        if self.wanted.verb == "move":
            if here is None:
                return None if there is not None or is_marker(row) else LOST
            return NOT_DONE
        return None if alike(there, planned) and not (row.conflict and self.policy == REPLACE) else NOT_DONE

    def _refusal(self, row: JobItem) -> ItemOutcome | None:
        """What the plan knew already."""
        if problem := row.parameters.get("problem"):
            return ItemOutcome(ItemState.FAILED, str(problem))
        if not row.conflict:
            return None
        itself = not self.wanted.is_across and row.parameters["to"] == key_of(row)
        if self.policy == SKIP:
            return LEFT
        if self.policy == REPLACE and itself:
            return ITSELF
        return NO_NAME if self.policy == BOTH and not row.parameters.get("beside") else None

    def _copy(self, key: str, to: str, *, replacing: bool) -> ItemOutcome | None:
        other = self.wanted.bucket
        try:
            arrived = self.storage.objects.copy(self.wanted.source, key, to, destination_bucket=other, upsert=replacing)
        except Conflict:
            there = facts_of(self.storage, other, to)
            if there is None and self.wanted.is_across:
                return self._stays()
            # A copy of ours that was cut off, or the very same bytes: either way it is there.
            if replacing or not alike(there, facts_of(self.storage, self.wanted.source, key)):
                return OLDER if replacing else self._in_the_way(to)
        except InterfaceError as lost:
            # Read back at once: a copy that is there needs no answer. What was replaced may look like it did before.
            if lost.effect is not Effect.UNKNOWN or replacing or not self._is_copied(key, to):
                raise
        else:
            if arrived != f"{other}/{to}":
                return self._astray(arrived, key, to)
        return self._leave(key, to) if self.wanted.verb == "move" else None

    def _leave(self, key: str, to: str) -> ItemOutcome | None:
        """The copy has to be there, and the same, before the original goes."""
        return self._drop(key) if self._is_copied(key, to) else UNLIKE

    def _is_copied(self, key: str, to: str) -> bool:
        there = facts_of(self.storage, self.wanted.bucket, to)
        return alike(there, facts_of(self.storage, self.wanted.source, key))

    def _drop(self, key: str) -> ItemOutcome | None:
        if self.wanted.verb == "copy":
            return None
        deleted = self.storage.objects.delete_many(self.wanted.source, [key])
        return None if deleted or facts_of(self.storage, self.wanted.source, key) is None else STAYED

    def _astray(self, arrived: str, key: str, to: str) -> ItemOutcome:
        """It went into the first bucket: take away what should not be there, and do no more of this."""
        if arrived != f"{self.wanted.source}/{to}":
            return ELSEWHERE
        if to != key:
            self.storage.objects.delete_many(self.wanted.source, [to])
        return self._stays()

    def _stays(self) -> ItemOutcome:
        self.reasons.append(STAYS)
        self.halt.set()
        return NOT_BEGUN

    def _in_the_way(self, to: str) -> ItemOutcome:
        if self.policy == SKIP:
            return LEFT
        if self.policy != STOP:
            return NEW
        self.reasons.append(f"Stopped at the first conflict: “{to}” is there already. What was done before stays done.")
        self.halt.set()
        return NOT_BEGUN
