"""Collect the objects of a selection for a ZIP or a list of signed links."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from itertools import groupby, islice

from dashboard.catalog import queries
from dashboard.catalog.archive_names import Names, base_of
from dashboard.catalog.keys import folder_of, name_of
from dashboard.catalog.link_export import Linked
from dashboard.catalog.query import EVERYTHING, Filter
from dashboard.catalog.selection import Selection
from dashboard.catalog.walk import Entry, list_page, walk
from dashboard.features.objects.services.links import AT_ONCE, create_links
from dashboard.interfaces import StorageInterface
from dashboard.interfaces.errors import NotAllowed, NotFound
from dashboard.interfaces.storage.records import ObjectInfo
from dashboard.tokens.workspace import Workspace

MOST_OBJECTS = 10_000
# At most this many S13 calls per request.
MOST_LISTS = 500
# Up to this many objects of one folder are read one by one; more by listing it.
FEW = 8
MOST_PAGES = 20

Asked = Callable[[Callable[[], ObjectInfo | None]], "Future[ObjectInfo | None]"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Gathered:
    """The files of an archive, as (entry, name). `too_many`: counting stopped; `unknown`: objects of unknown size."""

    files: list[tuple[Entry, str]] = field(default_factory=list)
    bytes: int = 0
    renamed: int = 0
    missing: int = 0
    unknown: int = 0
    too_many: bool = False

    @property
    def fits(self) -> bool:
        """Whether it can be packed: its length must be known before the first byte."""
        return bool(self.files) and not self.too_many and not self.unknown


def gather(workspace: Workspace, selection: Selection, *, ask: Asked, reserved: Sequence[str]) -> Gathered:
    """S13 for folders and for many objects of one folder, S19 for a few; stops at 10,000 objects or 500 lists.

    `ask` runs one call in another thread; `reserved` names are not given to objects.
    """
    storage = workspace.storage(selection.space)
    found: list[Entry] = []
    for number, listed in enumerate(_below(workspace, storage, selection)):
        found += listed
        if (number >= MOST_LISTS and not selection.filter) or len(found) > MOST_OBJECTS:
            return Gathered(too_many=True)
    if len(found) + len(selection.keys) > MOST_OBJECTS:
        return Gathered(too_many=True)
    chosen = list(_known(storage, selection, ask))
    found += [entry for entry in chosen if entry is not None]
    base = base_of(selection)
    names = Names(base=base, taken=reserved).give([entry.key for entry in found])
    files = list(zip(found, names, strict=True))
    return Gathered(
        files=files,
        bytes=sum(entry.size or 0 for entry in found),
        renamed=sum(name != entry.key.removeprefix(base) for entry, name in files),
        missing=chosen.count(None),
        unknown=sum(entry.size is None for entry in found),
    )


def entries(workspace: Workspace, selection: Selection) -> Iterator[Entry]:
    """Yield every object of the selection, without a limit. Objects selected by key have no size here."""
    storage = workspace.storage(selection.space)
    for listed in _below(workspace, storage, selection):
        yield from listed
    yield from (Entry(key=key) for key in selection.keys)


def title_of(selection: Selection) -> str:
    """Name the selection after its folder, else its bucket."""
    if len(selection.folders) == 1 and not selection.keys:
        return name_of(selection.folders[0].rstrip("/")) or selection.bucket
    return name_of(base_of(selection).rstrip("/")) or selection.bucket


def _below(workspace: Workspace, storage: StorageInterface, selection: Selection) -> Iterator[list[Entry]]:
    """Objects of the selected folders, or of the search: one list per call."""
    if selection.filter and selection.filter != EVERYTHING:
        matching = queries.keys(workspace, selection.space, selection.bucket, Filter.parse(selection.filter))
        yield from ([entry] for entry in matching if not entry.is_marker)
        return
    for listing in walk(storage, selection.bucket, ("",) if selection.filter else selection.folders):
        yield [entry for entry in listing.entries if not entry.is_marker]


def _known(storage: StorageInterface, selection: Selection, ask: Asked) -> Iterator[Entry | None]:
    """The entry of each selected key; None for one that is missing or not visible."""
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


def linked(workspace: Workspace, selection: Selection, *, ends_at: datetime, base: str) -> Iterator[Linked]:
    """Yield every object with a signed link: S13 for folders, S15 per 1,000 objects, each with an entry in Activity."""
    names = Names(base=base_of(selection))
    found = entries(workspace, selection)
    while batch := list(islice(found, AT_ONCE)):
        keys = [entry.key for entry in batch]
        created = create_links(workspace, selection.space, selection.bucket, keys, ends_at=ends_at, base=base)
        for entry, name, link in zip(batch, names.give(keys), created.links, strict=True):
            yield Linked(entry, name, link.address, link.refusal)
