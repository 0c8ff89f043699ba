"""Pages of a list by offset, with links that keep the rest of the query."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Generic, TypeVar
from urllib.parse import urlencode

from django.db.models import Model, QuerySet
from django.http import HttpRequest

from dashboard.web.requests import path_of

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

T = TypeVar("T")
M = TypeVar("M", bound=Model)

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


def part_of(request: HttpRequest, rows: Sequence[T], *, limit: int = LIMIT) -> Page[T]:
    """The asked-for page of a list that is known whole. Behind its end, where rows were once: the last page."""
    return part_of_total(request, len(rows), lambda start, end: rows[start:end], limit=limit)


def part_of_total(request: HttpRequest, total: int, read: Callable[[int, int], Sequence[T]], *, limit: int = LIMIT) -> Page[T]:
    """The same of a list of which only the number is known: `read` gives the rows from one offset up to another."""
    asked = stay(window(request, limit=limit), total)
    end = asked.offset + asked.limit
    return Page(
        rows=read(asked.offset, end),
        offset=asked.offset,
        next=address(request, end) if end < total else "",
        previous=address(request, max(0, asked.offset - asked.limit)) if asked.offset else "",
    )


def part_of_query(
    request: HttpRequest, found: QuerySet[M], draw: Callable[[QuerySet[M]], Sequence[T]], *, limit: int = LIMIT
) -> Page[T]:
    """The same of what nobody has counted, and may be long: it is counted up to one row behind the page."""
    begin = window(request, limit=limit).offset
    total = begin + found[begin : begin + limit + 1].count()
    return part_of_total(request, total, lambda start, end: draw(found[start:end]), limit=limit)


def patient(request: HttpRequest) -> str:
    """This address, for somebody who would rather wait for the whole page (`?wait=1`)."""
    query = request.GET.copy()
    query["wait"] = "1"
    return f"{path_of(request)}?{query.urlencode()}"


def stay(asked: Window, total: int) -> Window:
    """The window, or the one that holds the last of `total` rows where it begins behind them."""
    last = max(0, total - 1) // asked.limit * asked.limit
    return asked if asked.offset < max(total, 1) else Window(offset=last, limit=asked.limit)


def address(request: HttpRequest, offset: int) -> str:
    """This address at another offset, everything else of the query kept."""
    query = request.GET.copy()
    if offset:
        query["offset"] = str(offset)
    else:
        query.pop("offset", None)
    path = path_of(request)
    return f"{path}?{query.urlencode()}" if query else path


def query_of(state: "DataclassInstance", **changes: Any) -> str:
    """What a dataclass of defaults says of a list, with some changes, as "" or `?…`; what has its default is left out."""
    pairs = [(field.name, changes.get(field.name, getattr(state, field.name)), field.default) for field in fields(state)]
    query = urlencode([(name, value) for name, value, default in pairs if value != default])
    return f"?{query}" if query else ""
