"""Let the viewer read an object of a snapshot as it reads objects of the storage. Every chunk is checked."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from dashboard.interfaces.storage.records import ObjectInfo
from dashboard.snapshots.capture import store
from dashboard.snapshots.export import content
from dashboard.snapshots.manifest import Entry, Head
from dashboard.snapshots.store import CHUNK_MAX_BYTES, Damaged, Store
from dashboard.tokens.models import Kind
from dashboard.tokens.workspace import Workspace
from dashboard.viewer.content import Source

_RANGE = re.compile(r"bytes=(\d{1,18})-(\d{1,18})")

Follow = Callable[[Iterator[bytes]], Iterator[bytes]]


def source_of(workspace: Workspace, head: Head, entry: Entry) -> Source:
    """Return what the viewer reads of an object of a snapshot that the person sees."""
    return Source(
        objects=Earlier(store(), entry, workspace.followed),
        bucket=head.bucket,
        key=entry.key,
        owner=(head.space, workspace.fingerprint(Kind.STORAGE, head.space)),
        is_visited=workspace.is_visited,
    )


@dataclass(frozen=True, slots=True)
class Earlier:
    """One object of a snapshot, with the methods of the storage, which ignore bucket and key. `follow` may stop the bytes on
    their way.

    Raises `StoreError` before the first byte, or while the rest is read.
    """

    store: Store
    entry: Entry
    follow: Follow

    def info(self, _bucket: str, key: str, /) -> ObjectInfo:
        """Return the details. The ETag is the digest of its bytes."""
        return ObjectInfo(name=key, size=self.entry.size, content_type=self.entry.type, etag=f'"{self.entry.sha256}"')

    def read(self, _bucket: str, _key: str, /, *, headers: Mapping[str, str] | None = None) -> "Blocks":
        """Return the bytes, or those of a closed range that begins inside; ignores other ranges and all conditions."""
        size = self.entry.size or 0
        told = {"content-type": self.entry.type or "", "etag": f'"{self.entry.sha256}"'}
        asked = _RANGE.fullmatch((headers or {}).get("Range", ""))
        if not asked or not int(asked[1]) <= int(asked[2]) or int(asked[1]) >= size:
            return Blocks(200, told, size, self.follow(content(self.store, self.entry)))
        first, end = int(asked[1]), min(int(asked[2]) + 1, size)
        told["content-range"] = f"bytes {first}-{end - 1}/{size}"
        return Blocks(206, told, end - first, self.follow(self._part(first, end)))

    def _part(self, first: int, end: int) -> Iterator[bytes]:
        size = self.entry.size or 0
        for number in range(first // CHUNK_MAX_BYTES, (end - 1) // CHUNK_MAX_BYTES + 1):
            begin = number * CHUNK_MAX_BYTES
            chunk = self.store.chunk(self.entry.chunks[number]) if number < len(self.entry.chunks) else b""
            if len(chunk) != min(CHUNK_MAX_BYTES, size - begin):
                raise Damaged("The chunks are not those of the object.")
            yield chunk[max(0, first - begin) : end - begin]


class Blocks:
    """The bytes of an object. The first block is read before the answer begins."""

    def __init__(self, status: int, headers: Mapping[str, str], length: int, blocks: Iterator[bytes]) -> None:
        self.status, self.headers, self.length = status, headers, length
        self._first, self._rest = next(blocks, b""), blocks

    def __iter__(self) -> Iterator[bytes]:
        yield self._first
        yield from self._rest

    def close(self) -> None:
        """Do nothing: no connection is open."""
