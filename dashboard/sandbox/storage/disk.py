"""Bytes on disk. A file is written aside and hashed, flushed, then renamed; only after that does a row name it.

A file belongs to one row and is never changed. `incoming/` holds files being written. Files without a row were left by a killed
process; `sweep` deletes them before the sandbox serves requests.
"""

import hashlib
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self, TypeVar
from uuid import uuid4

from dashboard.sandbox.settings import SANDBOX_OBJECTS
from dashboard.sandbox.storage import refusals
from dashboard.sandbox.storage.models import Entry

BLOCK = 1 << 20
_ATTEMPTS = 3

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Written:
    """A complete file: name, size in bytes, and MD5 in hex (the ETag)."""

    file: str
    size: int
    etag: str


class Aside:
    """A file being written. An exception in its block deletes it, renamed or not.

    `size` counts the bytes so far. A write beyond `limit` (bytes; None: unlimited) is refused as too large.
    """

    def __init__(self) -> None:
        self.limit: int | None = None
        self._name = uuid4().hex
        self.size = 0
        self._hash = hashlib.md5(usedforsecurity=False)
        self._path = _incoming() / self._name
        self._out: BinaryIO = self._path.open("xb", buffering=0)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None) -> None:
        self._out.close()
        if kind is not None:
            self._path.unlink(missing_ok=True)

    def write(self, block: bytes) -> None:
        self.size += len(block)
        if self.limit is not None and self.size > self.limit:
            raise refusals.too_large()
        self._hash.update(block)
        view = memoryview(block)
        while view:
            view = view[self._out.write(view) :]

    def finish(self) -> Written:
        """Flush the file to disk and rename it."""
        os.fsync(self._out.fileno())
        self._out.close()
        self._path = _move_in(self._path, self._name)
        return Written(self._name, self.size, self._hash.hexdigest())


@contextmanager
def twin(entry: Entry) -> Iterator[Written]:
    """Yield the same bytes under a new name: a hard link if possible, else a copy.

    An exception in the block deletes it. Raises Gone.
    """
    name = uuid4().hex
    final = _folder_of(name) / name
    try:
        # The bytes are on disk already. The new name may be lost with its row, which isn't flushed either.
        final.hardlink_to(_path(entry.file))
    except FileNotFoundError:
        raise Gone from None
    except OSError:
        path = _incoming() / name
        _copy(_path(entry.file), path)
        _move_in(path, name)
    try:
        yield Written(name, entry.size, entry.etag)
    except BaseException:
        remove([name])
        raise


@contextmanager
def zeros(size: int) -> Iterator[Written]:
    """Yield a file of `size` zero bytes, deleted by an exception in the block."""
    with Aside() as aside:
        for at in range(0, size, BLOCK):
            aside.write(bytes(min(BLOCK, size - at)))
        yield aside.finish()


class Gone(Exception):  # noqa: N818 - says what happened
    """The object was replaced or deleted between reading its row and opening its file."""


def current(find: Callable[[], Entry], use: Callable[[Entry], T]) -> T:
    """Use the file of a row; if the object was replaced in between, read the row again."""
    for _ in range(_ATTEMPTS):
        with suppress(Gone):
            return use(find())
    raise refusals.no_object()


def reader(file: str) -> BinaryIO:
    """Open a file for reading. Raises Gone."""
    try:
        return _path(file).open("rb", buffering=0)
    except FileNotFoundError:
        raise Gone from None


def remove(files: list[str]) -> None:
    """Delete files, ignoring failures: a leftover file is an orphan for the next sweep."""
    for file in files:
        with suppress(OSError):
            _path(file).unlink()


def sweep() -> int:
    """Delete files without a row and return their number. Only while nothing is served."""
    incoming = _incoming()
    orphans = list(incoming.iterdir())
    known = set(Entry.objects.exclude(file="").values_list("file", flat=True).iterator(chunk_size=10_000))
    for folder in _root().iterdir():
        if folder != incoming and folder.is_dir():
            orphans += [path for path in folder.iterdir() if path.name not in known]
    for path in orphans:
        path.unlink(missing_ok=True)
    return len(orphans)


def _root() -> Path:
    return SANDBOX_OBJECTS


def _incoming() -> Path:
    path = _root() / "incoming"
    path.mkdir(parents=True, exist_ok=True)
    return path


def _path(file: str) -> Path:
    return _root() / file[:2] / file


def _folder_of(file: str) -> Path:
    """Return a file's folder, creating it if missing."""
    folder = _root() / file[:2]
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _move_in(path: Path, name: str) -> Path:
    final = _folder_of(name) / name
    path.rename(final)
    folder = os.open(final.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
    return final


def _copy(source: Path, target: Path) -> None:
    with source.open("rb") as bytes_in, target.open("xb") as bytes_out:
        while block := bytes_in.read(BLOCK):
            bytes_out.write(block)
        bytes_out.flush()
        os.fsync(bytes_out.fileno())
