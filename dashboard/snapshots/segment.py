"""Take one segment of a snapshot: its next objects, most of them unchanged, the others read side by side."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import msgspec

from dashboard.catalog import walk
from dashboard.catalog.lookup import bucket_of
from dashboard.interfaces.errors import InterfaceError, NotFound
from dashboard.jobs.batch import is_ambiguous, is_retryable
from dashboard.snapshots.manifest import Entry, Manifest
from dashboard.snapshots.objects import LeftOut, Part, Reader
from dashboard.snapshots.ranges import is_same
from dashboard.snapshots.store import CHUNK_MAX_BYTES, Damaged, Missing
from dashboard.tokens.actor import stop_reason
from dashboard.web.failures.problems import said
from dashboard.web.process.parallel import CONCURRENCY, map_bounded

AT_ONCE = 2 * CONCURRENCY
# An object fails after so many answers that broke off, each at another time.
MOST_TRIES = 3
GONE = "The service doesn't find it any more, or your token may not read it."


class Progress(msgspec.Struct):
    """What is done of a segment, kept in the store while the job goes on: entries by key, and the start of a large object.

    `gone`: keys that were deleted since the bucket was listed. `tries`: by key.
    """

    entries: dict[str, Entry] = {}
    gone: list[str] = []
    tries: dict[str, int] = {}
    part: Part | None = None
    grown: int = 0


@dataclass(frozen=True, slots=True)
class Taker:
    """Takes the objects of a segment. `sees_all`: what the token doesn't find doesn't exist."""

    reader: Reader
    previous: Manifest
    sees_all: bool

    def unchanged(self, row: walk.Entry) -> Entry | None:
        """Return the entry of the last snapshot if key, size, ETag and time show that the object is the same.

        What a damaged segment had is taken anew.
        """
        try:
            old = self.previous.get(row.key)
        except (Missing, Damaged):
            return None
        return old if old and is_same(row, old) else None

    def take(self, rows: Iterable[walk.Entry], progress: Progress, is_due: Callable[[], bool]) -> bool:
        """Take the rows that are not done yet, until it `is_due` to pause, but at least some. Return whether all are done.

        Raises retryable errors, after which the job tries again, those that end a job, and `StoreError`; `progress` is kept.
        """
        large: list[walk.Entry] = []
        small: list[walk.Entry] = []
        for row in rows:
            if row.key in progress.entries or row.key in progress.gone:
                continue
            if old := self.unchanged(row):
                progress.entries[row.key] = old
            else:
                (small if row.size is not None and row.size <= CHUNK_MAX_BYTES else large).append(row)
        worked = False
        for at in range(0, len(small), AT_ONCE):
            if worked and is_due():
                return False
            worked = True
            some = small[at : at + AT_ONCE]
            results = map_bounded(lambda row: _attempt(lambda: self.reader.read(row)), some)
            # All that was read is kept before one of them raises.
            errors = [error for row, result in zip(some, results, strict=True) if (error := self._keep(row, result, progress))]
            if errors:
                raise errors[0]
        for row in large:
            if (worked and is_due()) or not self._take_large(row, progress, is_due):
                return False
            worked = True
        return True

    def _take_large(self, row: walk.Entry, progress: Progress, is_due: Callable[[], bool]) -> bool:
        """Read one large object, or go on with it. Without an ETag it can't be continued, so it is read in one go."""
        result = _attempt(lambda: self._continue(row, progress, is_due))
        if result is None:
            return False
        if error := self._keep(row, result, progress):
            raise error
        progress.part = None
        return True

    def _continue(self, row: walk.Entry, progress: Progress, is_due: Callable[[], bool]) -> tuple[Entry, int] | None:
        last = progress.part if progress.part and progress.part.key == row.key else Part(key=row.key)
        for part in self.reader.parts(row, last):
            progress.part = last = part
            if not part.sha256 and part.etag and is_due():
                return None
        entry = self.reader.entry(row, last)
        return (entry, last.grown) if entry else self.reader.read(row)

    def _keep(self, row: walk.Entry, result: "Result", progress: Progress) -> InterfaceError | None:
        """Record what became of an object; return the error if the job has to pause or end for it."""
        match result:
            case (entry, grown):
                progress.entries[row.key] = entry
                progress.grown += grown
            case LeftOut():
                progress.entries[row.key] = _left_out(row, str(result))
            case NotFound() if self.sees_all:
                progress.gone.append(row.key)
            case NotFound():
                progress.entries[row.key] = _left_out(row, GONE)
            case InterfaceError() if stop_reason(result) or (
                is_retryable(result) and not self._is_to_blame(row, result, progress)
            ):
                return result
            case InterfaceError():
                progress.entries[row.key] = _left_out(row, said(result))
        return None

    def _is_to_blame(self, row: walk.Entry, error: InterfaceError, progress: Progress) -> bool:
        """Whether an object, and not its service, broke off its reading again and again (S4)."""
        if not is_ambiguous(error):
            return False
        try:
            bucket_of(self.reader.storage, self.reader.bucket)
        except InterfaceError:
            return False
        progress.tries[row.key] = progress.tries.get(row.key, 0) + 1
        return progress.tries[row.key] >= MOST_TRIES


Result = tuple[Entry, int] | InterfaceError | LeftOut | None


def _attempt(read: Callable[[], tuple[Entry, int] | None]) -> Result:
    try:
        return read()
    except (InterfaceError, LeftOut) as error:
        return error


def _left_out(row: walk.Entry, why: str) -> Entry:
    return Entry(
        key=row.key, size=row.size, etag=row.etag, type=row.mimetype, created=row.created_at, updated=row.updated_at, left_out=why
    )
