"""List one page of a folder (S13), with sizes from the index."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial

from msgspec.structs import replace as replaced

from dashboard.catalog import queries
from dashboard.catalog.keys import PLACEHOLDER
from dashboard.catalog.walk import LEAST_CAP, Entry, Row, Separated, list_rows, separate, with_every_folder
from dashboard.features.objects.records import Query
from dashboard.interfaces import StorageInterface
from dashboard.interfaces.storage.objects import SortColumn
from dashboard.interfaces.storage.records import StoredObject
from dashboard.tokens.workspace import Workspace

PAGE_ROWS = 100
# Appended rows use a larger page size.
APPENDED_ROWS = 200
# A page grows up to this many rows. After that, a link leads to the next ones.
SECTION_ROWS = 2000
MOST_CONTAINING = 200
# At most as many rows as S13 returns in one call.
LOOKED_THROUGH = 1000

COLUMNS: dict[str, SortColumn] = {
    "name": "name",
    "updated": "updated_at",
    "created": "created_at",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Folder:
    """One page of S13.

    `whole`: the folder fits on it, so we choose the order. `twins`: folders that differ only in letter case, which the service
    lists together with this one. `merged`: a row may stand for several such folders. `containing`: further results of a filter.
    """

    query: Query
    entries: list[StoredObject]
    more: bool
    next_offset: int
    twins: tuple[str, ...] = ()
    merged: bool = False
    containing: "Containing | None" = None

    @property
    def whole(self) -> bool:
        return not self.more and self.query.offset == 0

    @property
    def keys(self) -> list[str]:
        """The keys of the objects on this page."""
        return [self.query.path + entry.name for entry in self.entries if not entry.is_folder]

    @property
    def grows(self) -> bool:
        """Whether the next page is appended to this one. Otherwise it starts a new section."""
        return self.more and self.next_offset // SECTION_ROWS == self.query.offset // SECTION_ROWS


def read_folder(
    workspace: Workspace, space: str, bucket: str, query: Query, *, below: bool = False, every_folder: bool = True
) -> Folder:
    """Read up to 100 entries (S13), or 200 to append if `below`, without placeholders; again for `every_folder`.

    Folders come first if the whole folder fits. One more row is requested than shown, to know whether there are more.
    """
    column = COLUMNS[query.sort.column]
    most = min(APPENDED_ROWS, SECTION_ROWS - query.offset % SECTION_ROWS) if below else PAGE_ROWS
    look = partial(list_rows, workspace.storage(space), bucket, query.path, search=query.search)

    def ask(limit: int, offset: int) -> list[Row]:
        return look(limit=limit, offset=offset, sort_by=column, order=query.sort.order)

    found = ask(most + 1, query.offset)
    following = found[most:]
    if found and not following and len(found) % LEAST_CAP == 0:
        # This may be the end or the service's own page limit: the next row will tell.
        following = ask(1, query.offset + len(found))
    more = bool(following)
    found = found[:most]
    shown = len(found)
    separated = Separated(found)
    if every_folder and query.sort.column == "name":
        separated = _every_folder(workspace.storage(space), bucket, query, found, following[0][0] if following else None)
    twins = {path[: len(query.path)] for path, _ in separated.rows} - {query.path}
    folder = Folder(
        query=query,
        entries=_inside(separated.rows, query.path),
        more=more,
        next_offset=query.offset + shown,
        twins=tuple(sorted(twins)),
        merged=not separated.is_complete,
    )
    if folder.whole and query.sort.column == "name":
        folder.entries.sort(key=lambda entry: not entry.is_folder)
    return folder


def _every_folder(storage: StorageInterface, bucket: str, query: Query, found: list[Row], following: str | None) -> Separated:
    """S13: these rows by name, with all folders that belong there; `following` is the path of the row after them."""
    if not query.sort.descending:
        return separate(storage, bucket, query.path, found)
    return with_every_folder(
        storage, bucket, query.path, found, search=query.search, is_first=query.offset == 0, following=following
    )


@dataclass(frozen=True, slots=True)
class Containing:
    """Entries of a folder whose names contain the text of a filter.

    `as_of`: the index's age; None if `looked_through` rows of the folder were read instead. `is_all`: those were all.
    `is_cut`: there may be more.
    """

    entries: list[StoredObject]
    as_of: datetime | None = None
    looked_through: int = 0
    is_all: bool = True
    is_cut: bool = False


def find_in_rows(workspace: Workspace, space: str, bucket: str, query: Query) -> Containing:
    """S13: names that contain the text, among the first 1,000 rows. S13's own search finds only how names begin."""
    column = COLUMNS[query.sort.column]
    storage = workspace.storage(space)
    found = list_rows(storage, bucket, query.path, limit=LOOKED_THROUGH, sort_by=column, order=query.sort.order)
    is_all = not found or len(found) % LEAST_CAP != 0
    rows = found
    if query.sort == "-name":
        end = None if is_all else found[-1][0]
        rows = with_every_folder(storage, bucket, query.path, found, search="", is_first=True, following=end).rows
    text = query.search.casefold()
    containing = [(path, entry) for path, entry in rows if text in path[len(query.path) :].casefold()]
    if query.sort == "name":
        containing = separate(storage, bucket, query.path, containing).rows
    entries = [entry for entry in _inside(containing, query.path) if text in entry.name.casefold()]
    return Containing(entries, looked_through=len(found), is_all=is_all)


def find_in_index(workspace: Workspace, space: str, bucket: str, query: Query, as_of: datetime) -> Containing:
    """Find names that contain the text in the bucket's index."""
    folders, objects = queries.children(workspace, space, bucket, query.path, query.search, limit=MOST_CONTAINING + 1)
    inside = len(query.path)
    return Containing(
        [*(StoredObject(name=path[inside:-1]) for path in folders), *(_listed(entry, inside) for entry in objects)],
        as_of,
        is_cut=max(len(folders), len(objects)) > MOST_CONTAINING,
    )


def with_containing(folder: Folder, found: Containing) -> Folder:
    """Append entries that contain the text to those that begin with it."""
    if folder.more:
        return folder
    shown = {(entry.name, entry.is_folder) for entry in folder.entries}
    text = folder.query.search.casefold()
    others = [
        entry
        for entry in found.entries
        # Names that begin with the text were on this page or an earlier one.
        if (entry.name, entry.is_folder) not in shown and not entry.name.casefold().startswith(text)
    ]
    containing = replace(found, is_cut=found.is_cut or len(others) > MOST_CONTAINING)
    return replace(folder, entries=folder.entries + others[:MOST_CONTAINING], containing=containing)


def read_page_of(workspace: Workspace, space: str, bucket: str, query: Query, key: str) -> Folder:
    """Return the page of a list that contains the object (S13), or the first one. Searches 2,000 rows from the query's offset."""
    read = partial(read_folder, workspace, space, bucket, every_folder=False)
    folder = read(query)
    column = COLUMNS[query.sort.column]
    offset = folder.next_offset
    while folder.more and key not in folder.keys and offset < query.offset + SECTION_ROWS:
        found = list_rows(
            workspace.storage(space),
            bucket,
            query.path,
            search=query.search,
            limit=LOOKED_THROUGH,
            offset=offset,
            sort_by=column,
            order=query.sort.order,
        )
        paths = [path for path, _ in found]
        if key in paths:
            at = offset + paths.index(key)
            return read(replace(query, offset=at - at % PAGE_ROWS))
        if not found:
            break
        offset += len(found)
    return folder


@dataclass(frozen=True, slots=True)
class Neighbours:
    """The objects before and after one in its list, each with its page's offset; `at` of `count` if the list is complete."""

    before: tuple[str, int] | None = None
    after: tuple[str, int] | None = None
    at: int = 0
    count: int = 0


def find_neighbours(folder: Folder, key: str, read: Callable[[Query], Folder]) -> Neighbours:
    """Find an object's neighbours, skipping folders. `read` reads another page (S13), needed at the ends of this one."""
    keys, offset = folder.keys, folder.query.offset
    if key not in keys:
        return Neighbours()
    at = keys.index(key)
    before = (keys[at - 1], offset) if at else None
    after = (keys[at + 1], offset) if at + 1 < len(keys) else None
    if before is None and offset:
        earlier = read(replace(folder.query, offset=max(0, offset - PAGE_ROWS)))
        before = (earlier.keys[-1], earlier.query.offset) if earlier.keys else None
    if after is None and folder.more:
        later = read(replace(folder.query, offset=folder.next_offset))
        after = (later.keys[0], later.query.offset) if later.keys else None
    return Neighbours(before, after, *((at + 1, len(keys)) if folder.whole else (0, 0)))


def _inside(found: list[Row], path: str) -> list[StoredObject]:
    """Return the entries of this folder with names relative to it, without placeholders of empty folders."""
    inside = len(path)
    return [
        replaced(entry, name=below[inside:].removesuffix("/") if entry.is_folder else below[inside:])
        for below, entry in found
        if below.startswith(path) and (below[inside:] != PLACEHOLDER or entry.size)
    ]


def _listed(entry: Entry, inside: int) -> StoredObject:
    """Return an object of the index in the form of S13."""
    return StoredObject(
        name=entry.key[inside:],
        id="",
        updated_text=entry.updated_at.isoformat() if entry.updated_at else None,
        created_text=entry.created_at.isoformat() if entry.created_at else None,
        metadata={"size": entry.size, "mimetype": entry.mimetype, "eTag": entry.etag},
    )


@dataclass(frozen=True, slots=True)
class Sizes:
    """Objects and bytes from the index, including subfolders: of the folder, and of each direct subfolder by path."""

    as_of: datetime
    here: tuple[int, int] | None
    inside: dict[str, tuple[int, int]]


def read_sizes(workspace: Workspace, space: str, bucket: str, folder: Folder, known: queries.Known | None) -> Sizes | None:
    """Return the sizes; None if the bucket was never completely indexed with this token."""
    if known is None or not known.complete:
        return None
    path = folder.query.path
    inside = [f"{path}{entry.name}/" for entry in folder.entries if entry.is_folder and entry.name]
    found = queries.folder_sizes(workspace, space, bucket, [*inside, *([path] if path else [])])
    here = found.pop(path, None) if path else (known.objects, known.bytes)
    return Sizes(known.as_of, here, found)
