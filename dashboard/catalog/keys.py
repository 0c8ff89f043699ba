"""Keys and folders taken apart and put together. Pure text: nothing here asks the service."""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Sequence

from dashboard.interfaces.names import LONGEST_SEGMENT

PLACEHOLDER = ".emptyFolderPlaceholder"
_NUMBERED = re.compile(r"^(?P<stem>.*) \((?P<number>\d{1,4})\)$", re.DOTALL)


def folder(text: str) -> str:
    """A folder as S13 takes it: with a slash at the end, "" for the root. "/" is the folder without a name in the root."""
    return text if not text or text.endswith("/") else f"{text}/"


def name_of(key: str) -> str:
    """The last segment: `b.txt` of `a/b.txt`, and "" of `a/`."""
    return key.rpartition("/")[2]


def folder_of(key: str) -> str:
    """The folder an object is listed in: `a/` of `a/b.txt`, "" at the root."""
    head, slash, _ = key.rpartition("/")
    return head + slash


def outermost(folders: Iterable[str]) -> tuple[str, ...]:
    """The folders without those that lie in another one of them, in the order they came."""
    given = dict.fromkeys(folders)
    kept: list[str] = []
    for folder in sorted(given):
        if not kept or not folder.startswith(kept[-1]):
            kept.append(folder)
    outer = frozenset(kept)
    return tuple(folder for folder in given if folder in outer)


def enclosing(key: str, folders: Sequence[str]) -> str | None:
    """The one of these folders that the key lies in, at any depth. They are sorted, and none lies in another one."""
    at = bisect_right(folders, key)
    return folders[at - 1] if at and key.startswith(folders[at - 1]) else None


def lies_in(key: str, folders: Sequence[str]) -> bool:
    """Does the key lie in one of these folders? They are sorted, and none lies in another one."""
    return enclosing(key, folders) is not None


def trail(path: str) -> list[tuple[str, str]]:
    """Each folder of a path as (name, path), outermost first: `a/b/` → [("a", "a/"), ("b", "a/b/")]."""
    steps: list[tuple[str, str]] = []
    walked = ""
    for name in path.split("/")[:-1]:
        walked += f"{name}/"
        steps.append((name, walked))
    return steps


def printable(text: str) -> str:
    """The text with what the eye can't see or would be misled by (controls, direction marks, nothing but spaces) as escapes."""
    kept = "" if text.isspace() else " "
    if kept and text.isprintable():
        return text
    return "".join(
        character if character == kept or unicodedata.category(character)[0] not in "CZ" else f"\\u{ord(character):04x}"
        for character in text
    )


def numbered(key: str, count: int) -> list[str]:
    """The next `count` names beside a taken one: `a/b.txt` → `a/b (1).txt`, `a/b (2).txt` …; `b (4).txt` goes on with 5."""
    head, name = folder_of(key), name_of(key)
    stem, dot, ending = name.rpartition(".")
    if not stem:
        stem, dot, ending = name, "", ""
    first = 1
    if taken := _NUMBERED.match(stem):
        stem, first = taken["stem"], int(taken["number"]) + 1
    endings = [f" ({number}){dot}{ending}" for number in range(first, first + count)]
    return [f"{head}{stem[: LONGEST_SEGMENT - len(tail)]}{tail}" for tail in endings]
