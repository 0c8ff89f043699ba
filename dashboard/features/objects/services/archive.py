"""The objects of a selection, one by one or counted, for an archive or a manifest."""

from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby

from dashboard.catalog import queries
from dashboard.catalog.archive_names import Names, base_of
from dashboard.catalog.keys import folder_of, name_of
from dashboard.catalog.query import EVERYTHING, Filter
from dashboard.catalog.selection import Selection
from dashboard.catalog.walk import Entry, list_page, walk
from dashboard.interfaces import StorageInterface
from dashboard.interfaces.errors import NotAllowed, NotFound
from dashboard.interfaces.storage.records import ObjectInfo
from dashboard.tokens.workspace import Workspace
from dashboard.web.archive import FAILED, PADDING, Member

MOST = 10_000
# A page is not kept waiting longer than so many lists take.
MOST_LISTS = 500
# Up to so many objects of one folder are asked for one by one; more are found by listing it.
FEW = 8
MOST_PAGES = 20

Asked = Callable[[Callable[[], ObjectInfo | None]], "Future[ObjectInfo | None]"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Gathered:
    """What an archive would hold. `too_many`: counting stopped; `unknown`: objects whose size the service does not tell."""

    members: list[Member] = field(default_factory=list)
    bytes: int = 0
    renamed: int = 0
    gone: int = 0
    unknown: int = 0
    too_many: bool = False

    @property
    def fits(self) -> bool:
        """Can it be packed, with a length that is known before the first byte?"""
        return bool(self.members) and not self.too_many and not self.unknown


def gather(workspace: Workspace, selection: Selection, *, ask: Asked) -> Gathered:
    """S13 for folders and for many objects of one folder, S19 for a few; counting ends at 10,000 objects or 500 lists.

    `ask` runs one call in another thread.
    """
    storage = workspace.storage(selection.space)
    found: list[Entry] = []
    for number, listed in enumerate(_below(workspace, storage, selection)):
        found += listed
        if (number >= MOST_LISTS and not selection.filter) or len(found) > MOST:
            return Gathered(too_many=True)
    if len(found) + len(selection.keys) > MOST:
        return Gathered(too_many=True)
    chosen = list(_known(storage, selection, ask))
    found += [entry for entry in chosen if entry is not None]
    base = base_of(selection)
    keys = [entry.key for entry in found]
    names = Names(base=base, taken=(FAILED, PADDING)).give(keys)
    return Gathered(
        members=[Member(entry.key, name, entry.size or 0, entry.updated_at) for entry, name in zip(found, names, strict=True)],
        bytes=sum(entry.size or 0 for entry in found),
        renamed=sum(name != key.removeprefix(base) for key, name in zip(keys, names, strict=True)),
        gone=chosen.count(None),
        unknown=sum(entry.size is None for entry in found),
    )


def entries(workspace: Workspace, selection: Selection) -> Iterator[Entry]:
    """Every object of the selection without an end to their number; what was chosen by its key has no size here."""
    storage = workspace.storage(selection.space)
    for listed in _below(workspace, storage, selection):
        yield from listed
    yield from (Entry(key=key) for key in selection.keys)


def title_of(selection: Selection) -> str:
    """What to call the whole: the folder it is, or that it was chosen in; else the bucket."""
    if len(selection.folders) == 1 and not selection.keys:
        return name_of(selection.folders[0].rstrip("/")) or selection.bucket
    return name_of(base_of(selection).rstrip("/")) or selection.bucket


def _below(workspace: Workspace, storage: StorageInterface, selection: Selection) -> Iterator[list[Entry]]:
    """Objects of the chosen folders, or of the search: one list for each call."""
    if selection.filter and selection.filter != EVERYTHING:
        matching = queries.keys(workspace, selection.space, selection.bucket, Filter.parse(selection.filter))
        yield from ([entry] for entry in matching if not entry.is_marker)
        return
    for listing in walk(storage, selection.bucket, ("",) if selection.filter else selection.folders):
        yield [entry for entry in listing.entries if not entry.is_marker]


def _known(storage: StorageInterface, selection: Selection, ask: Asked) -> Iterator[Entry | None]:
    """What is known of each key that was chosen; None for one that is gone or not visible."""
    for folder, group in groupby(sorted(selection.keys, key=folder_of), key=folder_of):
        keys = list(group)
        listed = _listed(storage, selection.bucket, folder, set(keys)) if len(keys) > FEW else {}
        asked = {key: ask(partial(_info, storage, selection.bucket, key)) for key in keys if key not in listed}
        for key in keys:
            if key in listed:
                yield listed[key]
                continue
            info = asked[key].result()
            yield Entry(key=key, size=info.size, updated_at=info.last_modified) if info else None


def _listed(storage: StorageInterface, bucket: str, folder: str, wanted: set[str]) -> dict[str, Entry]:
    found: dict[str, Entry] = {}
    offset: int | None = 0
    for _ in range(MOST_PAGES):
        if offset is None or len(found) == len(wanted):
            break
        listing = list_page(storage, bucket, folder, offset=offset)
        found |= {entry.key: entry for entry in listing.entries if entry.key in wanted}
        offset = listing.next_offset
    return found


def _info(storage: StorageInterface, bucket: str, key: str) -> ObjectInfo | None:
    try:
        return storage.objects.info(bucket, key)
    except (NotFound, NotAllowed):
        return None
