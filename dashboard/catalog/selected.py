"""What a selection comes to, folder by folder and by cursor: explicit keys first, then whole folders, or what a search found."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import islice
from time import monotonic
from typing import Any

from dashboard.catalog import queries
from dashboard.catalog.keys import folder_of, lies_in
from dashboard.catalog.lookup import present, read_whole
from dashboard.catalog.query import Filter
from dashboard.catalog.selection import Selection
from dashboard.catalog.walk import Entry, outermost
from dashboard.jobs.batch import Batch
from dashboard.tokens.workspace import Workspace

SECONDS = 3.0
FOLDERS_AT_ONCE = 8
KEYS_AT_ONCE = 500
FOUND_AT_ONCE = 2000


@dataclass(frozen=True, slots=True)
class Group:
    """Objects of one folder."""

    folder: str
    entries: list[Entry]


@dataclass(frozen=True, slots=True)
class Gathered:
    """Some folders at once, and the cursor behind them (None: that was all)."""

    groups: list[Group]
    cursor: dict[str, Any] | None

    @property
    def seen(self) -> int:
        return sum(len(group.entries) for group in self.groups)


def gather(workspace: Workspace, batch: Batch, selection: Selection) -> Iterator[Gathered]:
    """From the slice's cursor on, for a few seconds. Counts its calls, and what can't be reached, in the facts."""
    until = monotonic() + SECONDS
    cursor: dict[str, Any] | None = dict(batch.cursor or {})
    while cursor is not None and not batch.stopping:
        gathered = _next(workspace, batch, selection, cursor)
        yield gathered
        cursor = gathered.cursor
        if monotonic() > until:
            return


def _next(workspace: Workspace, batch: Batch, selection: Selection, cursor: dict[str, Any]) -> Gathered:
    if selection.filter:
        return _found(workspace, selection, cursor)
    if (at := cursor.get("keys", 0)) < len(selection.keys):
        groups = _keys(workspace, batch, selection, sorted(selection.keys)[at : at + KEYS_AT_ONCE])
        return Gathered(groups, _then(selection, {"keys": at + KEYS_AT_ONCE}))
    return _below(workspace, batch, selection, cursor.get("folders", outermost(selection.folders)))


def _then(selection: Selection, cursor: dict[str, Any]) -> dict[str, Any] | None:
    return cursor if cursor["keys"] < len(selection.keys) or selection.folders else None


def _keys(workspace: Workspace, batch: Batch, selection: Selection, keys: Iterable[str]) -> list[Group]:
    """Single objects, with what the list says of each. One that it does not show stays in: its own call will tell."""
    by_folder: dict[str, list[str]] = defaultdict(list)
    for key in keys:
        by_folder[folder_of(key)].append(key)
    look = partial(present, workspace.storage(selection.space), selection.bucket)
    found = batch.map(lambda pair: look(*pair), by_folder.items())
    unseen = sum(len(keys) - len(there) for keys, there in zip(by_folder.values(), found, strict=True))
    batch.facts["unseen"] = batch.facts.get("unseen", 0) + unseen
    return [
        Group(folder, [there.get(key) or Entry(key) for key in keys])
        for (folder, keys), there in zip(by_folder.items(), found, strict=True)
    ]


def _below(workspace: Workspace, batch: Batch, selection: Selection, waiting: list[str]) -> Gathered:
    """Some of the folders that wait, each as a whole; the folders found in them wait next. S13 takes folders that differ in case
    alone for one, so what lies beside the selection is left out here."""
    wanted = sorted(selection.folders)
    now, later = waiting[:FOLDERS_AT_ONCE], waiting[FOLDERS_AT_ONCE:]
    wholes = batch.map(partial(read_whole, workspace.storage(selection.space), selection.bucket), now)
    for whole in wholes:
        later[:0] = whole.folders
    groups = [Group(whole.folder, [entry for entry in whole.entries if lies_in(entry.key, wanted)]) for whole in wholes]
    return Gathered(groups, {"keys": len(selection.keys), "folders": later} if later else None)


def _found(workspace: Workspace, selection: Selection, cursor: dict[str, Any]) -> Gathered:
    """What a search finds in the index, in the order of keys, so that a changing index can't make it skip."""
    asked, after = Filter.parse(selection.filter), str(cursor.get("after", ""))
    some = list(islice(queries.keys(workspace, selection.space, selection.bucket, asked, after=after), FOUND_AT_ONCE))
    by_folder: dict[str, list[Entry]] = defaultdict(list)
    for entry in some:
        by_folder[folder_of(entry.key)].append(entry)
    more = len(some) == FOUND_AT_ONCE
    return Gathered([Group(folder, entries) for folder, entries in by_folder.items()], {"after": some[-1].key} if more else None)
