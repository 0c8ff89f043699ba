"""Sort a list by its address: `?sort=size`, or `?sort=-size` for descending order."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Literal

Order = Literal["asc", "desc"]

# What both directions of a column are called. Numbers and times begin with the largest and the newest.
DIRECTIONS = {
    "": ("", ""),
    "text": ("A to Z", "Z to A"),
    "size": ("smallest first", "largest first"),
    "time": ("oldest first", "newest first"),
}
DESCENDING_FIRST = {"size", "time"}


class Sort(str):
    """What a list is sorted by, as its address says it: a column, with "-" before it for descending order."""

    __slots__ = ()

    @property
    def column(self) -> str:
        return self.removeprefix("-")

    @property
    def descending(self) -> bool:
        return self.startswith("-")

    @property
    def order(self) -> Order:
        return "desc" if self.descending else "asc"


BY_NAME = Sort("name")


@dataclass(frozen=True, slots=True)
class Column:
    """A sortable column: its address, direction ("none" if the list isn't sorted by it) and words for screen readers."""

    label: str
    href: str
    direction: str
    words: str


def read_sort(query: Mapping[str, str], columns: Collection[str], default: Sort = BY_NAME) -> Sort:
    """Return the order that `?sort=` asks for; `default` if it names no column.

    Addresses of version 1.0.0 may say `order=desc` instead of "-".
    """
    asked = Sort(query.get("sort", default))
    if asked.column not in columns:
        return default
    return Sort(f"-{asked.column}") if query.get("order") == "desc" else asked


def column(name: str, label: str, now: Sort, *, kind: str = "", address: Callable[[Sort], str]) -> Column:
    """Describe a column of a list that is sorted by `now`. `kind` is a key of `DIRECTIONS`.

    Its link reverses the order if the list is sorted by it.
    """
    up, down = Sort(name), Sort(f"-{name}")
    words = dict(zip((up, down), DIRECTIONS[kind], strict=True))
    if now.column != name:
        start = down if kind in DESCENDING_FIRST else up
        return Column(label, address(start), "none", kind and f"sort {words[start]}")
    other = up if now.descending else down
    direction = "descending" if now.descending else "ascending"
    return Column(label, address(other), direction, kind and f"sorted {words[now]}; sort {words[other]}")
