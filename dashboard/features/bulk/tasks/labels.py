"""Change type and Cache-Control: copy objects onto themselves (S12), or S18 and S10 if the service ignores the values."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from dashboard.catalog import contents, items, writes
from dashboard.catalog.items import Effects, key_of
from dashboard.catalog.selection import Selection
from dashboard.features.bulk.rules import Labels
from dashboard.interfaces import ObjectStream, StorageInterface
from dashboard.interfaces.errors import Conflict, NotFound
from dashboard.interfaces.storage.records import ObjectInfo
from dashboard.jobs.batch import Batch, ItemOutcome
from dashboard.jobs.models import ItemState, JobItem
from dashboard.tokens.sight import sees_all
from dashboard.tokens.workspace import Workspace
from dashboard.web.process import liveness
from dashboard.web.text import counted

AT_ONCE = 100
CONCURRENCY = 4
# Addresses of services that refuse or ignore new values in a copy, remembered per process.
_REWRITTEN: Final[set[str]] = set()
AGAIN = ItemOutcome(ItemState.WAITING, untried=True)
GONE = ItemOutcome(ItemState.SKIPPED, "It no longer exists.")
HIDDEN = ItemOutcome(ItemState.FAILED, "Not changed: it no longer exists, or your token can't see it.")
UNVERIFIED = ItemOutcome(ItemState.FAILED, "The new values can't be verified: your token doesn't see the object.")
SAME = ItemOutcome(ItemState.SKIPPED, "It has these values already.")
CHANGED = ItemOutcome(ItemState.FAILED, "Not changed: the object was replaced in the meantime.")
UNTOLD = ItemOutcome(ItemState.FAILED, "Not changed: the service does not report the object's type, length or ETag.")
IGNORED = ItemOutcome(ItemState.FAILED, "The service did not take the new values.")
LOST = "Changed. Metadata that the uploader had set was lost."


class Body:
    """The bytes of an object (S18) as the body of S10."""

    def __init__(self, stream: ObjectStream, length: int) -> None:
        self._blocks = iter(stream)
        self._length = length
        self._rest = b""

    def __len__(self) -> int:
        return self._length

    def read(self, size: int = -1, /) -> bytes:
        if not self._rest:
            self._rest = next(self._blocks, b"")
            liveness.note()
        taken = self._rest if size < 0 else self._rest[:size]
        self._rest = self._rest[len(taken) :]
        return taken


@dataclass(frozen=True, slots=True)
class Executor:
    """Changes single objects, in threads without the database."""

    storage: StorageInterface
    bucket: str
    labels: Labels
    sees_all: bool

    def run(self, row: JobItem) -> ItemOutcome | None:
        """Change one object: S19, then S12, or S18 and S10; then verify with S19."""
        before = self._info(key_of(row))
        if before is None:
            return self._gone
        kind, caching = self.labels.content_type or before.content_type, self.labels.cache_control or before.cache_control
        if not kind or not caching:
            return UNTOLD
        if (kind, caching) == (before.content_type, before.cache_control):
            return SAME
        change = self._rewrite if self.storage.address in _REWRITTEN else self._relabel
        return change(row, before, Labels(kind, caching))

    def settle(self, row: JobItem) -> ItemOutcome | None:
        """Settle an item in flight (S19): the new values prove success; the old ones prove nothing."""
        there = self._info(key_of(row))
        if there is None:
            return self._gone
        return None if self.labels.are_of(there) else ItemOutcome(ItemState.WAITING)

    @property
    def _gone(self) -> ItemOutcome:
        return GONE if self.sees_all else HIDDEN

    def _relabel(self, row: JobItem, before: ObjectInfo, wanted: Labels) -> ItemOutcome | None:
        try:
            self.storage.objects.relabel(
                self.bucket,
                key_of(row),
                content_type=wanted.content_type,
                cache_control=wanted.cache_control,
                metadata=before.metadata,
            )
        except Conflict:
            _REWRITTEN.add(self.storage.address)
            return AGAIN
        there = self._info(key_of(row))
        if there and not wanted.are_of(there) and Labels.of(there) == Labels.of(before):
            _REWRITTEN.add(self.storage.address)
            return AGAIN
        return _outcome(before, there, wanted)

    def _rewrite(self, row: JobItem, before: ObjectInfo, wanted: Labels) -> ItemOutcome | None:
        """Write the bytes of the version that S19 described back with the new values, unless the object has changed since."""
        with self.storage.objects.read(self.bucket, key_of(row)) as stream:
            etag = stream.headers.get("etag")
            if stream.length is None or not etag:
                return UNTOLD
            now = self._info(key_of(row))
            if now is None or not etag == before.etag == now.etag:
                return CHANGED
            self.storage.objects.replace(
                self.bucket,
                key_of(row),
                Body(stream, stream.length),
                content_type=wanted.content_type,
                cache_control=wanted.cache_control,
                metadata=before.metadata,
            )
        return _outcome(before, self._info(key_of(row)), wanted)

    def _info(self, key: str) -> ObjectInfo | None:
        try:
            return self.storage.objects.info(self.bucket, key)
        except NotFound:
            return None


def plan(workspace: Workspace, batch: Batch) -> None:
    """Add every selected object as an item (S13)."""
    selection = Selection.from_parameters(batch.parameters["selection"])
    for block in contents.read(workspace, batch, selection):
        entries = [entry for entry in block.entries if not entry.is_marker]
        batch.add(items.item(entry) for entry in entries)
        contents.tally(batch.facts, entries)
        batch.advance(block.cursor, seen=len(block.entries))


def run(workspace: Workspace, batch: Batch) -> None:
    """Change the items (S12, or S18 and S10), with one journal entry per batch."""
    executor = _executor(workspace, batch)
    selection = Selection.from_parameters(batch.parameters["selection"])
    _effects(workspace, batch, executor, selection)
    items.wait_for_emptying(workspace, batch, selection.space, selection.bucket)
    going = items.hold_keys(workspace, batch, selection.space, selection.bucket)
    keys = [key_of(row) for row in going]
    operation = "S10" if executor.storage.address in _REWRITTEN else "S12"
    target = f"{counted(len(keys), 'object')} in {selection.bucket}"
    with workspace.record(operation, target=target, place=selection.space, before={"keys": keys}) as change:
        change.after = executor.labels.as_parameters()
        try:
            batch.for_each(executor.run, concurrency=CONCURRENCY, entry=change.entry)
        finally:
            batch.save()
            items.release_keys(batch, selection.space, selection.bucket)


def settle(workspace: Workspace, batch: Batch) -> None:
    """Settle items in flight (S19)."""
    executor = _executor(workspace, batch)
    selection = Selection.from_parameters(batch.parameters["selection"])
    _effects(workspace, batch, executor, selection)
    try:
        batch.for_each(executor.settle, concurrency=CONCURRENCY)
    finally:
        batch.save()
        items.release_keys(batch, selection.space, selection.bucket)


def _outcome(before: ObjectInfo, there: ObjectInfo | None, wanted: Labels) -> ItemOutcome | None:
    if there is None:
        return UNVERIFIED
    if not wanted.are_of(there):
        return IGNORED
    return ItemOutcome(ItemState.DONE, LOST) if before.metadata and there.metadata != before.metadata else None


def _executor(workspace: Workspace, batch: Batch) -> Executor:
    selection = batch.parameters["selection"]
    space, bucket = selection["space"], selection["bucket"]
    labels = Labels.from_parameters(batch.parameters)
    return Executor(workspace.storage(space), bucket, labels, sees_all(workspace, space))


def _effects(workspace: Workspace, batch: Batch, executor: Executor, selection: Selection) -> None:
    """Update the index, which stores types."""
    kind = executor.labels.content_type

    def effect(rows: Sequence[tuple[JobItem, ItemOutcome]]) -> None:
        for row, _ in rows if kind else ():
            writes.stored(workspace, selection.space, selection.bucket, key_of(row), size=row.size, mimetype=kind)

    Effects(batch, effect)
