"""Line-by-line difference of two texts, with context lines."""

from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

MOST_CHARACTERS = 1_000_000
MOST_LINES = 6_000
SHOWN_LINES = 1_500
LONGEST_LINE = 600

Kind = Literal["same", "added", "removed"]
SIGNS: dict[Kind, str] = {"same": " ", "added": "+", "removed": "-"}


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the difference. Line numbers start at 1; None on the side without the line."""

    kind: Kind
    old: int | None
    new: int | None
    text: str

    @property
    def sign(self) -> str:
        return SIGNS[self.kind]


@dataclass(frozen=True, slots=True)
class Difference:
    """Groups of lines around each change, at most 1,500 lines in total.

    `too_large`: the texts were not compared line by line. `line_ends`: they differ only in carriage returns. `cut`: not all
    changes are included.
    """

    same: bool
    groups: tuple[tuple[Line, ...], ...] = ()
    added: int = 0
    removed: int = 0
    too_large: bool = False
    line_ends: bool = False
    cut: bool = False


def difference(old: str, new: str) -> Difference:
    """Compare two texts, with three context lines before and after each change."""
    if old == new:
        return Difference(same=True)
    if old.replace("\r\n", "\n") == new.replace("\r\n", "\n"):
        return Difference(same=False, line_ends=True)
    if old.endswith("\n") and new.endswith("\n"):
        old, new = old[:-1], new[:-1]
    before, after = old.split("\n"), new.split("\n")
    if len(old) + len(new) > MOST_CHARACTERS or max(len(before), len(after)) > MOST_LINES:
        return Difference(same=False, too_large=True)
    matcher = SequenceMatcher(None, before, after)
    changes = [code for code in matcher.get_opcodes() if code[0] != "equal"]
    groups: list[tuple[Line, ...]] = []
    left = SHOWN_LINES
    for codes in matcher.get_grouped_opcodes(3):
        lines = tuple(line for code in codes for line in _lines(code, before, after))
        groups.append(lines[:left])
        left -= len(lines)
        if left <= 0:
            break
    return Difference(
        same=False,
        groups=tuple(groups),
        added=sum(end - start for _, _, _, start, end in changes),
        removed=sum(end - start for _, start, end, _, _ in changes),
        cut=left < 0,
    )


def _lines(code: tuple[str, int, int, int, int], before: list[str], after: list[str]) -> Iterator[Line]:
    name, old, old_end, new, new_end = code
    if name == "equal":
        for offset in range(old_end - old):
            yield Line("same", old + offset + 1, new + offset + 1, _shown(before[old + offset]))
        return
    for number in range(old, old_end):
        yield Line("removed", number + 1, None, _shown(before[number]))
    for number in range(new, new_end):
        yield Line("added", None, number + 1, _shown(after[number]))


def _shown(line: str) -> str:
    if len(line) <= LONGEST_LINE:
        return line
    return f"{line[:LONGEST_LINE]}… ({len(line) - LONGEST_LINE:,} more characters)"
