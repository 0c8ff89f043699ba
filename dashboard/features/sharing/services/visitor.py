"""The contents of a share link, read with its owner's token when it is opened."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice

from dashboard.catalog.keys import folder_of, is_pending, name_of, printable
from dashboard.catalog.types import type_text
from dashboard.catalog.walk import Entry, list_page, walk
from dashboard.features.sharing.rules import FILE_MISSING, HIDDEN
from dashboard.interfaces.errors import NameRefused, NotAllowed, NotFound, TokenRefused
from dashboard.interfaces.storage import StorageInterface
from dashboard.links import access
from dashboard.links.end_states import LinkClosed
from dashboard.links.models import Share, Target
from dashboard.links.signed import saved_as
from dashboard.tokens.errors import TokenLocked, TokenMissing

MOST_FILES = 1000
MOST_FOLDERS = 4
NAMELESS = "object"

_Place = tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class File:
    """One file of a link: its printable name, its type in words, and its query.

    `is_missing`: its folder's list doesn't contain it.
    """

    bucket: str
    entry: Entry
    name: str
    kind: str
    query: dict[str, str]
    is_missing: bool = False

    @property
    def key(self) -> str:
        return self.entry.key

    @property
    def size(self) -> int | None:
        return self.entry.size


@dataclass(frozen=True, slots=True, kw_only=True)
class Contents:
    """The files of a link to several objects. `more`: not all files are listed."""

    title: str
    files: list[File]
    more: bool = False

    @property
    def present(self) -> list[File]:
        return [file for file in self.files if not file.is_missing]

    @property
    def can_be_packed(self) -> bool:
        """Whether all files fit into one ZIP. Its length is sent first, so every size must be known."""
        return not self.more and bool(self.present) and all(file.size is not None for file in self.present)


def single_of(share: Share) -> Target | None:
    """Return the object if the link leads to just one; else None."""
    first = share.first_targets
    return first[0] if len(first) == 1 and not first[0].is_folder else None


def file_name(share: Share, key: str) -> str:
    """Return the file name of a download: for a single file the one chosen by the sharer, else its own."""
    if not share.download_name or single_of(share) is None:
        return name_of(key) or NAMELESS
    return saved_as(share.download_name, key)


def located(share: Share, number: int | None, key: str) -> tuple[str, str]:
    """Return bucket and key of a download, given a target's number and, below a folder, the key. Raises `LinkClosed`."""
    targets = list(share.targets.all())
    if number is None and len(targets) == 1:
        number = 0
    if number is None or number >= len(targets):
        raise LinkClosed(FILE_MISSING)
    target = targets[number]
    if not target.is_folder:
        return target.bucket, target.key
    if not key.startswith(target.key) or key == target.key or is_pending(key) or not {".", ".."}.isdisjoint(key.split("/")):
        raise LinkClosed(FILE_MISSING)
    return target.bucket, key


def read_all(storage: StorageInterface, share: Share, title: str) -> Contents:
    """Read the folders involved (S13). Objects in more than 4 folders are listed by name only."""
    targets = list(share.targets.all())
    known, complete = _known(storage, [target for target in targets if not target.is_folder])
    above = _common_folder([target.key for target in targets])
    files: list[File] = []
    for number, target in enumerate(targets):
        if not target.is_folder:
            entry = known.get((target.bucket, target.key))
            missing = entry is None and (target.bucket, folder_of(target.key)) in complete
            file = _file(target, entry or Entry(key=target.key), above=above, query={"n": str(number)})
            files.append(replace(file, is_missing=missing))
            continue
        files += [
            _file(target, entry, above=above, query={"n": str(number), "key": entry.key})
            for entry in islice(_below(storage, target), MOST_FILES + 1 - len(files))
        ]
    if all(file.is_missing for file in files):
        raise LinkClosed(FILE_MISSING)
    return Contents(title=title, files=files[:MOST_FILES], more=len(files) > MOST_FILES)


@contextmanager
def noting_whether_found(share: Share, *, single: bool) -> Iterator[None]:
    """Record for the ledger whether the contents were found. One missing object of several (not `single`) is not recorded."""
    try:
        yield
    except (NotFound, NameRefused):
        _note_missing(share, all_missing=single)
        raise
    except TokenLocked:  # The owner's account shows this, and the link opens again once the owner has unlocked it.
        raise
    except (TokenRefused, NotAllowed, TokenMissing):
        access.refused(share)
        raise
    except LinkClosed as closed:
        if closed.state is FILE_MISSING:
            _note_missing(share, all_missing=not single)
        raise
    access.met(share)


def _note_missing(share: Share, *, all_missing: bool) -> None:
    """Record missing contents. Raises `LinkClosed` if they may only be hidden from the owner's current token."""
    if access.may_be_hidden(share):
        access.refused(share)
        raise LinkClosed(HIDDEN)
    if all_missing:
        access.missed(share)


def _file(target: Target, entry: Entry, *, above: str, query: dict[str, str]) -> File:
    """Return one file. `above` is the folder that all files share, left out of their names."""
    name = printable(entry.key.removeprefix(above)) or printable(entry.key)
    return File(bucket=target.bucket, entry=entry, name=name, kind=type_text(entry.key, entry.mimetype), query=query)


def _common_folder(keys: Sequence[str]) -> str:
    """Return the deepest folder that contains all keys. A single folder is its own."""
    if len(keys) == 1 and keys[0].endswith("/"):
        return keys[0]
    first = folder_of(keys[0].rstrip("/"))
    while first and not all(key.startswith(first) for key in keys):
        first = folder_of(first.rstrip("/"))
    return first


def _known(storage: StorageInterface, targets: Sequence[Target]) -> tuple[dict[_Place, Entry], set[_Place]]:
    """Return the objects on the first page of each folder, and the folders that end on that page."""
    folders = dict.fromkeys((target.bucket, folder_of(target.key)) for target in targets)
    if len(folders) > MOST_FOLDERS:
        return {}, set()
    pages = {(bucket, folder): list_page(storage, bucket, folder) for bucket, folder in folders}
    known = {(bucket, entry.key): entry for (bucket, _), page in pages.items() for entry in page.entries}
    return known, {place for place, page in pages.items() if page.next_offset is None}


def _below(storage: StorageInterface, target: Target) -> Iterator[Entry]:
    for listing in walk(storage, target.bucket, [target.key]):
        yield from (entry for entry in listing.entries if not entry.is_marker)
