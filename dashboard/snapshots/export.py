"""Read a snapshot back from the store alone: verify its chunks, write its files into a folder or a tar stream."""

import io
import os
import tarfile
from collections.abc import Iterator
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import IO

from dashboard.snapshots.manifest import Entry, Head, Manifest
from dashboard.snapshots.paths import Paths
from dashboard.snapshots.store import Damaged, Store, StoreError


def entries(store: Store, head: Head) -> Iterator[Entry]:
    """Yield the entries of a snapshot, in order of keys."""
    yield from Manifest(store, head.lists)


def verify(store: Store, head: Head, known: set[bytes]) -> Iterator[str]:
    """Read every chunk of a snapshot; yield a sentence for each object that can't be restored. `known`: chunks read before."""
    for entry in entries(store, head):
        if entry.left_out or known.issuperset(map(bytes.fromhex, entry.chunks)):
            continue
        try:
            for _ in content(store, entry):
                pass
        except StoreError as error:
            yield f"{entry.key}: {error}"
        else:
            known.update(map(bytes.fromhex, entry.chunks))


def content(store: Store, entry: Entry) -> Iterator[bytes]:
    """Yield the bytes of an object, chunk by chunk. Raises `Missing` and `Damaged`, also for a wrong whole at the end."""
    whole, size = sha256(), 0
    for name in entry.chunks:
        data = store.chunk(name)
        whole.update(data)
        size += len(data)
        yield data
    if whole.hexdigest() != entry.sha256 or (entry.size is not None and size != entry.size):
        raise Damaged("The chunks are not those of the object.")


def to_folder(store: Store, head: Head, folder: Path) -> Iterator[str]:
    """Write all objects into a new or empty folder; yield a line for each that was renamed or left out."""
    folder.mkdir(parents=True, exist_ok=True)
    if any(folder.iterdir()):
        raise FileExistsError(f"{folder} is not empty.")
    paths = Paths()
    for entry in entries(store, head):
        if entry.left_out:
            yield f"left out: {entry.key}: {entry.left_out}"
            continue
        path = paths.path_of(entry.key)
        if path != entry.key:
            yield f"renamed: {entry.key} → {path}"
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            with target.open("xb") as file:
                for data in content(store, entry):
                    file.write(data)
        except StoreError as error:
            target.unlink()
            yield f"damaged: {entry.key}: {error}"
            continue
        if entry.updated:
            os.utime(target, (entry.updated.timestamp(),) * 2)


def to_tar(store: Store, head: Head, stream: IO[bytes]) -> Iterator[str]:
    """Write all objects as a tar stream; yield lines as `to_folder` does. A damaged object is padded with zeros."""
    paths = Paths()
    with tarfile.open(fileobj=stream, mode="w|", format=tarfile.PAX_FORMAT) as archive:
        for entry in entries(store, head):
            if entry.left_out:
                yield f"left out: {entry.key}: {entry.left_out}"
                continue
            info = tarfile.TarInfo(paths.path_of(entry.key))
            if info.name != entry.key:
                yield f"renamed: {entry.key} → {info.name}"
            info.size, info.mtime = entry.size or 0, int(entry.updated.timestamp()) if entry.updated else 0
            body = _Body(content(store, entry), info.size)
            archive.addfile(info, body)
            if body.failure:
                yield f"damaged: {entry.key}: {body.failure}"


class _Body(io.RawIOBase):
    """The bytes of an object as a file of exactly `size` bytes. `failure`: why it had to be padded with zeros."""

    def __init__(self, blocks: Iterator[bytes], size: int) -> None:
        super().__init__()
        self.failure = ""
        self._blocks = blocks
        self._left = size
        self._rest = memoryview(b"")

    def read(self, size: int = -1, /) -> bytes:
        wanted = self._left if size < 0 else min(size, self._left)
        taken = bytearray()
        while len(taken) < wanted:
            if not self._rest:
                self._rest = memoryview(self._next() or bytes(wanted - len(taken)))
            part = self._rest[: wanted - len(taken)]
            self._rest = self._rest[len(part) :]
            taken += part
        self._left -= wanted
        if not self._left:
            # Reads the end of the blocks, where the whole is checked.
            self._next()
        return bytes(taken)

    def _next(self) -> bytes:
        if not self.failure:
            with suppress(StopIteration):
                try:
                    return next(self._blocks)
                except StoreError as error:
                    self.failure = str(error)
        return b""
