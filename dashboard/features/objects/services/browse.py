"""One page of a folder and the bucket's own facts."""

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any, Literal

from msgspec.structs import replace as replaced

from dashboard.catalog import queries
from dashboard.catalog.keys import PLACEHOLDER
from dashboard.catalog.lookup import find_row
from dashboard.catalog.walk import LEAST_CAP, list_rows
from dashboard.interfaces.errors import InterfaceError, TokenRefused
from dashboard.interfaces.storage.buckets import Bucket
from dashboard.interfaces.storage.objects import SortColumn
from dashboard.interfaces.storage.records import StoredObject
from dashboard.tokens.workspace import Workspace
from dashboard.web.pagination import query_of

PAGE = 100
# What is added below a page comes in larger parts: it brings no frame along.
PART = 200
# After so many rows a page stops growing and leads to the next stretch instead.
STRETCH = 2000

Row = tuple[str, StoredObject]

COLUMNS: dict[str, SortColumn] = {
    "name": "name",
    "updated": "updated_at",
    "created": "created_at",
    "accessed": "last_accessed_at",
}


@dataclass(frozen=True, slots=True)
class Query:
    """What the address of a list says. `path` is a folder ("" or ending in a slash), `open` the key of an object."""

    path: str = ""
    search: str = ""
    sort: str = "name"
    order: Literal["asc", "desc"] = "asc"
    offset: int = 0
    open: str = ""

    def text(self, **changes: Any) -> str:
        return query_of(self, **changes)


@dataclass(frozen=True, slots=True, kw_only=True)
class Folder:
    """One page of S13. `whole`: the folder ends on its first page, so that its order is ours to choose. `twins`: folders that
    differ from this one in letter case alone, which the service lists with it."""

    query: Query
    entries: list[StoredObject]
    more: bool
    next_offset: int
    twins: tuple[str, ...] = ()

    @property
    def whole(self) -> bool:
        return not self.more and self.query.offset == 0

    @property
    def grows(self) -> bool:
        """May the next page be added below this one, or is it the next stretch?"""
        return self.more and self.next_offset // STRETCH == self.query.offset // STRETCH


def read_folder(workspace: Workspace, space: str, bucket: str, query: Query, *, below: bool = False) -> Folder:
    """S13: at most 100 entries, or 200 of the same stretch that go `below` others, without the marks that keep empty folders.
    Folders come first where the whole folder is here.

    One row more is asked for than is shown, to know whether there is more.
    """
    column = COLUMNS[query.sort]
    most = min(PART, STRETCH - query.offset % STRETCH) if below else PAGE
    look = partial(list_rows, workspace.storage(space), bucket, query.path, search=query.search)

    def ask(limit: int, offset: int) -> list[Row]:
        return look(limit=limit, offset=offset, sort_by=column, order=query.order)

    found = ask(most + 1, query.offset)
    more = len(found) > most
    if found and not more and len(found) % LEAST_CAP == 0:
        # The end, or as many as this service gives at once: the next row tells.
        more = bool(ask(1, query.offset + len(found)))
    found = found[:most]
    shown = len(found)
    inside = len(query.path)
    twins = {path[:inside] for path, _ in found} - {query.path}
    if twins and query.sort == "name":
        found = _parted(found, look)
    folder = Folder(
        query=query,
        entries=[
            replaced(entry, name=path[inside:].removesuffix("/") if entry.is_folder else path[inside:])
            for path, entry in found
            if path.startswith(query.path) and (path[inside:] != PLACEHOLDER or entry.size)
        ],
        more=more,
        next_offset=query.offset + shown,
        twins=tuple(sorted(twins)),
    )
    if folder.whole and query.sort == "name":
        folder.entries.sort(key=lambda entry: not entry.is_folder)
    return folder


def _parted(found: list[Row], look: Callable[..., list[Row]]) -> list[Row]:
    """S13 by time, which alone shows folders that differ in case as several: each of them in the place of the one by name."""
    alike: dict[str, list[Row]] = defaultdict(list)
    for path, entry in look(sort_by="created_at"):
        if entry.is_folder:
            alike[path.lower()].append((path, entry))
    return [row for path, entry in found for row in (alike.get(path.lower()) if entry.is_folder else None) or [(path, entry)]]


@dataclass(frozen=True, slots=True)
class Sizes:
    """What the index knows: of the folder itself and of those in it, as objects and bytes with all below, by path."""

    as_of: datetime
    here: tuple[int, int] | None
    inside: dict[str, tuple[int, int]]


def read_sizes(workspace: Workspace, space: str, bucket: str, folder: Folder, known: queries.Known | None) -> Sizes | None:
    """From the index alone, of which `known` tells; None where the bucket was never read as a whole with this token."""
    if known is None or not known.complete:
        return None
    path = folder.query.path
    inside = [f"{path}{entry.name}/" for entry in folder.entries if entry.is_folder and entry.name]
    found = queries.folder_sizes(workspace, space, bucket, [*inside, *([path] if path else [])])
    here = found.pop(path, None) if path else (known.objects, known.bytes)
    return Sizes(known.as_of, here, found)


def read_bucket(workspace: Workspace, space: str, bucket: str) -> Bucket | InterfaceError:
    """S4; or why there is none, since its objects may be visible all the same. A refused token goes up."""
    try:
        return workspace.storage(space).buckets.get(bucket)
    except TokenRefused:
        raise
    except InterfaceError as failure:
        return failure


def find_entry(workspace: Workspace, space: str, bucket: str, key: str) -> StoredObject | None:
    """S13: the list's own record of one object, which alone knows when it was last read; None where the list does not show it."""
    return find_row(workspace.storage(space), bucket, key)
