"""Change objects and their folder rows in one transaction; delete replaced files after it."""

import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from threading import RLock
from typing import Any, TypeVar
from uuid import uuid4

from django.db import connection, models, transaction

from dashboard.sandbox.storage import disk, names, refusals
from dashboard.sandbox.storage.disk import Written
from dashboard.sandbox.storage.models import Bucket, Entry, Kind
from dashboard.sandbox.storage.tokens import Caller

M = TypeVar("M", bound=models.Model)
_BATCH = 500
# Writers queue here, because those waiting for SQLite back off even after it is free.
_TURN = RLock()
# Plain SQL: it runs for every parent folder of every change, and composing a query takes time.
_ADD = """
    UPDATE sandbox_storage_entry SET descendants = descendants + %s
    WHERE bucket_id = %s AND parent = %s AND name = %s AND kind = 0 AND descendants + %s > 0
"""


@dataclass(frozen=True, slots=True)
class Content:
    """The stored properties of an upload, without its key."""

    written: Written
    mimetype: str
    cache_control: str
    robots_tag: str = ""
    user_metadata: dict[str, object] = field(default_factory=dict)


def now() -> int:
    """Return milliseconds since 1970."""
    return time.time_ns() // 1_000_000


def find_bucket(ref: str, identifier: str) -> Bucket | None:
    return next(iter(_read_rows(Bucket, "WHERE project = %s AND identifier = %s", (ref, identifier))), None)


def find(bucket: Bucket, key: str) -> Entry | None:
    found = _read_rows(Entry, "WHERE bucket_id = %s AND key = %s", (bucket.pk, key)) if names.is_key(key) else ()
    return next(iter(found), None)


def find_many(bucket: Bucket, keys: Iterable[str]) -> dict[str, Entry]:
    """Return the existing objects by key."""
    wanted = [key for key in dict.fromkeys(keys) if names.is_key(key)]
    batches = (wanted[at : at + _BATCH] for at in range(0, len(wanted), _BATCH))
    return {str(row.key): row for batch in batches for row in Entry.objects.filter(bucket=bucket, key__in=batch)}


def store(bucket: Bucket, key: str, content: Content, caller: Caller, *, upsert: bool) -> Entry:
    """Create an object, or with `upsert` replace one, which keeps its id and creation time.

    Refused if the bucket is gone or the key is taken.
    """
    with _writing():
        if not Bucket.objects.filter(pk=bucket.pk).exists():
            raise refusals.no_bucket()
        entry = find(bucket, key)
        moment = now()
        if entry is None:
            entry = Entry(bucket=bucket, kind=Kind.OBJECT, created_at=moment)
            _place(entry, bucket, key)
            _count({(bucket, key): 1})
        elif not upsert:
            raise refusals.exists("KeyAlreadyExists")
        else:
            _remove_later([entry.file])
        entry.file, entry.size, entry.etag = content.written.file, content.written.size, content.written.etag
        entry.mimetype, entry.cache_control, entry.robots_tag = content.mimetype, content.cache_control, content.robots_tag
        entry.user_metadata = content.user_metadata
        entry.owner, entry.owner_id = caller.owner, caller.subject
        entry.version, entry.written_at, entry.updated_at = uuid4(), moment, moment
        entry.save()
    return entry


def move(bucket: Bucket, source: str, target: Bucket | None, key: str) -> None:
    """Change an object's key; id, creation time and metadata stay.

    Refused if the object or the target bucket is missing, or the key is taken.
    """
    with _writing():
        entry = find(bucket, source)
        if entry is None:
            raise refusals.no_object()
        # Only another bucket can be missing by now.
        if target is None or (target.pk != bucket.pk and not Bucket.objects.filter(pk=target.pk).exists()):
            raise refusals.no_destination()
        if target.pk == bucket.pk and source == key:
            return
        if find(target, key):
            raise refusals.exists("ResourceAlreadyExists")
        _count({(bucket, source): -1, (target, key): 1})
        _place(entry, target, key)
        entry.version, entry.updated_at = uuid4(), now()
        entry.save(update_fields=("bucket", "key", "parent", "name", "sort_name", "version", "updated_at"))


def delete(bucket: Bucket, keys: Sequence[str]) -> list[Entry]:
    """Delete the existing keys, 500 per transaction, and return their rows."""
    gone: list[Entry] = []
    wanted = list(dict.fromkeys(keys))
    for at in range(0, len(wanted), _BATCH):
        with _writing():
            rows = list(find_many(bucket, wanted[at : at + _BATCH]).values())
            Entry.objects.filter(pk__in=[row.pk for row in rows]).delete()
            _count({(bucket, str(row.key)): -1 for row in rows})
            _remove_later([row.file for row in rows])
        gone += rows
    return gone


def empty(bucket: Bucket, *, at_most: int) -> None:
    """Delete every object; refused above `at_most` objects."""
    with _writing():
        rows = Entry.objects.filter(bucket=bucket)
        files = list(rows.filter(kind=Kind.OBJECT).values_list("file", flat=True))
        if len(files) > at_most:
            raise refusals.too_many_objects()
        rows.delete()
        _remove_later(files)


def _place(entry: Entry, bucket: Bucket, key: str) -> None:
    names.check_segments(key)
    folder, _, name = key.rpartition("/")
    entry.bucket, entry.key = bucket, key
    entry.parent = key[: len(key) - len(name)].lower() if folder or name != key else ""
    entry.name, entry.sort_name = name, name.lower()


def _remove_later(files: list[str]) -> None:
    transaction.on_commit(lambda: disk.remove(files))


@contextmanager
def _writing() -> Iterator[None]:
    """Open a transaction. Writers queue, as only this process writes."""
    with _TURN, transaction.atomic():
        yield


def _count(objects: Mapping[tuple[Bucket, str], int]) -> None:
    """Add each key's number to the counts of its parent folders. Creates a row at the first object, deletes it at zero.

    Skips folders whose count doesn't change.
    """
    changes: Counter[tuple[Bucket, str, str]] = Counter()
    for (bucket, key), by in objects.items():
        parent = ""
        for name in key.split("/")[:-1]:
            changes[bucket, parent.lower(), name] += by
            parent += name + "/"
    with connection.cursor() as cursor:
        for (bucket, parent, name), change in changes.items():
            if change and not cursor.execute(_ADD, (change, bucket.pk, parent, name, change)).rowcount:
                _adjust(bucket, parent, name, change)


def _adjust(bucket: Bucket, parent: str, name: str, change: int) -> None:
    """Create or delete a folder's row."""
    alike = Entry.objects.filter(bucket=bucket, parent=parent, kind=Kind.FOLDER, sort_name=name.lower() + "/")
    row = alike.filter(name=name).only("leads").first()
    if row is None:
        leads = 0 if alike.exists() else 1
        Entry.objects.create(
            bucket=bucket, parent=parent, name=name, sort_name=name.lower() + "/", kind=Kind.FOLDER,
            leads=leads, descendants=change,
        )  # fmt: skip
        return
    alike.filter(pk=row.pk).delete()
    heir = alike.order_by("name").values_list("pk", flat=True).first() if row.leads else None
    if heir is not None:
        alike.filter(pk=heir).update(leads=1)


def _read_rows(model: type[M], where: str, values: Sequence[str | int]) -> list[M]:
    """Read the matching rows by raw SQL, because composing a frequent query takes time."""
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
    for at, column in enumerate(fields):
        expression = column.get_col(table)
        if converters := connection.ops.get_db_converters(expression) + expression.get_db_converters(connection):
            converted.append((at, expression, converters))
    columns = ", ".join(str(column.column) for column in fields)
    return f"SELECT {columns} FROM {table}", [str(column.attname) for column in fields], converted  # noqa: S608 - no value in it
