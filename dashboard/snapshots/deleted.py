"""Find deleted files of a bucket, in its trash and its last snapshots. Reads only a part of them, and says so."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from time import monotonic

from dashboard.catalog import lookup, queries
from dashboard.catalog.keys import by_folder
from dashboard.catalog.query import Filter
from dashboard.snapshots import sight
from dashboard.snapshots.capture import store
from dashboard.snapshots.manifest import IN_TRASH, Entry, Head, Manifest, heads_at, place_of
from dashboard.snapshots.store import Damaged, Missing
from dashboard.tokens.workspace import Workspace
from dashboard.web.process.parallel import map_bounded

SNAPSHOTS_MAX, TRASHED_MAX = 10, 100
FOUND_MAX = 20
SECONDS = 2.0
AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class Deleted:
    """A file that is not in the bucket now, and the latest snapshot that was read and holds it."""

    head: Head
    entry: Entry

    @property
    def is_dated(self) -> bool:
        """Whether it was deleted at the time of the snapshot, and not some time after it."""
        return self.head.is_trash and not self.head.replaced


@dataclass(slots=True)
class Search:
    """The files that were found, the last deleted first. `is_part`: not everything was read; `is_cut`: there are more."""

    rows: list[Deleted] = field(default_factory=list)
    is_part: bool = False
    is_cut: bool = False


def find(workspace: Workspace, space: str, bucket: str, asked: Filter) -> Search:
    """Find files that match and that the person may see, by the index and, for those shown, the service (S13 and S19).

    Raises as `sight.require_sight`, `StoreError`, and interface errors.
    """
    sight.require_sight(workspace, space)
    search, found = Search(), dict[str, Deleted]()
    matching = _matching(workspace, space, bucket, asked, search)
    while some := list(islice(matching, AT_ONCE)):
        known = queries.known(workspace, space, bucket, {one.entry.key for one in some})
        for one in some:
            key = one.entry.key
            if key not in known and (key not in found or found[key].head.begun < one.head.begun):
                found[key] = one
        if len(found) > AT_ONCE:
            search.is_part = True
            break
    latest = sorted(found.values(), key=lambda one: one.head.begun, reverse=True)
    shown = latest[:FOUND_MAX]
    gone = _gone(workspace, space, bucket, [one.entry.key for one in shown])
    search.rows = [one for one in shown if one.entry.key in gone]
    search.is_cut = len(latest) > FOUND_MAX
    return search


def _matching(workspace: Workspace, space: str, bucket: str, asked: Filter, search: Search) -> Iterator[Deleted]:
    """Yield what matches in the trash, then in the last snapshots, as long as there is time."""
    paths, until = store().heads(place_of(space, bucket))[::-1], monotonic() + SECONDS
    trashed, taken = ([path for path in paths if bool(IN_TRASH.search(path)) is is_trash] for is_trash in (True, False))
    search.is_part = len(trashed) > TRASHED_MAX or len(taken) > SNAPSHOTS_MAX
    scope = sight.part_of(workspace, space, bucket)
    heads = heads_at(store(), [*trashed[:TRASHED_MAX], *taken[:SNAPSHOTS_MAX]])
    search.is_part |= bool(heads.damaged)
    for head in sight.seen(workspace, heads.read):
        # Of a small deletion all keys are in the head.
        if head.names_all and not any(map(asked.finds_key, head.names)):
            continue
        manifest = Manifest(store(), head.lists)
        entries: Iterable[Entry] = sight.inside(manifest, scope, bucket) if scope else manifest
        try:
            for entry in entries:
                if monotonic() > until:
                    search.is_part = True
                    return
                if not entry.left_out and asked.finds(entry.listed):
                    yield Deleted(head, entry)
        except (Damaged, Missing):
            search.is_part = True


def _gone(workspace: Workspace, space: str, bucket: str, keys: Iterable[str]) -> set[str]:
    """Return the keys that are certainly not there now."""
    look = partial(_gone_in, workspace, space, bucket)
    return {key for missing in map_bounded(lambda of: look(*of), by_folder(keys).items()) for key in missing}


def _gone_in(workspace: Workspace, space: str, bucket: str, folder: str, keys: list[str]) -> set[str]:
    # To a token that sees nothing there, all would seem to be gone.
    if not lookup.sees(workspace, space, bucket, folder):
        return set()
    return lookup.absent(workspace.storage(space), bucket, folder, keys)
