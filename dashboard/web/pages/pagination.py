"""Offset pagination with links that keep the rest of the query."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Generic, TypeVar
from urllib.parse import urlencode

from django.db.models import Model, QuerySet
from django.http import HttpRequest

from dashboard.web.http.requests import path_of, read_number

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

T = TypeVar("T")
M = TypeVar("M", bound=Model)

LIMIT = 100
MAX_OFFSET = 1_000_000


@dataclass(frozen=True, slots=True)
class Window:
    """The offset and limit of one request to the service."""

    offset: int
    limit: int


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """Rows and the addresses of adjacent pages, which are empty at the ends."""

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
    """Return the requested window; an invalid offset counts as 0."""
    return Window(offset=read_number(request.GET.get("offset", ""), most=MAX_OFFSET) or 0, limit=limit)


def part_of(request: HttpRequest, rows: Sequence[T], *, limit: int = LIMIT) -> Page[T]:
    """Return the requested page of a complete list, or the last page if it is beyond the end."""
    return part_of_total(request, len(rows), lambda start, end: rows[start:end], limit=limit)


def part_of_total(request: HttpRequest, total: int, read: Callable[[int, int], Sequence[T]], *, limit: int = LIMIT) -> Page[T]:
    """Return the requested page of `total` rows; `read(start, end)` returns them."""
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
    """Return the requested page of a query, counting only up to one row beyond it."""
    begin = window(request, limit=limit).offset
    total = begin + found[begin : begin + limit + 1].count()
    return part_of_total(request, total, lambda start, end: draw(found[start:end]), limit=limit)


def with_query(request: HttpRequest, name: str, value: str) -> str:
    """Return this address with one value of its query changed."""
    query = request.GET.copy()
    query[name] = value
    return f"{path_of(request)}?{query.urlencode()}"


def stay(asked: Window, total: int) -> Window:
    """Return the window, or the last one if it begins beyond `total` rows."""
    last = max(0, total - 1) // asked.limit * asked.limit
    return asked if asked.offset < max(total, 1) else Window(offset=last, limit=asked.limit)


def address(request: HttpRequest, offset: int) -> str:
    """Return this address at another offset, keeping the rest of the query."""
    query = request.GET.copy()
    if offset:
        query["offset"] = str(offset)
    else:
        query.pop("offset", None)
    path = path_of(request)
    return f"{path}?{query.urlencode()}" if query else path


def query_of(state: "DataclassInstance", **changes: Any) -> str:
    """Return a dataclass's non-default fields, with changes, as a query string or ""."""
    pairs = [(field.name, changes.get(field.name, getattr(state, field.name)), field.default) for field in fields(state)]
    query = urlencode([(name, value) for name, value, default in pairs if value != default])
    return f"?{query}" if query else ""
