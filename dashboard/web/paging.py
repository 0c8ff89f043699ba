"""Pages of a list by offset, with links that keep the rest of the query."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from django.http import HttpRequest

T = TypeVar("T")

LIMIT = 100
FURTHEST = 1_000_000


@dataclass(frozen=True, slots=True)
class Window:
    """What to ask the service for."""

    offset: int
    limit: int


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """Rows and the addresses of their neighbours; `next` and `previous` are empty at the ends."""

    rows: Sequence[T]
    offset: int
    next: str
    previous: str

    @property
    def first(self) -> int:
        return self.offset + 1 if self.rows else 0

    @property
    def last(self) -> int:
        return self.offset + len(self.rows)


def window(request: HttpRequest, *, limit: int = LIMIT) -> Window:
    """The asked-for window; what is not a number, negative or absurd counts as the start."""
    asked = request.GET.get("offset", "")
    offset = int(asked) if asked.isdecimal() and len(asked) < 10 else 0
    return Window(offset=min(offset, FURTHEST), limit=limit)


def page_of(request: HttpRequest, rows: Sequence[T], asked: Window) -> Page[T]:
    """Fewer rows than asked for mean the end; more mean that there is a next page, and are cut off."""
    more = len(rows) > asked.limit or (len(rows) == asked.limit and asked.offset + asked.limit <= FURTHEST)
    return Page(
        rows=rows[: asked.limit],
        offset=asked.offset,
        next=address(request, asked.offset + asked.limit) if more else "",
        previous=address(request, max(0, asked.offset - asked.limit)) if asked.offset else "",
    )


def address(request: HttpRequest, offset: int) -> str:
    """This address at another offset, everything else of the query kept."""
    query = request.GET.copy()
    if offset:
        query["offset"] = str(offset)
    else:
        query.pop("offset", None)
    return f"{request.path}?{query.urlencode()}" if query else request.path
