"""Read what a selection contains: within a request, or by cursor in jobs."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import islice
from time import monotonic
from typing import Any

from dashboard.catalog import queries
from dashboard.catalog.keys import by_folder, folder_of, is_pending, lies_in, name_of
from dashboard.catalog.lookup import FEW, find, present, read_whole
from dashboard.catalog.query import EVERYTHING, Filter
from dashboard.catalog.selection import Selection
from dashboard.catalog.walk import Entry, list_page, outermost, walk
from dashboard.interfaces import StorageInterface
from dashboard.jobs.batch import Batch
from dashboard.tokens.workspace import Workspace
from dashboard.web.process.parallel import map_bounded

READ_SECONDS = 3.0
FOLDERS_AT_ONCE = 8
KEYS_AT_ONCE = 500
FOUND_AT_ONCE = 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Limits of a count within a request.

    `objects` in all, `lists` of folders (S13), `pages` per folder with many selected objects, `lookups` of single objects.
    """

    objects: int
    lists: int
    pages: int
    lookups: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Contents:
    """The objects of a selection.

    `inside`: those in selected folders, or found by the search. `chosen`: each selected key with its entry, None if not found.
    `unchecked`: selected keys beyond the limit of lookups.
    """

    inside: list[Entry]
    chosen: dict[str, Entry | None]
    unchecked: frozenset[str]

    @property
    def found(self) -> list[Entry]:
        return [*self.inside, *(entry for entry in self.chosen.values() if entry)]

    @property
    def missing(self) -> list[str]:
        return [key for key, entry in self.chosen.items() if entry is None and key not in self.unchecked]


@dataclass(frozen=True, slots=True)
class Group:
    """Objects of one folder."""

    folder: str
    entries: list[Entry]


@dataclass(frozen=True, slots=True)
class Block:
    """The next objects by folder, and the cursor after them (None at the end)."""

    groups: list[Group]
    cursor: dict[str, Any] | None

    @property
    def entries(self) -> list[Entry]:
        return [entry for group in self.groups for entry in group.entries]


@dataclass(frozen=True, slots=True)
class Count:
    """What folders hold, as `tally` adds it up. `names`: what is directly in the bucket, if all of that is counted."""

    facts: dict[str, int]
    names: list[str]


def tally(facts: dict[str, Any], entries: Iterable[Entry]) -> None:
    """Add the number of objects, their bytes, objects of unknown size and markers of empty folders to the facts.

    Files from outsiders that nobody has accepted yet count only as `pending`.
    """
    some = list(entries)
    accepted = [entry for entry in some if not is_pending(entry.key)]
    objects = [entry.size for entry in accepted if not entry.is_marker]
    numbers = {
        "objects": len(objects),
        "bytes": sum(size or 0 for size in objects),
        "unsized": objects.count(None),
        "marks": len(accepted) - len(objects),
        "pending": len(some) - len(accepted),
    }
    facts |= {name: facts.get(name, 0) + number for name, number in numbers.items()}


def count(workspace: Workspace, selection: Selection, *, limits: Limits) -> Contents | None:
    """Return everything selected, read within a request. None if that exceeds the limits."""
    room = limits.objects - len(selection.keys)
    found: list[Entry] = []
    if room < 0:
        return None
    for number, entries in enumerate(inside(workspace, selection), start=1):
        found += entries
        if len(found) > room or number > limits.lists:
            return None
    chosen, unchecked = _look_up(workspace.storage(selection.space), selection, limits)
    return Contents(inside=found, chosen={key: chosen.get(key) for key in selection.keys}, unchecked=unchecked)


def inside(workspace: Workspace, selection: Selection) -> Iterator[list[Entry]]:
    """Yield the objects in the selected folders (one S13 per folder) or of the search, without folder markers."""
    if selection.filter and selection.filter != EVERYTHING:
        matching = queries.keys(workspace, selection.space, selection.bucket, Filter.parse(selection.filter))
        while some := list(islice(matching, FOUND_AT_ONCE)):
            yield [entry for entry in some if not entry.is_marker]
        return
    folders = ("",) if selection.filter else selection.folders
    for listing in walk(workspace.storage(selection.space), selection.bucket, folders):
        yield [entry for entry in listing.entries if not entry.is_marker]


def read(workspace: Workspace, batch: Batch, selection: Selection, *, pending: bool = False) -> Iterator[Block]:
    """Read the selection from the batch's cursor on, for a few seconds. Counts unlisted keys in the facts.

    `pending`: include files from outsiders that nobody has accepted yet; only deletions do.
    """
    until = monotonic() + READ_SECONDS
    cursor: dict[str, Any] | None = dict(batch.cursor or {})
    while cursor is not None and not batch.stopping:
        block = _next(workspace, batch, selection, cursor, pending=pending)
        yield block
        cursor = block.cursor
        if monotonic() > until:
            return


def count_folders(storage: StorageInterface, bucket: str, folders: Collection[str], *, seconds: float) -> Count | None:
    """Count everything in the folders as a deletion's plan does. None if it takes longer than `seconds`."""
    count = Count({}, [])
    until = monotonic() + seconds
    waiting = outermost(folders)
    while waiting:
        groups, waiting = _read_folders(storage, bucket, folders, waiting, pending=True)
        for group in groups:
            tally(count.facts, group.entries)
            if not group.folder:
                count.names.extend(folder for folder in waiting if not is_pending(folder))
                count.names.extend(entry.key for entry in group.entries if not entry.is_marker)
        if monotonic() > until:
            return None
    return count


def _look_up(storage: StorageInterface, selection: Selection, limits: Limits) -> tuple[dict[str, Entry], frozenset[str]]:
    """Return the selected keys found, and those beyond the limits. S13 by name, or per folder if many keys are in it."""
    folders = by_folder(selection.keys)
    # S13 can't search for an object without a name.
    many = {folder: keys for folder, keys in folders.items() if len(keys) > FEW or not all(map(name_of, keys))}
    found: dict[str, Entry] = {}
    named = [key for folder, keys in folders.items() if folder not in many for key in keys]
    listed = map_bounded(lambda pair: _listed(storage, selection.bucket, *pair, pages=limits.pages), many.items())
    for keys, (there, is_whole) in zip(many.values(), listed, strict=True):
        found |= there
        named += [] if is_whole else [key for key in keys if key not in there]
    entries = map_bounded(partial(find, storage, selection.bucket), named[: limits.lookups])
    return found | {entry.key: entry for entry in entries if entry}, frozenset(named[limits.lookups :])


def _listed(
    storage: StorageInterface, bucket: str, folder: str, keys: Iterable[str], *, pages: int
) -> tuple[dict[str, Entry], bool]:
    """Return which of the keys the folder lists, and whether it was read far enough to know that the others are missing."""
    wanted = frozenset(keys)
    found: dict[str, Entry] = {}
    offset: int | None = 0
    for _ in range(pages):
        listing = list_page(storage, bucket, folder, offset=offset or 0)
        found |= {entry.key: entry for entry in listing.entries if entry.key in wanted}
        offset = listing.next_offset
        if offset is None or len(found) == len(wanted):
            return found, True
    return found, False


def _next(workspace: Workspace, batch: Batch, selection: Selection, cursor: dict[str, Any], *, pending: bool) -> Block:
    if selection.filter:
        return _matching(workspace, selection, cursor)
    if (at := cursor.get("keys", 0)) < len(selection.keys):
        groups = _keys(workspace, batch, selection, sorted(selection.keys)[at : at + KEYS_AT_ONCE])
        after = {"keys": at + KEYS_AT_ONCE}
        return Block(groups, after if after["keys"] < len(selection.keys) or selection.folders else None)
    waiting = cursor.get("folders", outermost(selection.folders))
    storage = workspace.storage(selection.space)
    groups, waiting = _read_folders(storage, selection.bucket, selection.folders, waiting, pending=pending)
    return Block(groups, {"keys": len(selection.keys), "folders": waiting} if waiting else None)


def _keys(workspace: Workspace, batch: Batch, selection: Selection, keys: Iterable[str]) -> list[Group]:
    """Read single objects, with unlisted ones: the job's own call for each will tell whether it exists."""
    folders = by_folder(keys)
    look = partial(present, workspace.storage(selection.space), selection.bucket)
    found = map_bounded(lambda pair: look(*pair), folders.items())
    unseen = sum(len(keys) - len(there) for keys, there in zip(folders.values(), found, strict=True))
    batch.facts["unseen"] = batch.facts.get("unseen", 0) + unseen
    return [
        Group(folder, [there.get(key) or Entry(key) for key in keys])
        for (folder, keys), there in zip(folders.items(), found, strict=True)
    ]


def _read_folders(
    storage: StorageInterface, bucket: str, folders: Collection[str], waiting: list[str], *, pending: bool
) -> tuple[list[Group], list[str]]:
    """Read the next folders; subfolders join the queue.

    S13 ignores case in folder names, so objects of other folders are filtered out.
    """
    wanted = sorted(folders)
    now, later = waiting[:FOLDERS_AT_ONCE], waiting[FOLDERS_AT_ONCE:]
    wholes = map_bounded(partial(read_whole, storage, bucket), now)
    for whole in wholes:
        later[:0] = [folder for folder in whole.folders if pending or not is_pending(folder)]

    def belongs(entry: Entry) -> bool:
        return lies_in(entry.key, wanted) and (pending or not is_pending(entry.key))

    return [Group(whole.folder, [entry for entry in whole.entries if belongs(entry)]) for whole in wholes], later


def _matching(workspace: Workspace, selection: Selection, cursor: dict[str, Any]) -> Block:
    """Return the next results of a search, by key, so that changes to the catalog can't make it skip any."""
    asked, after = Filter.parse(selection.filter), str(cursor.get("after", ""))
    some = list(islice(queries.keys(workspace, selection.space, selection.bucket, asked, after=after), FOUND_AT_ONCE))
    entries_of: dict[str, list[Entry]] = defaultdict(list)
    for entry in some:
        entries_of[folder_of(entry.key)].append(entry)
    more = len(some) == FOUND_AT_ONCE
    return Block([Group(folder, entries) for folder, entries in entries_of.items()], {"after": some[-1].key} if more else None)
