"""The entries of a folder, and everything below it, as S13 tells them."""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from dashboard.index.places import PLACEHOLDER, name_of
from dashboard.interfaces import StorageInterface
from dashboard.interfaces.storage.records import StoredObject

PAGE = 1000
# A service may answer fewer rows than asked without being at the end: 100 is the least cap seen.
LEAST_CAP = 100


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
    """One page of a folder. `folders` are whole paths that end in a slash; `next_offset` is None at the folder's end.

    `names` holds all rows as they came, by their names, and so tells where the next page has to join on.
    """

    entries: list[Entry]
    folders: list[str]
    next_offset: int | None
    names: list[str]


def list_page(storage: StorageInterface, bucket: str, folder: str, *, offset: int = 0) -> Listing:
    """S13 once, 1,000 rows by name. A server that caps its rows is not taken for the end of the folder."""
    found = storage.objects.all(bucket, prefix=folder, limit=PAGE, offset=offset)
    whole = not found or len(found) % LEAST_CAP != 0
    return Listing(
        entries=[_entry(folder, row) for row in found if not row.is_folder],
        folders=[f"{folder}{row.name}/" for row in found if row.is_folder],
        next_offset=None if whole else offset + len(found),
        names=[row.name for row in found],
    )


def walk(storage: StorageInterface, bucket: str, folder: str = "") -> Iterator[Listing]:
    """S13 for the whole tree below, page by page, nearest folders first. For short work inside a request or a step of a job."""
    waiting = deque([folder])
    while waiting:
        path = waiting.popleft()
        offset: int | None = 0
        while offset is not None:
            page = list_page(storage, bucket, path, offset=offset)
            waiting.extend(page.folders)
            yield page
            offset = page.next_offset


def _entry(folder: str, row: StoredObject) -> Entry:
    return Entry(
        key=folder + row.name,
        size=row.size,
        mimetype=row.mimetype,
        etag=row.etag,
        created_at=row.created_at,
        updated_at=row.updated_at,
        accessed_at=row.last_accessed_at,
    )
