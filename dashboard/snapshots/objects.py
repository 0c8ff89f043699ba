"""Read objects of a bucket into chunks: S18 for the bytes, S19 for what the uploader set. Safe in pool threads."""

from collections.abc import Iterable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass, field
from functools import partial
from hashlib import sha256
from threading import Lock
from time import monotonic, sleep
from typing import TYPE_CHECKING, Final

import msgspec

from dashboard.catalog import walk
from dashboard.interfaces import ObjectStream, StorageInterface
from dashboard.interfaces.errors import NotFound, Rejected
from dashboard.snapshots.manifest import Entry
from dashboard.snapshots.store import CHUNK_MAX_BYTES, Store
from dashboard.web.process import liveness
from dashboard.web.process.parallel import later
from dashboard.web.text import bytes_text

if TYPE_CHECKING:
    from hashlib import _Hash as Hash

TRIES = 3
CHANGING = "It changed each time it was read."
LOST = "The service lists it, but doesn't find its contents."
PARTIAL, RANGE_NOT_SATISFIABLE = 206, 416
# The digest of the large object that this process read last, by its last chunk and size so far.
_DIGEST: "Final[dict[tuple[str, int], Hash]]" = {}


class LeftOut(Exception):  # noqa: N818 - control flow
    """The object can't be kept; the text is a sentence that says why."""


class Part(msgspec.Struct, frozen=True, kw_only=True):
    """The chunks of an object so far. `sha256` is set once it is whole. Without an ETag it can't be continued."""

    key: str
    etag: str = ""
    chunks: list[str] = []
    size: int = 0
    grown: int = 0
    sha256: str = ""


@dataclass(slots=True)
class Rate:
    """Slows down all who read with it to so many bytes a second together; 0: no limit. Safe in pool threads."""

    limit: int = 0
    _lock: Lock = field(default_factory=Lock)
    _free_at: float = 0.0

    def slow(self, blocks: Iterable[bytes]) -> Iterator[bytes]:
        for block in blocks:
            if self.limit:
                with self._lock:
                    now = monotonic()
                    self._free_at = max(self._free_at, now) + len(block) / self.limit
                    seconds = self._free_at - now
                sleep(seconds)
            yield block


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads the objects of one bucket into one store. `max_bytes`: the largest to keep; 0: any."""

    storage: StorageInterface
    bucket: str
    store: Store
    max_bytes: int
    rate: Rate = field(default_factory=Rate)

    def read(self, row: walk.Entry) -> tuple[Entry, int]:
        """Read a whole object; return its entry, and by how many bytes the store grew.

        An object that changes while it is read is read again. Raises `LeftOut`, interface errors and `StoreError`.
        """
        for _ in range(TRIES):
            for part in self.parts(row, Part(key=row.key)):
                if part.sha256 and (entry := self.entry(row, part)):
                    return entry, part.grown
        raise LeftOut(CHANGING)

    def parts(self, row: walk.Entry, done: Part) -> Iterator[Part]:
        """Read on after `done`. Yield the part so far after each stored chunk; the last one has its `sha256`.

        Starts over if the object has changed since. A chunk is stored while the next one arrives.
        """
        self.check_size(row.size)
        try:
            stream = self._open(row, done)
        except Rejected as refusal:
            if not done.size or refusal.status != RANGE_NOT_SATISFIABLE:
                raise
            yield from self.parts(row, Part(key=row.key))
            return
        with stream:
            etag = stream.headers.get("etag", "")
            if stream.status == PARTIAL and etag != done.etag:
                yield from self.parts(row, Part(key=row.key))
                return
            if stream.status != PARTIAL:
                done = Part(key=row.key, etag=etag)
            whole, size = self._digest_of(done), done.size
            waiting: Future[tuple[str, int, int]] | None = None
            for chunk in _chunks(self.rate.slow(stream)):
                if waiting:
                    done = _grown(done, *waiting.result())
                    _DIGEST.clear()
                    _DIGEST[done.chunks[-1], done.size] = whole.copy()
                    yield done
                whole.update(chunk)
                size += len(chunk)
                self.check_size(size)
                waiting = later(partial(self._stored, chunk))
            if waiting:
                done = _grown(done, *waiting.result())
        yield msgspec.structs.replace(done, sha256=whole.hexdigest())

    def entry(self, row: walk.Entry, part: Part) -> Entry | None:
        """Return the entry of a whole object (S19); None if it has changed since it was read."""
        info = self.storage.objects.info(self.bucket, row.key)
        if part.etag and info.etag and info.etag != part.etag:
            return None
        is_listed = (row.etag, row.size) == (part.etag or None, part.size)
        return Entry(
            key=row.key,
            size=part.size,
            etag=part.etag or None,
            type=info.content_type or row.mimetype,
            cache_control=info.cache_control,
            metadata=info.metadata or None,
            created=row.created_at,
            updated=row.updated_at if is_listed else None,
            sha256=part.sha256,
            chunks=part.chunks,
        )

    def is_too_large(self, size: int | None) -> bool:
        return bool(self.max_bytes and (size or 0) > self.max_bytes)

    def check_size(self, size: int | None) -> None:
        if self.is_too_large(size):
            raise LeftOut(f"It is larger than {bytes_text(self.max_bytes)}.")

    def _open(self, row: walk.Entry, done: Part) -> ObjectStream:
        headers = {"Range": f"bytes={done.size}-"} if done.size and done.etag else {}
        try:
            return self.storage.objects.read(self.bucket, row.key, headers=headers)
        except NotFound:
            # S19 finds it only if it was not deleted.
            self.storage.objects.info(self.bucket, row.key)
            raise LeftOut(LOST) from None

    def _digest_of(self, done: Part) -> "Hash":
        """Return the digest of the chunks so far. They are read from the store if another process put them there."""
        if done.chunks and (known := _DIGEST.get((done.chunks[-1], done.size))):
            return known.copy()
        whole = sha256()
        for name in done.chunks:
            whole.update(self.store.chunk(name))
            liveness.note()
        return whole

    def _stored(self, chunk: bytearray) -> tuple[str, int, int]:
        return *self.store.add(chunk), len(chunk)


def _grown(done: Part, name: str, grown: int, size: int) -> Part:
    return msgspec.structs.replace(done, chunks=[*done.chunks, name], size=done.size + size, grown=done.grown + grown)


def _chunks(blocks: Iterable[bytes]) -> Iterator[bytearray]:
    """Join blocks to chunks of 8 MiB; only the last one is smaller."""
    chunk = bytearray()
    for block in blocks:
        liveness.note()
        rest = memoryview(block)
        while rest:
            taken = rest[: CHUNK_MAX_BYTES - len(chunk)]
            chunk += taken
            rest = rest[len(taken) :]
            if len(chunk) == CHUNK_MAX_BYTES:
                yield chunk
                chunk = bytearray()
    if chunk:
        yield chunk
