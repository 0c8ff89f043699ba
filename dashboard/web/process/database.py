"""Release pooled database connections early, and read rows cheaply."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from functools import cache
from typing import Any, TypeVar, cast

from django.db import connection
from django.db.models import Model, QuerySet
from django.http import HttpRequest, StreamingHttpResponse
from django.http.response import HttpResponseBase

M = TypeVar("M", bound=Model)


def give_back() -> None:
    """Return this thread's connection to the pool unless a transaction needs it."""
    if _is_pooled() and not connection.in_atomic_block:
        connection.close()


@cache
def _is_pooled() -> bool:
    """Asked for every block of a stream: finding the thread's connection takes longer than reading a small file."""
    return bool(connection.settings_dict["OPTIONS"].get("pool"))


def in_chunks(found: QuerySet[M], size: int) -> Iterator[M]:
    """Yield rows in order, `size` per query, so that a streamed answer holds no cursor open."""
    keys = list(found.values_list("pk", flat=True))
    for start in range(0, len(keys), size):
        some = keys[start : start + size]
        rows = found.in_bulk(some)
        yield from (rows[key] for key in some if key in rows)


def read_rows(model: type[M], where: str, values: Sequence[str | int | datetime | None]) -> list[M]:
    """Return rows by raw SQL, which saves composing a query for every request."""
    sql, names, converted = _columns(model)
    with connection.cursor() as cursor:
        cursor.execute(f"{sql} {where}", [_adapted(value) for value in values])
        rows = [list(row) for row in cursor.fetchall()]
    for row in rows:
        for at, expression, converters in converted:
            for convert in converters:
                row[at] = convert(row[at], expression, connection)
    return [model.from_db(connection.alias, names, row) for row in rows]


def read_keys(model: type[Model], where: str, values: Sequence[str | int | datetime]) -> list[int]:
    """Return primary keys by raw SQL, as `read_rows` does rows."""
    quote = connection.ops.quote_name
    key, table = quote(str(model._meta.pk.column)), quote(model._meta.db_table)  # noqa: SLF001 - Django documents it
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {key} FROM {table} {where}", [_adapted(value) for value in values])  # noqa: S608 - no value in it
        return [row[0] for row in cursor.fetchall()]


def _adapted(value: str | int | datetime | None) -> Any:
    return connection.ops.adapt_datetimefield_value(value) if isinstance(value, datetime) else value


@cache
def _columns(model: type[Model]) -> tuple[str, list[str], list[tuple[int, Any, list[Any]]]]:
    """Return the SELECT clause, the column names, and the converters by column."""
    table, fields, quote = model._meta.db_table, model._meta.concrete_fields, connection.ops.quote_name  # noqa: SLF001 - Django documents it
    converted = []
    for at, field in enumerate(fields):
        expression = field.get_col(table)
        if converters := connection.ops.get_db_converters(expression) + expression.get_db_converters(connection):
            converted.append((at, expression, converters))
    columns = ", ".join(quote(str(field.column)) for field in fields)
    return f"SELECT {columns} FROM {quote(table)}", [str(field.attname) for field in fields], converted  # noqa: S608 - no value in it


class Streams:
    """Middleware: streamed answers hold no database connection."""

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
