"""The store of snapshots: a folder or an S3 bucket with chunks, heads and the mark of its installation.

Knows neither Django nor a service, so `manage.py snapshot` needs nothing but the store. CONTRIBUTING.md describes the format.
`obstore` must not be used before a process forks, nor inside an iterator that is passed to its `put`.
"""

import os
import re
import shutil
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, partial
from hashlib import sha256
from pathlib import Path
from threading import Lock
from time import monotonic
from typing import Any, Final, ParamSpec, TypeVar
from urllib.parse import unquote, urlsplit

import obstore
from obstore.exceptions import BaseError, PermissionDeniedError, UnauthenticatedError
from obstore.store import LocalStore, from_url

NONE: Final = "none"
CHUNK_MAX_BYTES = 8 << 20
# How long a count of the bytes of all chunks may be used.
COUNTED_SECONDS = 300.0
# A folder's disk keeps so much free space.
FREE_MIN_BYTES = 10**9
CHUNKS, HEADS = "chunks/", "snapshots/"
# Chunks lie in folders named by the first digits of their names.
FOLDERS = tuple(f"{number:02x}" for number in range(256))
MARK = "installation.json"
GENERATION = "generation"
PROBE = "probe"
# The variables that `obstore` reads for an S3 store, by its own names.
S3_SETTINGS = {
    "AWS_ACCESS_KEY_ID": "access_key_id",
    "AWS_SECRET_ACCESS_KEY": "secret_access_key",
    "AWS_ENDPOINT_URL": "endpoint",
    "AWS_REGION": "region",
}
TEXT_MAX_LENGTH = 200
FOLDER_AWAY = "The folder of the snapshots is missing or can't be read."
_NAME = re.compile(r"[0-9a-f]{64}")

P = ParamSpec("P")
T = TypeVar("T")


class StoreError(Exception):
    """The store can't be used. Its text is one sentence for people, without secrets."""


class Missing(StoreError):  # noqa: N818 - a state of the store
    """The store has no such object."""


class Damaged(StoreError):  # noqa: N818 - a state of the store
    """The store returned other bytes than were put there."""


class Foreign(StoreError):  # noqa: N818 - a state of the store
    """The store belongs to another installation."""


@dataclass(slots=True)
class Count:
    """The bytes of all chunks, as counted at one time, with what this process added since. `until`: how long that may be used."""

    bytes: int = 0
    until: float = 0.0
    _lock: Lock = field(default_factory=Lock)

    def add(self, grown: int) -> None:
        with self._lock:
            self.bytes += grown


@dataclass(frozen=True, slots=True)
class Store:
    """An open store. Safe in several threads; every method raises `StoreError`. `overwrites`: existing chunks, too."""

    url: str
    _inner: Any
    overwrites: bool = False
    _count: Count = field(default_factory=Count)

    def put(self, path: str, data: bytes | bytearray | memoryview) -> None:
        """Write one object in one call. Readers see all of it or nothing."""
        _folder_there(self.url)
        _translated(obstore.put, self._inner, path, data, use_multipart=False)

    def read(self, path: str) -> bytes:
        """Return one object. Raises `Missing`."""
        _folder_there(self.url)
        return bytes(_translated(lambda: obstore.get(self._inner, path).bytes()))

    def add(self, data: bytes | bytearray | memoryview, *, reads: bool = False) -> tuple[str, int]:
        """Put a chunk, unless one of its size is there, and whole if it `reads` that.

        Return its name and how many bytes the store grew by.
        """
        if len(data) > CHUNK_MAX_BYTES:
            raise ValueError("A chunk has at most 8 MiB.")
        name = sha256(data).hexdigest()
        try:
            is_there = not self.overwrites and _translated(obstore.head, self._inner, _chunk_path(name))["size"] == len(data)
            if is_there and (not reads or self.holds(name)):
                return name, 0
        except Missing:
            pass
        self.put(_chunk_path(name), data)
        self._count.add(len(data))
        return name, len(data)

    def chunk(self, name: str) -> bytes:
        """Return a chunk. Raises `Missing`, and `Damaged` if its bytes are not those of its name."""
        try:
            data = self.read(_chunk_path(name))
        except Missing:
            raise Missing(f"Its bytes are missing in the store (chunk {name}).") from None
        if sha256(data).hexdigest() != name:
            raise Damaged(f"Its bytes are damaged in the store (chunk {name}).")
        return data

    def holds(self, name: str) -> bool:
        """Whether a chunk is there and whole."""
        try:
            self.chunk(name)
        except (Missing, Damaged):
            return False
        return True

    def chunks(self, folder: str) -> list[str]:
        """Return the names of the chunks in one of `FOLDERS`."""
        found = (path.rpartition("/")[2] for path, _ in self._listed(f"{CHUNKS}{folder}"))
        return [name for name in found if _NAME.fullmatch(name)]

    def remove_chunks(self, names: Collection[str]) -> None:
        """Delete chunks that are there."""
        if names:
            _translated(obstore.delete, self._inner, [_chunk_path(name) for name in names])

    def remove(self, path: str) -> None:
        """Delete one object. In a folder, raises `Missing`; S3 doesn't tell."""
        _translated(obstore.delete, self._inner, path)

    def generation(self) -> str:
        """Return what changes each time before something is removed; empty if nothing ever was."""
        try:
            return self.read(GENERATION).decode(errors="replace")
        except Missing:
            return ""

    def begin_generation(self) -> str:
        """Say that something will be removed. Return the new generation."""
        named = os.urandom(16).hex()
        self.put(GENERATION, named.encode())
        return named

    def heads(self, place: str = "") -> list[str]:
        """Return the paths of the heads of one place, or of all, oldest first."""
        found = [path for path, _ in self._listed(f"{HEADS}{place}/" if place else HEADS) if path.endswith(".json")]
        return sorted(found, key=lambda path: path.rpartition("/")[2])

    def used(self, progress: Callable[[], None] = lambda: None, *, up_to: int = -1) -> int:
        """Return the bytes of all chunks. Calls `progress` after each page of the list, as this may take long.

        A count of some minutes ago, plus what this process added since, is returned if it is at most `up_to`. It ignores what
        others added or removed.
        """
        count = self._count
        if monotonic() > count.until or count.bytes > up_to:
            count.bytes = sum(size for _, size in self._listed(CHUNKS, progress))
            count.until = monotonic() + COUNTED_SECONDS
        return count.bytes

    def free(self) -> int | None:
        """Return the free space of a folder's disk in bytes; None for an S3 store."""
        folder = folder_of(self.url)
        try:
            return shutil.disk_usage(folder).free if folder else None
        except OSError as error:
            raise StoreError(FOLDER_AWAY) from error

    def probe(self) -> None:
        """Write, read and delete a small object."""
        written = os.urandom(16)
        path = f"{PROBE}/{written.hex()}"
        self.put(path, written)
        if self.read(path) != written:
            raise Damaged("The store returns other bytes than were written.")
        self.remove(path)

    def claim(self, installation: bytes) -> None:
        """Mark the store with an installation, unless it has a mark. Raises `Foreign` for the mark of another one."""
        try:
            mark = self.read(MARK)
        except Missing:
            self.put(MARK, installation)
            mark = self.read(MARK)
        if mark != installation:
            raise Foreign("Another installation writes to this store, so this one may only read it.")

    def _listed(self, prefix: str, progress: Callable[[], None] = lambda: None) -> Iterator[tuple[str, int]]:
        _folder_there(self.url)
        pages = iter(_translated(obstore.list, self._inner, prefix))
        while page := _translated(next, pages, None):
            progress()
            yield from ((found["path"], found["size"]) for found in page)


@cache
def opened(url: str) -> Store:
    """Open a store once per process, which must be after its fork. Its folder was made when Pilothouse started."""
    return open_store(url, os.environ)


def make_folder(url: str) -> None:
    """Create the folder of `file:///…`. Doesn't use `obstore`. Raises `StoreError`."""
    try:
        if folder := folder_of(url):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"The folder of the snapshots can't be created: {error.strerror}.") from error


def open_store(url: str, environ: Mapping[str, str]) -> Store:
    """Open the store at `file:///…`, whose folder must be there, or `s3://…` with the credentials of the environment."""
    if folder := _folder_there(url):
        return Store(url, _translated(LocalStore, folder))
    given = {ours: value for name, ours in S3_SETTINGS.items() if (value := _setting(environ, name))}
    options = {"timeout": "120s", "connect_timeout": "5s", "allow_http": given.get("endpoint", "").startswith("http://")}
    connect: Any = partial(from_url, url, config=given, client_options=options, retry_config={"max_retries": 3})
    return Store(url, _translated(connect))


def folder_of(url: str) -> Path | None:
    """Return the folder of `file:///…`, None for other addresses."""
    parts = urlsplit(url)
    return Path(unquote(parts.path)) if parts.scheme == "file" else None


def _folder_there(url: str) -> Path | None:
    """Return the folder, None for other addresses. Raises `StoreError` if it is gone: it would seem empty, and be made anew."""
    folder = folder_of(url)
    if folder and not os.path.isdir(folder):  # noqa: PTH112 - False, too, where nobody may look
        raise StoreError(FOLDER_AWAY)
    return folder


def _setting(environ: Mapping[str, str], name: str) -> str:
    file = environ.get(f"{name}_FILE")
    return Path(file).read_text().strip() if file else environ.get(name, "").strip()


def _chunk_path(name: str) -> str:
    return f"{CHUNKS}{name[:2]}/{name}"


def _translated(call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Call `obstore` and raise its errors as `StoreError`. Their texts have a sentence, then lines for developers."""
    try:
        return call(*args, **kwargs)
    except FileNotFoundError as error:
        raise Missing(_sentence(error)) from None
    except (PermissionDeniedError, UnauthenticatedError):
        raise StoreError("The store refuses the credentials.") from None
    except (BaseError, OSError, ValueError) as error:
        raise StoreError(_sentence(error)) from None


def _sentence(error: Exception) -> str:
    return str(error).partition("\n")[0][:TEXT_MAX_LENGTH].rstrip(".") + "."
