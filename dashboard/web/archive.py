"""An archive as it is sent: stored entries, its length known before the first byte, nothing kept but the next few objects.

Stored, not deflated: most of what fills buckets is compressed already, and a stored entry costs only its checksum. The standard
library's `zipfile` writes onto a sink that can't go back, so each entry is followed by its checksum and sizes.

The length is a promise made in Content-Length. An object that is gone when its turn comes is left out and named in `_failed.txt`;
what it would have taken is made up by the archive's comment, and by an entry `_padding` where that is too short. An object whose
bytes are more or fewer than promised ends the transfer, so that whoever downloads it sees that it failed.
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
# Objects up to this size are read ahead to their end; of larger ones the system holds the first bytes.
SMALL = 1 << 17
# What the comment takes when all goes well: room for the entry `_failed.txt` and its first lines.
RESERVE = 640
LONGEST_COMMENT = 0xFFFF
BLOCK = bytes(1 << 20)

_LOCAL, _CENTRAL, _END, _END64 = 30, 46, 22, 56 + 20
_FIRST, _LAST = datetime(1980, 1, 1, tzinfo=UTC), datetime(2107, 12, 31, tzinfo=UTC)
_DESCRIPTOR, _DESCRIPTOR64, _EXTRA64 = 16, 24, 20


class Changed(Broken):
    """An object is no longer as large as the archive's length promised."""


@dataclass(frozen=True, slots=True)
class Member:
    """One object to be packed: its key, its name inside, its size in bytes and when it was changed."""

    key: str
    name: str
    size: int
    changed_at: datetime | None = None


class Source(Protocol):
    """An object's bytes, as the storage interface hands them out."""

    @property
    def length(self) -> int | None: ...
    def __iter__(self) -> Iterator[bytes]: ...
    def close(self) -> None: ...


Open = Callable[[str], Source]
Begin = Callable[[Callable[[], "Source | InterfaceError"]], "Future[Source | InterfaceError]"]


class _Read:
    """A small object, read to its end."""

    def __init__(self, blocks: list[bytes]) -> None:
        self._blocks = blocks
        self.length = sum(map(len, blocks))

    def __iter__(self) -> Iterator[bytes]:
        return iter(self._blocks)

    def close(self) -> None:
        self._blocks = []


class _Sink:
    """Takes what `zipfile` writes, and hands it out."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []

    def write(self, data: bytes) -> int:
        self._parts.append(data)
        return len(data)

    def flush(self) -> None:
        """Nothing is held back."""

    def take(self) -> list[bytes]:
        parts, self._parts = self._parts, []
        return parts


def length(members: Sequence[Member]) -> int:
    """Bytes of the whole archive."""
    return _structure(members) + RESERVE


def pack(members: Sequence[Member], *, open_object: Open, begin: Begin, comment: str) -> Iterator[bytes]:
    """The archive in blocks, `length(members)` bytes together. `begin` runs a call in another thread; `comment` is ASCII.

    Raises `Changed` where an object has another size by now, and what the interface raises for anything but a missing object.
    """
    sink = _Sink()
    archive = ZipFile(sink, "w", ZIP_STORED, allowZip64=True)  # type: ignore[call-overload] # it writes and flushes, which is enough
    written: list[Member] = []
    failed: list[tuple[Member, InterfaceError]] = []
    try:
        with closing(_ahead(members, open_object, begin)) as opened:
            for member, found in opened:
                if isinstance(found, InterfaceError):
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
            f"An object changed while it was packed: {packed:,} bytes or more came instead of {member.size:,}.",
            operation="S18",
            service="storage",
        )
    yield from sink.take()


def _apology(
    archive: ZipFile, sink: _Sink, failed: list[tuple[Member, InterfaceError]], written: list[Member], whole: int
) -> Iterator[bytes]:
    """The entry that names what is missing, and one that takes its room where the comment can't."""
    lines = ["Not in this archive, because it was gone or not to be read when its turn came:", ""]
    text = "\n".join([*lines, *(member.name for member, _ in failed), ""]).encode()
    added = [(Member("", FAILED, len(text), datetime.now(UTC)), [text])]
    left = whole - _structure([*written, added[0][0]])
    if left > LONGEST_COMMENT:
        size = left - RESERVE
        blocks = (BLOCK[: size - begin] for begin in range(0, size, len(BLOCK)))
        added.append((Member("", PADDING, size, datetime.now(UTC)), blocks))  # type: ignore[arg-type] # any blocks will do
    for member, source in added:
        yield from _entry(archive, sink, member, source)
        written.append(member)


def _ahead(
    members: Sequence[Member], open_object: Open, begin: Begin
) -> Generator[tuple[Member, Source | InterfaceError], None, None]:
    """Each member with its bytes or why there are none, while the next few are being opened."""
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
    """An object's bytes, all of them where it is small: then the connection is free again."""
    try:
        source = open_object(key)
    except (NotFound, NotAllowed) as refusal:
        return refusal
    if source.length is None or source.length > SMALL:
        return source
    with closing(source):
        return _Read(list(source))


def _close(future: "Future[Source | InterfaceError]") -> None:
    if future.exception() is None and not isinstance(found := future.result(), InterfaceError):
        found.close()


def _structure(members: Sequence[Member]) -> int:
    """Bytes of an archive of these without its comment."""
    position = central = 0
    for member in members:
        name = len(member.name.encode())
        further = [position > ZIP64_LIMIT, *[member.size > ZIP64_LIMIT] * 2]
        central += _CENTRAL + name + (4 + 8 * sum(further) if any(further) else 0)
        position += _LOCAL + name + member.size
        position += _EXTRA64 + _DESCRIPTOR64 if _is_large(member) else _DESCRIPTOR
    return position + central + _END + (_END64 if max(position, central) > ZIP64_LIMIT else 0)


def _is_large(member: Member) -> bool:
    # `zipfile` decides so for itself from 1.05 times the size on.
    return member.size * 1.05 > ZIP64_LIMIT


def _moment(changed_at: datetime | None) -> tuple[int, int, int, int, int, int]:
    """As an archive keeps it: UTC, from 1980 to 2107."""
    at = min(max(changed_at or datetime.now(UTC), _FIRST), _LAST).astimezone(UTC)
    return (at.year, at.month, at.day, at.hour, at.minute, at.second)
