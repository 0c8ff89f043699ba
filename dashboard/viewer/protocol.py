"""The messages between web processes and the rendering process."""

from collections.abc import Iterator, Sequence
from enum import IntEnum
from struct import Struct, pack, unpack_from

# A request: the file's length, the task, the option's length; then the option and the file.
HEAD = Struct("!IBB")
LENGTH = Struct("!I")
# Only the first pages of a PDF are shown; this many are rendered per reading.
MOST_PAGES = 20
PAGES_AT_ONCE = 4


class Task(IntEnum):
    """What to render.

    A thumbnail of a picture or of a PDF's first page; pages of a PDF from the number in the option; Markdown as clean HTML;
    source as coloured HTML, its name in the option.
    """

    PICTURE = 0
    FIRST_PAGE = 1
    PAGES = 2
    MARKDOWN = 3
    CODE = 4


def framed(part: bytes) -> bytes:
    return LENGTH.pack(len(part)) + part


def parts_of(answer: bytes) -> list[bytes]:
    """Return the complete parts of an answer, which may have been cut short."""
    return list(_parts(answer))


def _parts(answer: bytes) -> Iterator[bytes]:
    at = 0
    while at + LENGTH.size <= len(answer):
        (length,) = LENGTH.unpack_from(answer, at)
        at += LENGTH.size + length
        if at > len(answer):
            return
        yield answer[at - length : at]


def outline(count: int, sizes: Sequence[tuple[int, int]]) -> bytes:
    """Encode the number of pages, and the rendered width and height of the first ones."""
    return pack(f"!I{2 * len(sizes)}H", count, *(side for size in sizes for side in size))


def outlined(part: bytes) -> tuple[int, list[tuple[int, int]]]:
    count, *sides = unpack_from(f"!I{(len(part) - 4) // 2}H", part)
    return count, list(zip(sides[::2], sides[1::2], strict=True))
