"""Ask the service about single objects and whole folders. Safe in pool threads: nothing here uses the database."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from dashboard.catalog.keys import folder_of, name_of
from dashboard.catalog.walk import LEAST_CAP, Entry, entry_of, list_page, list_rows, walk
from dashboard.interfaces import StorageInterface
from dashboard.interfaces.errors import NotAllowed, NotFound
from dashboard.interfaces.storage.buckets import Bucket
from dashboard.interfaces.storage.records import StoredObject
from dashboard.tokens.models import Kind
from dashboard.tokens.sight import sees_all
from dashboard.tokens.workspace import Workspace
from dashboard.viewer.content import Source

# Up to this many names are looked up one by one; for more, the folder is listed.
FEW = 8
# State of an object that the token doesn't find, but might not be allowed to see.
Unseen = Literal["unseen"]
UNSEEN: Final[Unseen] = "unseen"
_MD5 = re.compile(r"[0-9a-f]{32}")


@dataclass(frozen=True, slots=True)
class Whole:
    """Everything in one folder and in those that differ from it only in case. Keys are as stored."""

    folder: str
    entries: list[Entry]
    folders: list[str]
    calls: int


@dataclass(frozen=True, slots=True)
class Facts:
    """An object's size in bytes and ETag, if known."""

    size: int | None
    etag: str | None


def source_of(workspace: Workspace, space: str, bucket: str, key: str) -> Source:
    """Return what the viewer reads of an object. Its previews are cached for this person's token alone."""
    owner = (space, workspace.fingerprint(Kind.STORAGE, space))
    return Source(objects=workspace.storage(space).objects, bucket=bucket, key=key, owner=owner, is_visited=workspace.is_visited)


def read_whole(storage: StorageInterface, bucket: str, folder: str) -> Whole:
    """Read a folder to its end (S13). Lists nothing twice, even if the folder changes between pages."""
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
    """Return the existing keys of one folder: S13 by name for a few keys, else page by page until all are found."""
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


def bucket_of(storage: StorageInterface, bucket: str) -> Bucket | None:
    """Return a bucket (S4); None if there is none, or the token may not see it: many tokens see objects alone."""
    try:
        return storage.buckets.get(bucket)
    except (NotFound, NotAllowed):
        return None


def find(storage: StorageInterface, bucket: str, key: str) -> Entry | None:
    """Return one object as listed, or None. S13, searching for its name."""
    row = find_row(storage, bucket, key)
    return entry_of(key, row) if row else None


def find_row(storage: StorageInterface, bucket: str, key: str) -> StoredObject | None:
    """Return the service's record as `find` does (S13). Its name may be the whole key."""
    folder = folder_of(key)
    found = list_rows(storage, bucket, folder, search=key.removeprefix(folder), limit=LEAST_CAP)
    return next((row for path, row in found if path == key and not row.is_folder), None)


def beginning(storage: StorageInterface, bucket: str, folder: str, start: str) -> set[str]:
    """Return the keys of a folder whose names begin with `start`. S13."""
    return {path for path, _ in list_rows(storage, bucket, folder, search=start)}


def is_empty(storage: StorageInterface, bucket: str, folder: str) -> bool:
    """Whether the folder contains no objects at any depth (S13). Folder markers and folders that differ in case don't count."""
    listings = walk(storage, bucket, [folder])
    return not any(entry.key.startswith(folder) and not entry.is_marker for listing in listings for entry in listing.entries)


def sees(workspace: Workspace, space: str, bucket: str, folder: str) -> bool:
    """Whether the token sees everything, or something in the folder (S13), so that a key not found there is missing."""
    if sees_all(workspace, space):
        return True
    try:
        found = list_rows(workspace.storage(space), bucket, folder, limit=1)
    except NotAllowed:
        return False
    return any(path.startswith(folder) for path, _ in found)


def is_listed(storage: StorageInterface, bucket: str, folder: str) -> bool:
    """Whether the folder contains anything that the token sees, at any depth (S13). Folders that differ in case don't count."""
    page = list_page(storage, bucket, folder)
    return any(path.startswith(folder) for path, _ in page.rows)


def facts_of(storage: StorageInterface, bucket: str, key: str) -> Facts | None:
    """Return size and ETag (S19); None if the object is missing. Older services don't report the size of an empty object."""
    try:
        info = storage.objects.info(bucket, key)
    except NotFound:
        return None
    return Facts(info.size, info.etag)


def gone(storage: StorageInterface, bucket: str, folder: str, keys: Sequence[str]) -> set[str]:
    """Return the missing keys of one folder. Confirms listed keys by S19, as the list mixes folders that differ in case."""
    there = present(storage, bucket, folder, keys)
    missing = {key for key in keys if key not in there}
    return missing | {key for key in there if facts_of(storage, bucket, key) is None}


def absent(storage: StorageInterface, bucket: str, folder: str, keys: Sequence[str]) -> set[str]:
    """Return the keys of one folder that are neither listed nor found by S19."""
    there = present(storage, bucket, folder, keys)
    return {key for key in keys if key not in there and facts_of(storage, bucket, key) is None}


def alike(one: Facts | None, other: Facts | None) -> bool:
    """Whether both have the same content, judged by size and MD5. False if either is unknown."""
    if one is None or other is None:
        return False
    left, right = md5_of(one.etag), md5_of(other.etag)
    if left and right:
        return left == right and (one.size is None or other.size is None or one.size == other.size)
    return (one.size or 0) == (other.size or 0) and (one.size is not None or other.size is not None)


def md5_of(etag: str | None) -> str:
    """Return the ETag if it is an MD5 of the content, else "". Other ETags change when an object is copied."""
    mark = (etag or "").strip('"')
    return mark if _MD5.fullmatch(mark) else ""
