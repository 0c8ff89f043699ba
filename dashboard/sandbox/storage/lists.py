"""Folder listings: a page of entries by name, or folders first and then objects by time.

Every query is a range of one index (models.Entry). A search sorted by time has no index: few matches are fetched and sorted here;
many are found soon by following the index of times.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import msgspec
from django.db import connection
from django.db.models import QuerySet, TextField, Value
from django.db.models.functions import Concat

from dashboard.sandbox.generations import is_older, most_rows
from dashboard.sandbox.storage import wildcards
from dashboard.sandbox.storage.models import Bucket, Entry, Kind
from dashboard.sandbox.storage.records import Line, Record, listed_folder, listed_record

COLUMNS: Final[Mapping[str, str]] = {
    "name": "sort_name",
    "updated_at": "updated_at",
    "created_at": "created_at",
    "last_accessed_at": "created_at",
}
_FEW = 2000

# Plain SQL, because most lists run this and composing a query and models takes time. Rows are fetched as one text, because other
# threads would take the interpreter between single rows.
_COLUMNS = ", ".join(Line._fields)
_SHOWN = f"SELECT {_COLUMNS} FROM sandbox_storage_entry WHERE bucket_id = %s AND parent = %s AND leads = 1"  # noqa: S608 - no value in it
# Adds the kind of the row above, from Z to A: 1 is an object.
_COMPARED = _SHOWN.replace(" FROM", ", sort_name, lag(kind) OVER (ORDER BY sort_name DESC, name DESC) AS above FROM")
_START = " AND sort_name >= %s AND sort_name < %s"
_UP = "ORDER BY sort_name, name LIMIT %s OFFSET %s"
_DOWN = "ORDER BY sort_name DESC, name DESC LIMIT %s OFFSET %s"


@dataclass(frozen=True, slots=True)
class Wish:
    """One request of S13; `search` is the start of a name and may reach into subfolders."""

    prefix: str
    search: str = ""
    limit: int = 100
    offset: int = 0
    column: str = "name"
    descending: bool = False
    leaves_folders_out: bool = False

    @property
    def folder(self) -> str:
        return self.prefix if not self.prefix or self.prefix.endswith("/") else self.prefix + "/"

    def order(self, column: str) -> list[str]:
        sign = "-" if self.descending else ""
        return [sign + name for name in dict.fromkeys([column, "sort_name", "name"])]


def page(bucket: Bucket, wish: Wish) -> list[Record]:
    """Return at most `most_rows()` rows in the order of S13.

    `name` is relative to the requested folder, so a search that reaches deeper returns paths, spelled as stored.
    """
    sought = wish.folder + wish.search
    if not sought.isascii():
        return []
    parent = sought[: sought.rfind("/") + 1]
    start = sought[len(parent) :].lower()
    part = slice(wish.offset, wish.offset + min(wish.limit, most_rows()))
    if parent != wish.folder:
        if is_older():
            return _first_segments(bucket, wish, _named(_in_folder(bucket, parent), start).exists())[part]
        spelled = _spelled(bucket, parent)
        if spelled is None:
            return _twins(bucket, wish, sought)[part]
        parent = spelled
    if pattern := wildcards.matching(parent.lower()):
        alike = Entry.objects.filter(bucket=bucket, parent__regex=pattern, sort_name__startswith=start)
        found = alike.order_by(*wish.order(COLUMNS[wish.column]))[part]
        # A search returns paths as stored.
        return [_record(row, wish.folder, parent if parent == wish.folder else row.parent) for row in found]
    # Older services list folders first, whatever the sort.
    mixed = wish.column == "name" and not is_older()
    rows: Sequence[Entry | Line] = (
        _by_name(bucket, parent, start, wish, part) if mixed else _by_time(_in_folder(bucket, parent), start, wish, part)
    )
    folder = wish.folder
    return [_record(row, folder, parent) for row in rows]


def _in_folder(bucket: Bucket, parent: str) -> QuerySet[Entry]:
    return Entry.objects.filter(bucket=bucket, parent=parent.lower()).defer("user_metadata")


def _first_segments(bucket: Bucket, wish: Wish, found: bool) -> list[Record]:
    # not shown: what an older service returns for a search with a slash. Only the folders right below the prefix.
    first = wish.search.partition("/")[0].lower() + "/"
    rows = Entry.objects.filter(bucket=bucket, parent=wish.folder.lower(), kind=Kind.FOLDER, sort_name=first).order_by("name")
    return [listed_folder(row.name) for row in rows] if found else []


def _spelled(bucket: Bucket, path: str) -> str | None:
    """Return the folder's spelling, or None if its objects use several."""
    spelled = ""
    for name in path.split("/")[:-1]:
        alike = Entry.objects.filter(
            bucket=bucket, parent=spelled.lower(), kind=Kind.FOLDER, sort_name=name.lower() + "/"
        ).values_list("name", flat=True)[:2]
        if len(alike) > 1:
            return None
        spelled += f"{alike[0] if alike else name}/"
    return spelled


def _twins(bucket: Bucket, wish: Wish, sought: str) -> list[Record]:
    """Return the rows below folders that differ only in case. By name, such folders are one row, spelled as the first object."""
    parent = sought[: sought.rfind("/") + 1].lower()
    below = Entry.objects.filter(bucket=bucket, kind=Kind.OBJECT, parent__gte=parent, parent__lt=_beyond(parent))
    found = [row for row in below.defer("user_metadata") if str(row.key).lower().startswith(sought.lower())]
    found.sort(key=lambda row: (str(row.key).lower(), str(row.key)), reverse=wish.descending)
    folders: dict[str, str] = {}
    records: dict[str, Entry | None] = {}
    for row in found:
        key = str(row.key)
        end = key.find("/", len(sought))
        if end < 0:
            records[key] = row
        else:
            folder = key[:end]
            records.setdefault(folders.setdefault(folder.lower() if wish.column == "name" else folder, folder), None)
    shown = list(records.items())
    if wish.column != "name":
        column = COLUMNS[wish.column]
        shown.sort(key=lambda pair: getattr(pair[1], column) if pair[1] else 0, reverse=wish.descending)
        shown.sort(key=lambda pair: pair[1] is not None)
    cut = len(wish.folder)
    return [listed_record(row, key[cut:]) if row else listed_folder(key[cut:].rstrip("/")) for key, row in shown]


def _by_name(bucket: Bucket, parent: str, start: str, wish: Wish, part: slice) -> list[Line]:
    sql = f"{_SHOWN}{_START if start else ''} {_DOWN if wish.descending else _UP}"
    if wish.descending and wish.leaves_folders_out:
        sql = f"SELECT {_COLUMNS} FROM ({_COMPARED}{_START if start else ''}) WHERE kind = 1 OR above IS NOT 1 {_DOWN}"  # noqa: S608 - no value in it
    bounds = (start, _beyond(start)) if start else ()
    values = (bucket.pk, parent.lower(), *bounds, part.stop - part.start, part.start)
    with connection.cursor() as cursor:
        (rows,) = cursor.execute(f"SELECT json_group_array(json_array({_COLUMNS})) FROM ({sql})", values).fetchone()  # noqa: S608 - no value in it
    return msgspec.json.decode(rows, type=list[Line])


def _by_time(entries: QuerySet[Entry], start: str, wish: Wish, part: slice) -> list[Entry]:
    folders = _named(entries.filter(kind=Kind.FOLDER), start)
    shown = list(folders.order_by(*wish.order("sort_name"))[part])
    wanted = part.stop - part.start - len(shown)
    if not wanted:
        return shown
    passed = part.start - folders.count() if part.start and not shown else 0
    objects = entries.filter(kind=Kind.OBJECT)
    return shown + _objects_by_time(objects, start, wish, slice(passed, passed + wanted))


def _objects_by_time(objects: QuerySet[Entry], start: str, wish: Wish, part: slice) -> list[Entry]:
    column = COLUMNS[wish.column]
    if start:
        few = list(_named(objects, start).values_list(column, "sort_name", "name", "pk")[: _FEW + 1])
        if len(few) <= _FEW:
            chosen = [row[-1] for row in sorted(few, reverse=wish.descending)[part]]
            rows = Entry.objects.defer("user_metadata").in_bulk(chosen)
            return [rows[pk] for pk in chosen if pk in rows]
        # An expression, so that SQLite uses the index of times and not that of names.
        objects = objects.annotate(label=Concat("sort_name", Value(""), output_field=TextField())).filter(
            label__gte=start, label__lt=_beyond(start)
        )
    return list(objects.order_by(*wish.order(column))[part])


def _named(entries: QuerySet[Entry], start: str) -> QuerySet[Entry]:
    return entries.filter(sort_name__gte=start, sort_name__lt=_beyond(start)) if start else entries


def _beyond(start: str) -> str:
    """Return the first text after all those with this prefix."""
    return start[:-1] + chr(ord(start[-1]) + 1)


def _record(row: Entry | Line, folder: str, parent: str) -> Record:
    if row.kind == Kind.FOLDER:
        return listed_folder((parent[len(folder) :] + row.name).rstrip("/"))
    return listed_record(row, str(row.key)[len(folder) :])
