"""Sort a list by its address: read the choice, and describe sortable columns."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Literal

from django.http import QueryDict

Order = Literal["asc", "desc"]


@dataclass(frozen=True, slots=True)
class Column:
    """A sortable column: its address, direction ("" if the list isn't sorted by it) and words for screen readers."""

    label: str
    href: str
    direction: str
    words: str


def read_sort(query: QueryDict, columns: Collection[str]) -> tuple[str, bool]:
    """Return the column of `?sort=`, and whether "-" before it asks for descending order. Unknown ones give "name"."""
    sort = query.get("sort", "")
    name = sort.removeprefix("-")
    return (name, sort.startswith("-")) if name in columns else ("name", False)


def column(label: str, *, now: Order | None, start: Order, words: tuple[str, str], address: Callable[[Order], str]) -> Column:
    """Describe a column. `now` is its order if the list is sorted by it, which its link reverses, else the link sorts by `start`.

    `words` describe both orders ("A to Z", "Z to A").
    """
    described = {"asc": words[0], "desc": words[1]}
    order: Order = start if now is None else "desc" if now == "asc" else "asc"
    direction = "" if now is None else "ascending" if now == "asc" else "descending"
    present = f"sorted {described[now]}; " if now else ""
    return Column(label, address(order), direction, f"{present}sort {described[order]}")
