"""Count a selection before signing, if it is small enough for one request."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from functools import partial

from dashboard.catalog import queries
from dashboard.catalog.keys import enclosing, folder_of
from dashboard.catalog.lookup import FEW, present
from dashboard.catalog.query import Filter
from dashboard.catalog.selection import Selection
from dashboard.catalog.walk import Entry, list_page, walk
from dashboard.interfaces import StorageInterface
from dashboard.tokens.workspace import Workspace

MOST = 1000
MOST_LISTS = 20
# Each key may be in a folder of its own, and a folder may hold millions of objects.
MOST_FOLDERS = 60
MOST_PAGES = 5

_Found = tuple[dict[str, Entry], bool]
Ask = Callable[[Callable[[], _Found]], "Future[_Found]"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Looked:
    """`rows`: [key, size] in order. `missing`: keys not found. `unlooked`: how many were not checked.

    `empty`: folders without objects; the service doesn't say whether one ever existed.
    """

    rows: list[tuple[str, int | None]]
    missing: list[str]
    unlooked: int
    empty: list[str]

    def facts(self) -> dict[str, object]:
        there = len(self.rows) - len(self.missing) - self.unlooked
        size = sum(size or 0 for _, size in self.rows)
        return {
            "objects": there,
            "bytes": size,
            "missing": len(self.missing),
            "named": self.missing[:100],
            "unlooked": self.unlooked,
            "empty": self.empty[:100],
        }


def look(workspace: Workspace, selection: Selection, *, ask: Ask) -> Looked | None:
    """S13; for a search, the index. None: too many objects for one request, or too many calls to find out."""
    if len(selection.keys) > MOST:
        return None
    entries = _matching(workspace, selection) if selection.filter else _below(workspace, selection)
    if entries is None or len(entries) + len(selection.keys) > MOST:
        return None
    found, unlooked = _chosen(workspace.storage(selection.space), selection, ask)
    missing = [key for key in selection.keys if key not in found and key not in unlooked]
    rows = [(key, found[key].size if key in found else None) for key in selection.keys]
    wanted = sorted(selection.folders)
    full = {enclosing(entry.key, wanted) for entry in entries}
    empty = [folder for folder in selection.folders if folder not in full]
    rows += [(entry.key, entry.size) for entry in entries]
    return Looked(rows=rows, missing=missing, unlooked=len(unlooked), empty=empty)


def _matching(workspace: Workspace, selection: Selection) -> list[Entry] | None:
    found: list[Entry] = []
    for entry in queries.keys(workspace, selection.space, selection.bucket, Filter.parse(selection.filter)):
        found.append(entry)
        if len(found) > MOST:
            return None
    return found


def _below(workspace: Workspace, selection: Selection) -> list[Entry] | None:
    """All objects in the selected folders, without placeholders of empty ones."""
    found: list[Entry] = []
    for number, listing in enumerate(walk(workspace.storage(selection.space), selection.bucket, selection.folders), start=1):
        found += [entry for entry in listing.entries if not entry.is_marker]
        if len(found) > MOST or number > MOST_LISTS:
            return None
    return found


def _chosen(storage: StorageInterface, selection: Selection, ask: Ask) -> tuple[Mapping[str, Entry], set[str]]:
    """The selected keys that were found, and those that were not checked."""
    by_folder: dict[str, set[str]] = defaultdict(set)
    for key in selection.keys:
        by_folder[folder_of(key)].add(key)
    found: dict[str, Entry] = {}
    unlooked: set[str] = set().union(*list(by_folder.values())[MOST_FOLDERS:])
    for keys, (there, whole) in _asked(storage, selection.bucket, list(by_folder.items())[:MOST_FOLDERS], ask):
        found |= there
        unlooked |= set() if whole else keys - set(there)
    return found, unlooked


def _asked(
    storage: StorageInterface, bucket: str, folders: list[tuple[str, set[str]]], ask: Ask
) -> Iterator[tuple[set[str], _Found]]:
    asked = [(keys, ask(partial(_in_folder, storage, bucket, folder, keys))) for folder, keys in folders]
    return ((keys, future.result()) for keys, future in asked)


def _in_folder(storage: StorageInterface, bucket: str, folder: str, keys: set[str]) -> _Found:
    """The keys that the folder's list shows, and whether it was read far enough to know that the others are missing."""
    if len(keys) <= FEW:
        return present(storage, bucket, folder, keys), True
    found: dict[str, Entry] = {}
    offset: int | None = 0
    for _ in range(MOST_PAGES):
        listing = list_page(storage, bucket, folder, offset=offset or 0)
        found |= {entry.key: entry for entry in listing.entries if entry.key in keys}
        offset = listing.next_offset
        if offset is None or len(found) == len(keys):
            return found, True
    return found, False
