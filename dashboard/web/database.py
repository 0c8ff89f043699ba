"""The pool of database connections: nobody keeps one while waiting for somebody else."""

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar, cast

from django.db import connection
from django.db.models import Model, QuerySet
from django.http import HttpRequest, StreamingHttpResponse
from django.http.response import HttpResponseBase

M = TypeVar("M", bound=Model)


def give_back() -> None:
    """Give this thread's connection back to the pool, unless a transaction needs it. The next query takes one again."""
    if connection.settings_dict["OPTIONS"].get("pool") and not connection.in_atomic_block:
        connection.close()


def in_chunks(found: QuerySet[M], size: int) -> Iterator[M]:
    """Rows in their order for an answer that is streamed: read so many at a time, so that no cursor keeps a connection."""
    keys = list(found.values_list("pk", flat=True))
    for start in range(0, len(keys), size):
        some = keys[start : start + size]
        rows = found.in_bulk(some)
        yield from (rows[key] for key in some if key in rows)


class Streams:
    """Middleware: an answer that is streamed keeps no connection, however slowly it is taken."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        if isinstance(response, StreamingHttpResponse) and not response.is_async:
            response.streaming_content = _without_connection(cast("Iterable[bytes]", response.streaming_content))
        return response


def _without_connection(blocks: Iterable[bytes]) -> Iterator[bytes]:
    give_back()
    for block in blocks:
        give_back()
        yield block
