"""Split and join keys and folders. Pure text."""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Sequence

from dashboard.interfaces.names import LONGEST_SEGMENT

PLACEHOLDER = ".emptyFolderPlaceholder"
# Name of the subfolder that holds files from outsiders until somebody accepts them.
INBOX = ".requests"
# Browsers show these as one space or not at all. The character that stands for them occurs in no key.
_HIDDEN_SPACES = re.compile(r"^ +| +$| {2,}|(?<=/) +| +(?=/)")
_NUMBERED = re.compile(r"^(?P<stem>.*) \((?P<number>\d{1,4})\)$", re.DOTALL)


def folder(text: str) -> str:
    """Add the closing slash that S13 needs. "" is the root, "/" the folder without a name in it."""
    return text if not text or text.endswith("/") else f"{text}/"


def name_of(key: str) -> str:
    """Return the last segment: `b.txt` for `a/b.txt`, "" for `a/`."""
    return key.rpartition("/")[2]


def folder_of(key: str) -> str:
    """Return the folder of a key: `a/` for `a/b.txt`, "" for the root."""
    head, slash, _ = key.rpartition("/")
    return head + slash


def by_folder(keys: Iterable[str]) -> dict[str, list[str]]:
    """Return the keys of each folder, each key once."""
    folders: dict[str, list[str]] = {}
    for key in dict.fromkeys(keys):
        folders.setdefault(folder_of(key), []).append(key)
    return folders


def following(key: str) -> str:
    """Return the first text after a key. NUL occurs in none."""
    return f"{key}\x01"


def is_pending(key: str) -> bool:
    """Whether a key or folder belongs to files from outsiders that nobody has accepted yet."""
    return f"/{INBOX}/" in f"/{key}"


def outermost(folders: Iterable[str]) -> tuple[str, ...]:
    """Drop folders that are inside another one; keep the order."""
    given = dict.fromkeys(folders)
    kept: list[str] = []
    for folder in sorted(given):
        if not kept or not folder.startswith(kept[-1]):
            kept.append(folder)
    outer = frozenset(kept)
    return tuple(folder for folder in given if folder in outer)


def enclosing(key: str, folders: Sequence[str]) -> str | None:
    """Return the folder that contains the key, at any depth. `folders` are sorted and not nested."""
    at = bisect_right(folders, key)
    return folders[at - 1] if at and key.startswith(folders[at - 1]) else None


def lies_in(key: str, folders: Sequence[str]) -> bool:
    """Whether one of these folders contains the key. They are sorted and not nested."""
    return enclosing(key, folders) is not None


def trail(path: str) -> list[tuple[str, str]]:
    """Return each folder of a path as (name, path), outermost first: `a/b/` → [("a", "a/"), ("b", "a/b/")]."""
    steps: list[tuple[str, str]] = []
    walked = ""
    for name in path.split("/")[:-1]:
        walked += f"{name}/"
        steps.append((name, walked))
    return steps


def printable(text: str) -> str:
    """Show leading, trailing and repeated spaces as ␣, and escape invisible and misleading characters."""
    shown = _HIDDEN_SPACES.sub(lambda found: "␣" * len(found[0]), text)
    if shown.isprintable():
        return shown
    return "".join(
        character if character == " " or unicodedata.category(character)[0] not in "CZ" else f"\\u{ord(character):04x}"
        for character in shown
    )


def numbered(key: str, count: int) -> list[str]:
    """Return the next `count` numbered names: `a/b.txt` → `a/b (1).txt`, `a/b (2).txt` …; `b (4).txt` continues with 5."""
    head, name = folder_of(key), name_of(key)
    stem, dot, ending = name.rpartition(".")
    if not stem:
        stem, dot, ending = name, "", ""
    first = 1
    if taken := _NUMBERED.match(stem):
        stem, first = taken["stem"], int(taken["number"]) + 1
    endings = [f" ({number}){dot}{ending}" for number in range(first, first + count)]
    return [f"{head}{stem[: LONGEST_SEGMENT - len(tail)]}{tail}" for tail in endings]
