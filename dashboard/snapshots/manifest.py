"""What a snapshot consists of: a head, lists of segments, segments of entries. Read and written in order of keys.

A segment ends after a key that its own checksum chooses, so that an unchanged part of a bucket gives the same chunk again.
"""

import gzip
import zlib
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from functools import lru_cache
from hashlib import sha256
from typing import Any, TypeVar

import msgspec

from dashboard.snapshots.store import HEADS, Damaged, Store

FORMAT = 1
SEGMENT_ENTRIES, SEGMENT_MAX_ENTRIES = 128, 512
LIST_SEGMENTS = 100
# The character after "/": no key in a folder is behind the folder's name with it.
AFTER_SLASH = "0"

S = TypeVar("S", bound=msgspec.Struct)


class Entry(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One object. `sha256` is that of all its bytes, `chunks` their names in order.

    `left_out` says why its bytes are not there. `updated` is the time that the bucket's list said, and empty if the object was
    read in another version than was listed.
    """

    key: str
    size: int | None = None
    etag: str | None = None
    type: str | None = None
    cache_control: str | None = None
    metadata: dict[str, Any] | None = None
    created: datetime | None = None
    updated: datetime | None = None
    sha256: str = ""
    chunks: list[str] = []
    left_out: str = ""


class Segment(msgspec.Struct, frozen=True):
    """A chunk with entries, from the key `first` on."""

    first: str
    chunk: str
    entries: int
    left_out: int = 0


class Head(msgspec.Struct, frozen=True, kw_only=True):
    """One whole snapshot: what a bucket looked like between two times, as one token saw it.

    `lists` are chunks with segments. `new_bytes` were not in the store before. `left_out` counts entries without their bytes,
    `unlisted` keys too long to be listed. Of what a deletion kept, `deleted_by` says who, and `names` the first keys.
    """

    id: str
    space: str
    bucket: str
    token: str
    begun: datetime
    ended: datetime
    objects: int
    bytes: int
    new_bytes: int
    left_out: int
    unlisted: int
    lists: list[str]
    deleted_by: str | None = None
    names: list[str] = []
    format: int = FORMAT

    @property
    def is_trash(self) -> bool:
        return self.deleted_by is not None

    @property
    def path(self) -> str:
        return head_path(self.space, self.bucket, self.id)


def head_path(space: str, bucket: str, ident: str) -> str:
    return f"{HEADS}{place_of(space, bucket)}/{ident}.json"


def place_of(space: str, bucket: str) -> str:
    """Return the folder of a bucket's heads: a digest, since a bucket's name may be no file name."""
    return sha256(f"{space}/{bucket}".encode()).hexdigest()[:32]


def read_heads(store: Store, place: str = "") -> list[Head]:
    """Return the snapshots of one place, or of all, oldest first."""
    return [read_head(store, path) for path in store.heads(place)]


def read_head(store: Store, path: str) -> Head:
    """Return one snapshot. Raises `Missing` and `Damaged`, also for a format that this version doesn't know."""
    try:
        head = msgspec.json.decode(store.read(path), type=Head)
    except msgspec.MsgspecError as error:
        raise Damaged("The head of a snapshot can't be read.") from error
    if head.format != FORMAT:
        raise Damaged("A newer version of Pilothouse wrote this snapshot.")
    return head


def write_head(store: Store, head: Head) -> None:
    """Write the head, last: with it the snapshot is there."""
    store.put(head.path, msgspec.json.encode(head))


def pack(records: Iterable[msgspec.Struct]) -> bytes:
    """Return records as gzip'ed JSON lines, the same bytes for the same records."""
    lines = b"".join(msgspec.json.encode(record) + b"\n" for record in records)
    return gzip.compress(lines, compresslevel=6, mtime=0)


def unpack(data: bytes, kind: type[S]) -> list[S]:
    """Return the records of a chunk. Raises `Damaged`."""
    try:
        return msgspec.json.Decoder(kind).decode_lines(gzip.decompress(data))
    except (OSError, EOFError, zlib.error, msgspec.MsgspecError) as error:
        raise Damaged("A chunk of a manifest can't be read.") from error


def ends_segment(key: str, entries: int) -> bool:
    """Whether a segment of so many entries ends with this key."""
    return zlib.crc32(key.encode(errors="surrogatepass")) % SEGMENT_ENTRIES == 0 or entries >= SEGMENT_MAX_ENTRIES


class Manifest:
    """The entries of a snapshot, by key. Holds the list of segments, and the last few segments that were read."""

    def __init__(self, store: Store, lists: Sequence[str]) -> None:
        self.segments = [segment for name in lists for segment in unpack(store.chunk(name), Segment)]
        self._firsts = [segment.first for segment in self.segments]
        self._store = store
        self._read = lru_cache(2)(self._by_key)

    def __iter__(self) -> Iterator[Entry]:
        for segment in self.segments:
            yield from unpack(self._store.chunk(segment.chunk), Entry)

    def get(self, key: str) -> Entry | None:
        """Return the entry of a key. Cheap in order of keys."""
        at = bisect_right(self._firsts, key)
        return self._read(self.segments[at - 1].chunk).get(key) if at else None

    def folder(self, path: str, after: str = "") -> Iterator[Entry | str]:
        """Yield the subfolders and objects of a folder after this one, in order of keys. Reads only segments of the folder."""
        key = max(path, f"{after[:-1]}{AFTER_SLASH}" if after.endswith("/") else f"{after}\0")
        while (entry := self._first_from(key)) and entry.key.startswith(path):
            name, slash, _ = entry.key[len(path) :].partition("/")
            if slash:
                yield f"{path}{name}/"
                key = f"{path}{name}{AFTER_SLASH}"
            else:
                yield entry
                key = f"{entry.key}\0"

    def between(self, first: str, end: str) -> Iterator[Entry]:
        """Yield the entries from one key up to another, without that; up to the last one if `end` is empty."""
        for at in range(max(0, bisect_right(self._firsts, first) - 1), len(self.segments)):
            if end and self.segments[at].first >= end:
                return
            for entry in unpack(self._store.chunk(self.segments[at].chunk), Entry):
                if entry.key >= first and (not end or entry.key < end):
                    yield entry

    def _first_from(self, key: str) -> Entry | None:
        """Return the first entry whose key is not before this one."""
        for segment in self.segments[max(0, bisect_right(self._firsts, key) - 1) :]:
            entries = self._read(segment.chunk)
            keys = list(entries)
            if (at := bisect_left(keys, key)) < len(keys):
                return entries[keys[at]]
        return None

    def left_out(self) -> Iterator[Entry]:
        """Yield the entries without their bytes."""
        for segment in self.segments:
            if segment.left_out:
                yield from (entry for entry in unpack(self._store.chunk(segment.chunk), Entry) if entry.left_out)

    def _by_key(self, chunk: str) -> dict[str, Entry]:
        return {entry.key: entry for entry in unpack(self._store.chunk(chunk), Entry)}
