"""Stream a ZIP archive of objects whose length is known before the first byte.

Entries are stored, not deflated: most objects are compressed already, and a stored entry costs only its checksum. `zipfile`
writes to a sink without seeking, so each entry is followed by its checksum and sizes.

The length is sent as Content-Length. An object that is missing or can't be read while packing is named in `_failed.txt`; its
bytes are filled by the archive's comment, or by an entry `_padding` if the comment is too short. An object whose size differs
from the announced one, or a service that fails on one object after another, aborts the transfer: the download fails visibly.
"""

from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import Protocol
from zipfile import ZIP64_LIMIT, ZIP_STORED, ZipFile, ZipInfo

from dashboard.interfaces.errors import Broken, InterfaceError, NotAllowed, NotFound

FAILED = "_failed.txt"
PADDING = "_padding"
AHEAD = 4
# The service lists objects whose bytes it lost, and fails to read them. More in a row mean that it fails altogether.
MOST_BROKEN = 3
# Objects up to this size are read ahead completely; larger ones are only opened ahead.
SMALL = 1 << 17
# Size of the comment if nothing fails: room for the entry `_failed.txt` and its first lines.
RESERVE = 640
LONGEST_COMMENT = 0xFFFF
BLOCK = bytes(1 << 20)

_LOCAL, _CENTRAL, _END, _END64 = 30, 46, 22, 56 + 20
_FIRST, _LAST = datetime(1980, 1, 1, tzinfo=UTC), datetime(2107, 12, 31, tzinfo=UTC)
_DESCRIPTOR, _DESCRIPTOR64, _EXTRA64 = 16, 24, 20


class Changed(Broken):
    """An object's size differs from the one in the archive's announced length."""


@dataclass(frozen=True, slots=True)
class Member:
    """One object to pack: key, name in the archive, size in bytes, modification time."""

    key: str
    name: str
    size: int
    changed_at: datetime | None = None


class Source(Protocol):
    """The bytes of an object, as the storage interface returns them."""

    @property
    def length(self) -> int | None: ...
    def __iter__(self) -> Iterator[bytes]: ...
    def close(self) -> None: ...


Open = Callable[[str], Source]
Begin = Callable[[Callable[[], "Source | InterfaceError"]], "Future[Source | InterfaceError]"]


class _Read:
    """A small object, read completely."""

    def __init__(self, blocks: list[bytes]) -> None:
        self._blocks = blocks
        self.length = sum(map(len, blocks))

    def __iter__(self) -> Iterator[bytes]:
        return iter(self._blocks)

    def close(self) -> None:
        self._blocks = []


class _Sink:
    """Collects what `zipfile` writes until `take` returns it."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []

    def write(self, data: bytes) -> int:
        self._parts.append(data)
        return len(data)

    def flush(self) -> None:
        """Do nothing: `take` returns everything written."""

    def take(self) -> list[bytes]:
        parts, self._parts = self._parts, []
        return parts


def length(members: Sequence[Member]) -> int:
    """Return the size of the whole archive in bytes."""
    return _structure(members) + RESERVE


def pack(members: Sequence[Member], *, open_object: Open, begin: Begin, comment: str) -> Iterator[bytes]:
    """Yield the archive in blocks, `length(members)` bytes in total.

    `begin` runs a call in another thread; `comment` is ASCII. Raises `Changed` if an object's size differs, and interface errors
    for anything but a missing object, or a few in a row that the service can't read.
    """
    sink = _Sink()
    archive = ZipFile(sink, "w", ZIP_STORED, allowZip64=True)  # type: ignore[call-overload] # it writes and flushes, which is enough
    written: list[Member] = []
    failed: list[tuple[Member, InterfaceError]] = []
    broken = 0
    try:
        with closing(_ahead(members, open_object, begin)) as opened:
            for member, found in opened:
                broken = broken + 1 if isinstance(found, Broken) else 0
                if isinstance(found, InterfaceError):
                    if broken > MOST_BROKEN:
                        raise found
                    failed.append((member, found))
                    continue
                with closing(found):
                    yield from _entry(archive, sink, member, found)
                written.append(member)
        if failed:
            yield from _apology(archive, sink, failed, written, length(members))
        left = length(members) - _structure(written)
        archive.comment = comment.encode("ascii", "replace")[:left].ljust(left)
        archive.close()
        yield from sink.take()
    finally:
        with suppress(ValueError):
            archive.close()


def _entry(archive: ZipFile, sink: _Sink, member: Member, source: Iterable[bytes]) -> Iterator[bytes]:
    info = ZipInfo(member.name, _moment(member.changed_at))
    info.external_attr = 0o644 << 16
    info.file_size = member.size
    packed = 0
    with archive.open(info, "w", force_zip64=_is_large(member)) as entry:
        for block in source:
            packed += len(block)
            if packed > member.size:
                break
            entry.write(block)
            yield from sink.take()
    if packed != member.size:
        raise Changed(
            f"An object changed while it was packed: {packed:,} bytes or more instead of {member.size:,}.",
            operation="S18",
            service="storage",
        )
    yield from sink.take()


def _apology(
    archive: ZipFile, sink: _Sink, failed: list[tuple[Member, InterfaceError]], written: list[Member], whole: int
) -> Iterator[bytes]:
    """Yield the list of missing objects, and padding if the comment can't fill the rest."""
    lines = ["Not in this archive, because it was deleted or could not be read:", ""]
    text = "\n".join([*lines, *(member.name for member, _ in failed), ""]).encode()
    added = [(Member("", FAILED, len(text), datetime.now(UTC)), [text])]
    left = whole - _structure([*written, added[0][0]])
    if left > LONGEST_COMMENT:
        size = left - RESERVE
        blocks = (BLOCK[: size - begin] for begin in range(0, size, len(BLOCK)))
        added.append((Member("", PADDING, size, datetime.now(UTC)), blocks))  # type: ignore[arg-type] # any iterable of blocks works
    for member, source in added:
        yield from _entry(archive, sink, member, source)
        written.append(member)


def _ahead(
    members: Sequence[Member], open_object: Open, begin: Begin
) -> Generator[tuple[Member, Source | InterfaceError], None, None]:
    """Yield each member with its bytes or error, while opening the next few."""
    waiting: deque[tuple[Member, Future[Source | InterfaceError]]] = deque()
    following = iter(members)
    try:
        while True:
            while len(waiting) < AHEAD and (member := next(following, None)) is not None:
                waiting.append((member, begin(partial(_opened, open_object, member.key))))
            if not waiting:
                return
            member, future = waiting.popleft()
            yield member, future.result()
    finally:
        for _, future in waiting:
            if not future.cancel():
                future.add_done_callback(_close)


def _opened(open_object: Open, key: str) -> Source | InterfaceError:
    """Open an object; read a small one completely to free its connection."""
    try:
        source = open_object(key)
    except (NotFound, NotAllowed) as refusal:
        return refusal
    except Broken as failure:
        if not failure.is_over:
            raise
        return failure
    if source.length is None or source.length > SMALL:
        return source
    with closing(source):
        return _Read(list(source))


def _close(future: "Future[Source | InterfaceError]") -> None:
    if future.exception() is None and not isinstance(found := future.result(), InterfaceError):
        found.close()


def _structure(members: Sequence[Member]) -> int:
    """Return the size of an archive of these members without its comment."""
    position = central = 0
    for member in members:
        name = len(member.name.encode())
        further = [position > ZIP64_LIMIT, *[member.size > ZIP64_LIMIT] * 2]
        central += _CENTRAL + name + (4 + 8 * sum(further) if any(further) else 0)
        position += _LOCAL + name + member.size
        position += _EXTRA64 + _DESCRIPTOR64 if _is_large(member) else _DESCRIPTOR
    return position + central + _END + (_END64 if max(position, central) > ZIP64_LIMIT else 0)


def _is_large(member: Member) -> bool:
    # Mirrors `zipfile`, which reserves 5 percent.
    return member.size * 1.05 > ZIP64_LIMIT


def _moment(changed_at: datetime | None) -> tuple[int, int, int, int, int, int]:
    """Return the time in the archive's format: UTC, limited to 1980 to 2107."""
    at = min(max(changed_at or datetime.now(UTC), _FIRST), _LAST).astimezone(UTC)
    return (at.year, at.month, at.day, at.hour, at.minute, at.second)
