"""The entries of a folder, and everything below it, as S13 tells them."""

from collections import deque
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Final, Literal

from dashboard.catalog import keys
from dashboard.catalog.keys import PLACEHOLDER, name_of
from dashboard.interfaces import StorageInterface
from dashboard.interfaces.storage.objects import SortColumn
from dashboard.interfaces.storage.records import StoredObject

PAGE = 1000
# A service may answer fewer rows than asked without being at the end: 100 is the least cap seen.
LEAST_CAP = 100
# Addresses of services that never return whole paths, as long as this process lives.
_RELATIVE: Final[set[str]] = set()


@dataclass(frozen=True, slots=True)
class Entry:
    """One object, by its whole key. `is_marker`: the empty object that keeps an empty folder, which people don't see."""

    key: str
    size: int | None = None
    mimetype: str | None = None
    etag: str | None = None
    created_at: datetime | None = None
    updated_at: datetime | None = None
    accessed_at: datetime | None = None

    @property
    def is_marker(self) -> bool:
        return name_of(self.key) == PLACEHOLDER and not self.size


@dataclass(frozen=True, slots=True)
class Listing:
    """One page of a folder, and of those that differ from it in letter case alone: keys are real ones, so compare them.

    `folders` are whole paths that end in a slash, one of each spelling; `next_offset` is None at the folder's end. `names` holds
    all rows as they came, by their names, and so tells where the next page has to join on.
    """

    entries: list[Entry]
    folders: list[str]
    next_offset: int | None
    names: list[str]


def list_rows(
    storage: StorageInterface,
    bucket: str,
    folder: str,
    *,
    search: str = "",
    limit: int = PAGE,
    offset: int = 0,
    sort_by: SortColumn = "name",
    order: Literal["asc", "desc"] = "asc",
) -> list[tuple[str, StoredObject]]:
    """S13: the rows of a folder with their whole paths; those of folders end in a slash.

    The service ignores letter case in a folder, so the rows of `Photos/` include those of `photos/`, and sorted by name it shows
    folders that differ in case alone as one row. Asked for as the beginning of a path instead of as a prefix, it returns real
    paths: compare them with the folder to know what lies in it.
    """
    ask = partial(storage.objects.all, bucket, limit=limit, offset=offset, sort_by=sort_by, order=order)
    if folder and storage.address not in _RELATIVE:
        found = ask(search=folder + search)
        if not found or any(is_within(row.name, folder) for row in found):
            return [(_path(row, folder), row) for row in found]
    # Older services compare a search with whole paths, too, but return names without the folder.
    found = ask(prefix=folder, search=search)
    if folder and any(row.name for row in found):
        _RELATIVE.add(storage.address)
    return [(f"{folder}{row.name}{'/' if row.is_folder else ''}", row) for row in found]


def list_page(storage: StorageInterface, bucket: str, folder: str, *, offset: int = 0) -> Listing:
    """S13 once, 1,000 rows by name. A server that caps its rows is not taken for the end of the folder."""
    found = list_rows(storage, bucket, folder, limit=PAGE, offset=offset)
    whole = not found or len(found) % LEAST_CAP != 0
    return Listing(
        entries=[entry_of(key, row) for key, row in found if not row.is_folder],
        folders=list({path.lower(): path for path, row in reversed(found) if row.is_folder}.values())[::-1],
        next_offset=None if whole else offset + len(found),
        names=[row.name for _, row in found],
    )


def walk(storage: StorageInterface, bucket: str, folders: Collection[str] = ("",)) -> Iterator[Listing]:
    """S13 for everything below these folders, page by page, nearest first. For short work inside a request or a step of a job."""
    wanted = sorted(keys.outermost(folders))
    waiting = deque(outermost(folders))
    while waiting:
        path = waiting.popleft()
        below: dict[str, str] = {}
        offset: int | None = 0
        while offset is not None:
            page = list_page(storage, bucket, path, offset=offset)
            below |= {found.lower(): found for found in page.folders}
            yield replace(page, entries=[entry for entry in page.entries if keys.lies_in(entry.key, wanted)])
            offset = page.next_offset
        waiting.extend(below.values())


def outermost(folders: Iterable[str]) -> list[str]:
    """The folders to list for all of these: none that lies in another one, and of those that differ in case alone the first."""
    first: dict[str, str] = {}
    for folder in folders:
        first.setdefault(folder.lower(), folder)
    return [first[lower] for lower in keys.outermost(first)]


def is_within(path: str, folder: str) -> bool:
    """Does the service list this path in the folder, whatever the case of its letters?"""
    return path[: len(folder)].lower() == folder.lower()


def _path(row: StoredObject, folder: str) -> str:
    """The whole path of a row. Of a folder without a name the service drops all slashes at the end."""
    return row.name + "/" * max(1, len(folder) + 1 - len(row.name)) if row.is_folder else row.name


def entry_of(key: str, row: StoredObject) -> Entry:
    """The object of this row of S13."""
    return Entry(
        key=key,
        size=row.size,
        mimetype=row.mimetype,
        etag=row.etag,
        created_at=row.created_at,
        updated_at=row.updated_at,
        accessed_at=row.last_accessed_at,
    )
