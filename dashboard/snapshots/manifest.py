"""What a snapshot consists of: a head, lists of segments, segments of entries. Read and written in order of keys.

A segment ends after a key that its own checksum chooses, so that an unchanged part of a bucket gives the same chunk again.
"""

import gzip
import re
import zlib
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from functools import lru_cache, partial
from hashlib import sha256
from itertools import islice
from secrets import randbelow
from typing import Any, NamedTuple, Protocol, TypeVar

import msgspec

from dashboard.catalog import walk
from dashboard.snapshots.store import HEADS, Damaged, Missing, Store

FORMAT = 1
READ_AT_ONCE = 8
SEGMENT_ENTRIES, SEGMENT_MAX_ENTRIES = 128, 512
LIST_SEGMENTS = 100
# The character after "/": no key in a folder is behind the folder's name with it.
AFTER_SLASH = "0"

# Ids begin with the time to the microsecond, so that they sort by age. What follows is six random digits in the trash; elsewhere,
# the job's number in eight digits or more. Earlier versions named a snapshot by the second and its job.
BEGUN = "%Y%m%dT%H%M%SZ-%f"
IN_TRASH = re.compile(r"-[0-9]{12}\.json$")
IDENT = re.compile(r"[0-9TZ]+-[0-9]+")

S = TypeVar("S", bound=msgspec.Struct)


class Keyed(Protocol):
    """Anything with a key."""

    @property
    def key(self) -> str: ...


R = TypeVar("R", bound=Keyed)


class Entry(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One object. `sha256` is that of all its bytes, `chunks` their names in order.

    `left_out` says why its bytes are not there. `updated` is the time in the bucket's list; None if another version was read than
    was listed.
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

    @property
    def listed(self) -> walk.Entry:
        """The object as the bucket listed it."""
        return walk.Entry(self.key, self.size, self.type, self.etag, self.created, self.updated)


class Segment(msgspec.Struct, frozen=True):
    """A chunk with entries, from the key `first` on. `listed` is `ranges.digest_of` what the bucket listed there."""

    first: str
    chunk: str
    entries: int
    left_out: int = 0
    listed: str = ""


class Head(msgspec.Struct, frozen=True, kw_only=True):
    """One whole snapshot: what a bucket, or its folder `folder`, looked like between two times, as one token saw it.

    `lists` are chunks with segments. `new_bytes` were not in the store before. `left_out` counts entries without their bytes,
    `unlisted` keys of the bucket too long to be listed. `folder` ends in a slash; empty: the whole bucket, or a deletion. Of what
    the trash keeps, `deleted_by` says who deleted or `replaced` it, and `names` the first keys.
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
    folder: str = ""
    deleted_by: str | None = None
    replaced: bool = False
    names: list[str] = []
    format: int = FORMAT

    @property
    def is_trash(self) -> bool:
        return self.deleted_by is not None

    @property
    def verb(self) -> str:
        """What was done to the objects that the trash keeps."""
        return "replaced" if self.replaced else "deleted"

    @property
    def of(self) -> str:
        """The bucket, and the folder of a snapshot of one."""
        return named(self.bucket, self.folder)

    @property
    def names_all(self) -> bool:
        """Whether all keys are in `names`, as of a small deletion."""
        return len(self.names) == self.objects

    def may_hold(self, key: str) -> bool:
        """Whether the manifest may hold the key, as far as the head tells: by its folder, and by `names` if these are all."""
        return key.startswith(self.folder) and (not self.names_all or key in self.names)

    @property
    def not_kept(self) -> int:
        return self.left_out + self.unlisted

    @property
    def path(self) -> str:
        return head_path(self.space, self.bucket, self.id)


class Heads(NamedTuple):
    """Snapshots, in the order of their paths, and the paths of those that can't be read."""

    read: list[Head]
    damaged: list[str]


def named(bucket: str, folder: str) -> str:
    """Name what a snapshot covers: a bucket, or one of its folders."""
    return f"{bucket}/{folder}" if folder else bucket


def folder_in(stored: Mapping[str, Any]) -> str:
    """Return the folder that a job or a schedule covers; "", as always in earlier versions, is the whole bucket."""
    return str(stored.get("folder", ""))


def id_of_job(begun: datetime, job: int) -> str:
    """Return the id of a job's snapshot: the same however often the job begins anew."""
    return f"{begun:{BEGUN}}{job:08}"


def id_in_trash(begun: datetime) -> str:
    """Return a new id for what the trash keeps."""
    return f"{begun:{BEGUN}}{randbelow(10**6):06}"


def head_path(space: str, bucket: str, ident: str) -> str:
    return f"{HEADS}{place_of(space, bucket)}/{ident}.json"


def place_of(space: str, bucket: str) -> str:
    """Return the folder of a bucket's heads: a digest, since not every bucket's name is a file name."""
    return sha256(f"{space}/{bucket}".encode()).hexdigest()[:32]


def ident_of(path: str) -> str:
    """Return the id of the snapshot whose head has this path."""
    return path.rpartition("/")[2].removesuffix(".json")


def read_heads(store: Store, place: str = "") -> list[Head]:
    """Return the snapshots of one place, or of all, that can be read, oldest first."""
    return heads_at(store, store.heads(place)).read


def heads_at(store: Store, paths: Sequence[str]) -> Heads:
    """Return the snapshots at these paths, without those that are removed while it reads."""
    with ThreadPoolExecutor(READ_AT_ONCE) as threads:
        found = list(threads.map(partial(_look, store), paths))
    damaged = [path for path, head in zip(paths, found, strict=True) if isinstance(head, Damaged)]
    return Heads([head for head in found if isinstance(head, Head)], damaged)


def last_taken(
    store: Store, place: str, token: str, fits: Callable[[Head], bool] = lambda _: True, *, most: int | None = None
) -> Head | None:
    """Return the last snapshot of a place by a token that `fits`, if it is among the last `most`, leaving out deletions.

    Heads of deletions are not read, as there may be many. One with a damaged head or list is passed over.
    """
    taken = (path for path in reversed(store.heads(place)) if not IN_TRASH.search(path))
    for path in islice(taken, most):
        head = _look(store, path)
        if not isinstance(head, Head) or head.token != token or head.is_trash or not fits(head):
            continue
        if all(map(store.holds, head.lists)):
            return head
    return None


def _look(store: Store, path: str) -> Head | Damaged | None:
    try:
        return read_head(store, path)
    except Damaged as error:
        return error
    except Missing:
        return None


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
    """Write the head, which must be last: it makes the snapshot visible."""
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


def parted(rows: Iterable[R]) -> Iterator[list[R]]:
    """Cut rows, in order of keys, where segments end."""
    some: list[R] = []
    for row in rows:
        some.append(row)
        if ends_segment(row.key, len(some)):
            yield some
            some = []
    if some:
        yield some


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
