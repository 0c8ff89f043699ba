"""Compare a bucket with its last snapshot, range by range: from the first key of one segment to that of the next."""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from hashlib import blake2b

import msgspec

from dashboard.catalog import walk
from dashboard.catalog.keys import following
from dashboard.catalog.queries import beyond
from dashboard.snapshots.manifest import Entry, Segment
from dashboard.snapshots.store import Store
from dashboard.web.process.parallel import CONCURRENCY, map_bounded

READ_AT_ONCE = 1000
READ_AHEAD = 2 * CONCURRENCY


def is_same(row: walk.Entry, old: Entry) -> bool:
    """Whether key, size, ETag and time show that the object is the same, and the snapshot has its bytes."""
    is_kept = bool(row.etag and row.updated_at) and not old.left_out
    return is_kept and (old.key, old.size, old.etag, old.updated) == (row.key, row.size, row.etag, row.updated_at)


def listed(rows: Sequence[walk.Entry], entries: Sequence[Entry]) -> str:
    """Return the digest of the rows of a segment, by which the next snapshot knows them; empty if an entry is not the same."""
    return digest_of(rows) if len(rows) == len(entries) and all(map(is_same, rows, entries)) else ""


def digest_of(rows: Sequence[walk.Entry]) -> str:
    return blake2b(msgspec.json.encode(rows), digest_size=16).hexdigest()


class Ranges:
    """The ranges of a snapshot, by number; together they cover all keys. Without a snapshot there is one, without a segment.

    `folder`: only what is below it is compared; the snapshot may hold more.
    `changed`: runs of ranges that hold something else now, as pairs of the first number and the one after the last.
    """

    def __init__(
        self, store: Store, segments: Sequence[Segment], changed: Iterable[tuple[int, int]] = (), folder: str = ""
    ) -> None:
        self.changed = list(changed)
        self._last = beyond(folder)
        self._stops = {number: stop for start, stop in self.changed for number in range(start, stop)}
        self._store, self._segments = store, segments
        self._whole: dict[int, bool] = {}
        self._starts = ["", *(segment.first for segment in self._segments[1:])]

    def at(self, first: str) -> int:
        """Return the number of the range with this key."""
        return bisect_right(self._starts, first) - 1

    def is_start(self, first: str) -> bool:
        """Whether the range with this key has nothing before it."""
        number = self.at(first)
        return self._starts[number] == first or (number == 0 and bool(self._segments) and first <= self._segments[0].first)

    def end(self, number: int) -> str:
        """Return the first key of the next range, or of a changed one that of the range after the run; "" after the folder."""
        stop = self._stops.get(number, number + 1)
        return self._starts[stop] if stop < len(self._starts) and self._starts[stop] < self._last else ""

    def change(self, number: int) -> None:
        """Note that the range holds something else now, after those before it."""
        start, stop = self.changed[-1] if self.changed else (number, number)
        if number <= stop:
            self.changed[-1:] = [(start, number + 1)]
        else:
            self.changed.append((number, number + 1))

    def kept(self, first: str) -> Segment | None:
        """Return the segment of a range that starts with this key and holds the same as before."""
        number = self.at(first)
        is_whole = number < len(self._segments) and number not in self._stops and self.is_start(first)
        return self._segments[number] if is_whole else None

    def is_whole(self, number: int) -> bool:
        """Whether the segment of a range can be read. Reads some of the following ones, too, side by side."""
        if number not in self._whole:
            ahead = range(number, min(number + READ_AHEAD, len(self._segments)))
            read = map_bounded(lambda at: self._store.holds(self._segments[at].chunk), ahead)
            self._whole = dict(zip(ahead, read, strict=True))
        return self._whole[number]


def everything(read: Callable[[str, str, int], list[walk.Entry]], first: str, end: str) -> Iterator[walk.Entry]:
    """Yield the rows of `queries.reader` from one key up to another."""
    while rows := read(first, end, READ_AT_ONCE):
        yield from rows
        first = following(rows[-1].key)
