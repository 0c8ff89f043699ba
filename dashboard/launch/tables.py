"""The tables that `export` writes, and the values their columns can hold."""

from base64 import b64decode
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

from django.apps import apps
from django.db import connection, models

from dashboard.vault.fields import SealedField
from dashboard.vault.seals import Sealed

# Tables left out, with the reason.
LEFT_OUT: Mapping[str, str] = {
    "sessions.Session": "who has the file is nobody's session",
    "usersessions.UserSession": "the list of these sessions",
    "jobs.Worker": "processes, which are stopped",
    "launch.Prepared": "`prepare` writes it",
    "contenttypes.ContentType": "migrations write them",
    "auth.Permission": "migrations write them; Pilothouse has roles instead",
    "auth.Group": "Pilothouse has roles instead",
    "auth.Group_permissions": "Pilothouse has roles instead",
}
BATCH = 100
Field: TypeAlias = "models.Field[Any, Any]"
Row: TypeAlias = list[Any]


@dataclass(frozen=True)
class Table:
    """A model's table."""

    model: type[models.Model]

    @cached_property
    def label(self) -> str:
        return str(self.model._meta.label)  # noqa: SLF001 - Django documents it

    @cached_property
    def name(self) -> str:
        return str(self.model._meta.db_table)  # noqa: SLF001 - as above

    @cached_property
    def quoted(self) -> str:
        return str(connection.ops.quote_name(self.name))

    @cached_property
    def fields(self) -> list[Field]:
        return list(self.model._meta.local_concrete_fields)  # noqa: SLF001 - as above

    @property
    def head(self) -> dict[str, Any]:
        """The line before the table's rows in a file."""
        return {"table": self.label, "columns": [field.column for field in self.fields]}

    def rows(self) -> Iterator[Row]:
        """Yield rows by primary key, a batch per query: no cursor stays open, and memory stays flat."""
        dropped = [_leads_nowhere(field) for field in self.fields]
        every = self.model._base_manager.order_by("pk")  # noqa: SLF001 - documented; a custom manager could hide rows
        found = every.values_list("pk", *(field.attname for field in self.fields))
        batch = list(found[:BATCH])
        while batch:
            for _, *row in batch:
                yield [None if drop else value for drop, value in zip(dropped, row, strict=True)]
            batch = list(found.filter(pk__gt=batch[-1][0])[:BATCH])

    @cached_property
    def insertion(self) -> str:
        """The SQL that inserts what `prepared` returns."""
        columns = ", ".join(connection.ops.quote_name(str(field.column)) for field in self.fields)
        places = ", ".join("%s" for _ in self.fields)
        return f"INSERT INTO {self.quoted} ({columns}) VALUES ({places})"  # noqa: S608 - names of ours

    def prepared(self, row: Row) -> Row:
        """Convert values of a file for the database. Unlike saving, it sets no current times."""
        values = zip(self.fields, row, strict=True)
        return [field.get_db_prep_save(_value(field, value), connection) for field, value in values]

    def troubles(self, row: Row) -> Iterator[str]:
        """Yield values that this database can't hold, without quoting them."""
        for field, value in zip(self.fields, row, strict=True):
            if trouble := _trouble(field, value):
                yield f"{self.label} {row[0]}, {field.column}: {trouble}"


def tables() -> list[Table]:
    """Return every table to export, by name."""
    every = apps.get_models(include_auto_created=True)
    own = (Table(model) for model in every if not model._meta.proxy)  # noqa: SLF001 - Django documents it
    return sorted((table for table in own if table.label not in LEFT_OUT), key=lambda table: table.label)


def _leads_nowhere(field: Field) -> bool:
    """Whether a column refers to rows that are left out."""
    return isinstance(field, models.ForeignKey) and Table(field.remote_field.model).label in LEFT_OUT


def _value(field: Field, value: Any) -> Any:
    if value is None:
        return None
    match field:
        case models.BinaryField():
            return b64decode(value)
        case SealedField():
            return Sealed(value)
    return field.to_python(value)


def _trouble(field: Field, value: Any) -> str:
    if _is_number(field) and value is not None and not _fits(field, value):
        return "the number is too large"
    if connection.vendor != "postgresql":
        return ""
    longest = _target(field).max_length if isinstance(_target(field), models.CharField) else None
    if longest and isinstance(value, str) and len(value) > longest:
        return f"longer than {longest} characters"
    for text in _texts(value):
        if "\0" in text:
            return "a NUL character"
        if any("\ud800" <= character <= "\udfff" for character in text):
            return "half of a surrogate pair"
    return ""


def _is_number(field: Field) -> bool:
    return isinstance(field, models.IntegerField | models.ForeignKey) and isinstance(_target(field), models.IntegerField)


def _fits(field: Field, value: int) -> bool:
    low, high = connection.ops.integer_field_range(_target(field).get_internal_type())
    return (low is None or value >= low) and (high is None or value <= high)


def _target(field: Field) -> Field:
    return field.target_field if isinstance(field, models.ForeignKey) else field


def _texts(value: Any) -> Iterator[str]:
    match value:
        case str():
            yield value
        case list():
            for each in value:
                yield from _texts(each)
        case dict():
            for name, each in value.items():
                yield name
                yield from _texts(each)
