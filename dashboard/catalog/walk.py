"""List a folder, or everything below it, by S13."""

from collections import defaultdict, deque
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property, partial
from hashlib import blake2b
from os.path import commonprefix
from typing import Final, Literal

import msgspec

from dashboard.catalog import keys
from dashboard.catalog.keys import PLACEHOLDER, name_of
from dashboard.interfaces import StorageInterface
from dashboard.interfaces.errors import Broken, TimedOut
from dashboard.interfaces.storage.objects import SortColumn
from dashboard.interfaces.storage.records import StoredObject

PAGE = 1000
# A service may return fewer rows than requested before the end; 100 is the lowest cap observed.
LEAST_CAP = 100
# Give up searching for folders that differ only in case after this many pages.
FOLDER_PAGES = 10
# Addresses of services that never return whole paths, remembered per process.
_RELATIVE: Final[set[str]] = set()

Row = tuple[str, StoredObject]


class Entry(msgspec.Struct, frozen=True):
    """One object with its whole key. `is_marker`: the hidden empty object that keeps an empty folder."""

    key: str
    size: int | None = None
    mimetype: str | None = None
    etag: str | None = None
    created_at: datetime | None = None
    updated_at: datetime | None = None

    @property
    def is_marker(self) -> bool:
        return name_of(self.key) == PLACEHOLDER and not self.size


@dataclass(frozen=True)
class Listing:
    """One page of a folder, including those that differ from it only in case. Keys are as stored, so compare them.

    `folders` are whole paths that end in a slash, in one spelling each unless all were requested. `next_offset` is None at the
    folder's end.
    """

    rows: list[Row]
    folders: list[str]
    next_offset: int | None

    @cached_property
    def entries(self) -> list[Entry]:
        return [entry_of(path, row) for path, row in self.rows if not row.is_folder]

    @cached_property
    def keys(self) -> list[str]:
        return [path for path, row in self.rows if not row.is_folder]

    @property
    def names(self) -> list[str]:
        """The names of all rows as received: the next page has to continue them."""
        return [row.name for _, row in self.rows]

    @cached_property
    def digest(self) -> str:
        """A hash of the rows, apart from the times of their last access."""
        told = [(row.name, row.id, row.created_text, row.updated_text, row.metadata) for _, row in self.rows]
        return blake2b(msgspec.json.encode(told), digest_size=16).hexdigest()


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
) -> list[Row]:
    """Return the rows of a folder with their whole paths; those of folders end in a slash. S13.

    The service ignores case in a folder, so the rows of `Photos/` include those of `photos/`, and sorted by name it merges
    folders that differ only in case. Searching for the path instead of listing the prefix returns paths as stored: compare them
    with the folder.
    """
    ask = partial(storage.objects.all, bucket, limit=limit, offset=offset, sort_by=sort_by, order=order)
    if folder and storage.address not in _RELATIVE:
        found = ask(search=folder + search)
        if not found or any(is_within(row.name, folder) for row in found):
            return [(_path(row, folder), row) for row in found]
    # Older services also compare a search with whole paths, but return names without the folder.
    found = ask(prefix=folder, search=search)
    if folder and any(row.name for row in found):
        _RELATIVE.add(storage.address)
    return [(f"{folder}{row.name}{'/' if row.is_folder else ''}", row) for row in found]


@dataclass(frozen=True, slots=True)
class Separated:
    """Rows with one row per folder. If not `is_complete`, a row may still stand for several folders."""

    rows: list[Row]
    is_complete: bool = True


def separate(storage: StorageInterface, bucket: str, folder: str, rows: list[Row]) -> Separated:
    """Replace each folder in a list by name with all that differ from it only in case. S13 by time.

    Requests only names that begin as these do.
    """
    merged = [path.lower() for path, row in rows if row.is_folder]
    if not merged:
        return Separated(rows)
    start = commonprefix(merged)[len(folder) :].rstrip("/")  # noqa: RUF071 - of characters
    folders = _folders(storage, bucket, folder, start)
    alike: dict[str, list[Row]] = defaultdict(list)
    for found in folders.rows:
        alike[found[0].lower()].append(found)
    single: dict[tuple[str, bool], Row] = {}
    for path, row in rows:
        twins = alike.get(path.lower(), []) if row.is_folder else []
        for found_path, found_row in sorted(twins, key=_path_of) or [(path, row)]:
            single.setdefault((found_path, row.is_folder), (found_path, found_row))
    return Separated(list(single.values()), folders.is_complete)


def with_every_folder(
    storage: StorageInterface, bucket: str, folder: str, rows: list[Row], *, search: str, is_first: bool, following: str | None
) -> Separated:
    """Insert the folders that belong on a page sorted by name from Z to A. S13 by time.

    Services of 2026 leave out folders that come after an object there. `following` is the path of the row after the page, if any.
    Folders between two pages belong to the first.
    """
    folders = _folders(storage, bucket, folder, search)
    known = dict(folders.rows)
    if not folders.is_complete:
        known = {path: row for path, row in rows if row.is_folder} | known
    top = rows[0][0].lower() if rows and not is_first else None
    bottom = following.lower() if following is not None else ""
    missing = deque(
        sorted(
            (path for path in known if bottom < path.lower() and (top is None or path.lower() <= top)),
            key=lambda path: (path.lower(), path),
            reverse=True,
        )
    )
    whole: list[Row] = []
    for path, row in rows:
        if row.is_folder:
            continue
        while missing and missing[0].lower() > path.lower():
            whole.append((missing[0], known[missing.popleft()]))
        whole.append((path, row))
    return Separated([*whole, *((path, known[path]) for path in missing)], folders.is_complete)


def _folders(storage: StorageInterface, bucket: str, folder: str, start: str) -> Separated:
    """Return the subfolders whose names begin with `start`, each once. S13 by time, which lists folders before objects."""
    folders: dict[str, StoredObject] = {}
    offset = 0
    for _ in range(FOLDER_PAGES):
        try:
            found = list_rows(storage, bucket, folder, search=start, limit=PAGE, offset=offset, sort_by="created_at")
        except (TimedOut, Broken):
            break
        folders |= {path: row for path, row in found if row.is_folder}
        offset += len(found)
        if not found or len(found) % LEAST_CAP != 0 or not found[-1][1].is_folder:
            return Separated(list(folders.items()))
    return Separated(list(folders.items()), is_complete=False)


def _path_of(row: Row) -> str:
    return row[0]


def list_page(
    storage: StorageInterface, bucket: str, folder: str, *, offset: int = 0, every_folder: bool = False, most: int = 0
) -> Listing:
    """Return 1,000 rows by name (one S13). A server's lower cap is not mistaken for the end of the folder.

    `every_folder`: also those that differ only in case. A walk needs only one of them, which lists the contents of all. `most`:
    rows that the server was seen to return at once.
    """
    found = list_rows(storage, bucket, folder, limit=PAGE, offset=offset)
    whole = not found or len(found) % LEAST_CAP != 0 or len(found) < most
    folders = list({path.lower(): path for path, row in reversed(found) if row.is_folder}.values())[::-1]
    if every_folder:
        folders = [path for path, row in separate(storage, bucket, folder, found).rows if row.is_folder]
    return Listing(found, folders, next_offset=None if whole else offset + len(found))


def walk(storage: StorageInterface, bucket: str, folders: Collection[str] = ("",)) -> Iterator[Listing]:
    """Yield everything below these folders, page by page, nearest first (S13). For short work in a request or a job's step.

    Leaves out files from outsiders that nobody has accepted yet.
    """
    wanted = sorted(keys.outermost(folders))
    waiting = deque(outermost(folders))
    while waiting:
        path = waiting.popleft()
        below: dict[str, str] = {}
        offset: int | None = 0
        while offset is not None:
            page = list_page(storage, bucket, path, offset=offset)
            below |= {found.lower(): found for found in page.folders}
            yield replace(page, rows=[row for row in page.rows if keys.lies_in(row[0], wanted) and not keys.is_pending(row[0])])
            offset = page.next_offset
        waiting.extend(found for found in below.values() if not keys.is_pending(found))


def outermost(folders: Iterable[str]) -> list[str]:
    """Return the folders to list: none inside another one, and the first of those that differ only in case."""
    first: dict[str, str] = {}
    for folder in folders:
        first.setdefault(folder.lower(), folder)
    return [first[lower] for lower in keys.outermost(first)]


def is_within(path: str, folder: str) -> bool:
    """Whether the service lists this path in the folder. It ignores case."""
    return path[: len(folder)].lower() == folder.lower()


def _path(row: StoredObject, folder: str) -> str:
    """Return the whole path of a row. The service drops the closing slashes of a folder without a name."""
    return row.name + "/" * max(1, len(folder) + 1 - len(row.name)) if row.is_folder else row.name


def entry_of(key: str, row: StoredObject) -> Entry:
    """Convert a row of S13."""
    created = row.created_at
    return Entry(
        key=key,
        size=row.size,
        mimetype=row.mimetype,
        etag=row.etag,
        created_at=created,
        # Most are never replaced.
        updated_at=created if row.updated_text == row.created_text else row.updated_at,
    )
