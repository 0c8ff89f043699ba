"""What the service says of single objects and whole folders. For threads: nothing here asks the database."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from dashboard.catalog.keys import folder_of, name_of
from dashboard.catalog.walk import LEAST_CAP, Entry, entry_of, list_page, list_rows, walk
from dashboard.interfaces import StorageInterface
from dashboard.interfaces.errors import NotFound
from dashboard.interfaces.storage.records import StoredObject

# So few names are asked for one by one; for more the folder is read as a whole.
FEW = 8
_MD5 = re.compile(r"[0-9a-f]{32}")


@dataclass(frozen=True, slots=True)
class Whole:
    """Everything that lies in one folder, and the folders in it; in those that differ from it in letter case alone, too, by their
    real keys."""

    folder: str
    entries: list[Entry]
    folders: list[str]
    calls: int


@dataclass(frozen=True, slots=True)
class Facts:
    """Size in bytes and mark of the content, where the service tells them."""

    size: int | None
    etag: str | None


def read_whole(storage: StorageInterface, bucket: str, folder: str) -> Whole:
    """S13 until the folder ends; nothing twice, although the folder may change meanwhile."""
    entries: dict[str, Entry] = {}
    folders: dict[str, str] = {}
    offset: int | None = 0
    calls = 0
    while offset is not None:
        page = list_page(storage, bucket, folder, offset=offset)
        entries |= {entry.key: entry for entry in page.entries}
        folders |= {path.lower(): path for path in page.folders}
        offset, calls = page.next_offset, calls + 1
    return Whole(folder, list(entries.values()), list(folders.values()), calls)


def present(storage: StorageInterface, bucket: str, folder: str, keys: Iterable[str]) -> dict[str, Entry]:
    """Those of the keys, all of one folder, that there are: S13 for each of a few, else until all are found."""
    wanted = set(keys)
    if len(wanted) <= FEW and all(map(name_of, wanted)):
        found = (find(storage, bucket, key) for key in wanted)
        return {entry.key: entry for entry in found if entry}
    there: dict[str, Entry] = {}
    offset: int | None = 0
    while offset is not None and len(there) < len(wanted):
        page = list_page(storage, bucket, folder, offset=offset)
        there |= {entry.key: entry for entry in page.entries if entry.key in wanted}
        offset = page.next_offset
    return there


def find(storage: StorageInterface, bucket: str, key: str) -> Entry | None:
    """S13 with the name as its search: the list's own record of one object."""
    row = find_row(storage, bucket, key)
    return entry_of(key, row) if row else None


def find_row(storage: StorageInterface, bucket: str, key: str) -> StoredObject | None:
    """S13 as for `find`: the record as it came, whose name may be the whole key."""
    folder = folder_of(key)
    found = list_rows(storage, bucket, folder, search=key.removeprefix(folder), limit=LEAST_CAP)
    return next((row for path, row in found if path == key and not row.is_folder), None)


def beginning(storage: StorageInterface, bucket: str, folder: str, start: str) -> set[str]:
    """S13: the keys of a folder whose names begin so."""
    return {path for path, _ in list_rows(storage, bucket, folder, search=start)}


def is_empty(storage: StorageInterface, bucket: str, folder: str) -> bool:
    """S13: is nothing in the folder or below it, but marks of empty folders?"""
    listings = walk(storage, bucket, [folder])
    return not any(not entry.is_marker for listing in listings for entry in listing.entries)


def facts_of(storage: StorageInterface, bucket: str, key: str) -> Facts | None:
    """S19; None for what is not there. An older service does not tell the size of an empty object."""
    try:
        info = storage.objects.info(bucket, key)
    except NotFound:
        return None
    return Facts(info.size, info.etag)


def gone(storage: StorageInterface, bucket: str, folder: str, keys: Sequence[str]) -> set[str]:
    """Those of the keys, all of one folder, that are not there. What the list still shows is asked for by name: it takes
    folders that differ in upper and lower case for one."""
    there = present(storage, bucket, folder, keys)
    missing = {key for key in keys if key not in there}
    return missing | {key for key in there if facts_of(storage, bucket, key) is None}


def absent(storage: StorageInterface, bucket: str, folder: str, keys: Sequence[str]) -> set[str]:
    """Those of the keys, all of one folder, that neither the list nor their own name finds."""
    there = present(storage, bucket, folder, keys)
    return {key for key in keys if key not in there and facts_of(storage, bucket, key) is None}


def alike(one: Facts | None, other: Facts | None) -> bool:
    """Are these the same bytes, as far as can be told? Never true without a size or an MD5 to compare."""
    if one is None or other is None:
        return False
    left, right = _md5(one.etag), _md5(other.etag)
    if left and right:
        return left == right and (one.size is None or other.size is None or one.size == other.size)
    return (one.size or 0) == (other.size or 0) and (one.size is not None or other.size is not None)


def _md5(etag: str | None) -> str:
    """Only what is a hash of the content: a file's time or a hash of parts changes with a copy."""
    mark = (etag or "").strip('"')
    return mark if _MD5.fullmatch(mark) else ""
