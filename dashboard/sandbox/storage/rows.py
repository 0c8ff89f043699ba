"""Read rows by raw SQL into models, because composing frequent queries takes time."""

from collections.abc import Sequence
from functools import cache
from typing import Any, TypeVar

from django.db import connection, models

M = TypeVar("M", bound=models.Model)


def read_rows(model: type[M], where: str, values: Sequence[str | int]) -> list[M]:
    """Return the matching rows."""
    sql, names, converted = _columns(model)
    with connection.cursor() as cursor:
        rows = [list(row) for row in cursor.execute(f"{sql} {where}", values).fetchall()]
    for row in rows:
        for at, expression, converters in converted:
            for convert in converters:
                row[at] = convert(row[at], expression, connection)
    return [model.from_db(connection.alias, names, row) for row in rows]


@cache
def _columns(model: type[models.Model]) -> tuple[str, list[str], list[tuple[int, Any, list[Any]]]]:
    """Return the SELECT clause, the column names, and the converters by column."""
    table, fields = model._meta.db_table, model._meta.concrete_fields  # noqa: SLF001 - Django documents it
    converted = []
    for at, field in enumerate(fields):
        expression = field.get_col(table)
        if converters := connection.ops.get_db_converters(expression) + expression.get_db_converters(connection):
            converted.append((at, expression, converters))
    columns = ", ".join(str(field.column) for field in fields)
    return f"SELECT {columns} FROM {table}", [str(field.attname) for field in fields], converted  # noqa: S608 - no value in it
