"""Preview a bucket's contents before it is published or deleted: from the index, else from one or two S13 pages."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice

from dashboard.catalog import queries
from dashboard.catalog.queries import Known
from dashboard.catalog.query import Filter
from dashboard.catalog.walk import Entry, Listing, list_page, walk
from dashboard.interfaces.errors import InterfaceError
from dashboard.links.ledger import counts
from dashboard.tokens.workspace import Workspace

EXAMPLES = 3
MOST_NAMES = 10
# S13 calls that look for an object to test with.
MOST_PAGES = 20


@dataclass(frozen=True, slots=True)
class Name:
    """An object or a folder."""

    text: str
    is_folder: bool = False


@dataclass(frozen=True, slots=True)
class Listed:
    """The first names in a bucket (S13), without markers of empty folders. `told`: whether the service answered."""

    names: tuple[Name, ...] = ()
    has_more: bool = False
    told: bool = True


@dataclass(frozen=True, slots=True)
class Reach:
    """What publishing would expose: `known` from the index, else the first names. `links`: active share links."""

    examples: tuple[str, ...]
    has_more: bool
    known: Known | None
    told: bool
    links: int

    @property
    def is_empty(self) -> bool:
        return self.told and not self.examples and not self.has_more


def reach_of(workspace: Workspace, space: str, bucket_id: str) -> Reach:
    """Return what publishing would expose. S13 only if the bucket is not indexed."""
    links = counts(space, [bucket_id])[bucket_id]
    known = counted(workspace, space, bucket_id)
    if known is not None:
        examples = tuple(entry.key for entry in _first_indexed(workspace, space, bucket_id))
        return Reach(examples, has_more=known.objects > len(examples), known=known, told=True, links=links)
    listed = first_names(workspace, space, bucket_id)
    seen = [name.text for name in listed.names]
    more = listed.has_more or len(seen) > EXAMPLES
    return Reach(tuple(seen[:EXAMPLES]), has_more=more, known=None, told=listed.told, links=links)


def counted(workspace: Workspace, space: str, bucket_id: str) -> Known | None:
    """Return the totals of a complete index; None without one. Calls no service."""
    known = queries.state(workspace, space, bucket_id)
    return known if known and known.complete else None


def is_empty(workspace: Workspace, space: str, bucket_id: str) -> bool | None:
    """Whether the bucket lists nothing (S13); None if it could not be listed."""
    try:
        return not list_page(workspace.storage(space), bucket_id, "").names
    except InterfaceError:
        return None


def first_names(workspace: Workspace, space: str, bucket_id: str) -> Listed:
    """Return the first ten names (S13). If the root contains only folders, those of the first folder."""
    storage = workspace.storage(space)
    try:
        root = list_page(storage, bucket_id, "", every_folder=True)
        inner = list_page(storage, bucket_id, root.folders[0], every_folder=True) if root.folders and not root.entries else None
    except InterfaceError:
        return Listed(told=False)
    inside = [*_names(inner), *_folders(inner.folders)] if inner and inner.entries else []
    names = [*inside, *_folders(root.folders[bool(inside) :]), *_names(root)]
    return Listed(tuple(names[:MOST_NAMES]), has_more=len(names) > MOST_NAMES or root.next_offset is not None)


def example_key(workspace: Workspace, space: str, bucket_id: str) -> str:
    """Return an object to test public access with, or "": from the index, else the nearest one (S13)."""
    if indexed := _first_indexed(workspace, space, bucket_id):
        return indexed[0].key
    with suppress(InterfaceError):
        pages = islice(walk(workspace.storage(space), bucket_id), MOST_PAGES)
        return next((entry.key for page in pages for entry in page.entries if not entry.is_marker), "")
    return ""


def larger_than(workspace: Workspace, space: str, bucket_id: str, limit: int) -> tuple[int, Known] | None:
    """Return how many objects exceed `limit` bytes, with the totals; None if the bucket is not indexed."""
    known = counted(workspace, space, bucket_id)
    larger = Filter(f"size:>{limit}b", least=limit + 1)
    found = queries.search(workspace, space, bucket_id, larger, sort="size", order="desc", offset=0, limit=1) if known else None
    return (found.total, known) if known and found else None


def _first_indexed(workspace: Workspace, space: str, bucket_id: str) -> list[Entry]:
    found = queries.search(workspace, space, bucket_id, Filter(), sort="path", offset=0, limit=EXAMPLES)
    return found.rows if found else []


def _folders(paths: Sequence[str]) -> list[Name]:
    return [Name(path, is_folder=True) for path in paths]


def _names(page: Listing | None) -> list[Name]:
    return [Name(entry.key) for entry in page.entries if not entry.is_marker] if page else []
