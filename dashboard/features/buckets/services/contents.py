"""What is in a bucket, for somebody about to publish or delete it: from what was crawled, else from a page or two of S13."""

from collections.abc import Sequence
from dataclasses import dataclass

from dashboard.catalog import queries
from dashboard.catalog.keys import PLACEHOLDER
from dashboard.catalog.queries import Known
from dashboard.catalog.query import Filter
from dashboard.catalog.walk import Entry, Listing, list_page
from dashboard.interfaces.errors import InterfaceError
from dashboard.links.ledger import counts
from dashboard.tokens.workspace import Workspace

EXAMPLES = 3
MOST_NAMES = 10


@dataclass(frozen=True, slots=True)
class Name:
    """Something in a bucket. A folder stands for what is below it; `keeps` is the folder that a hidden marker keeps alive."""

    text: str
    is_folder: bool = False
    keeps: str | None = None


@dataclass(frozen=True, slots=True)
class Listed:
    """The first names of a bucket, as S13 tells them now. `told` is false where the service did not."""

    names: tuple[Name, ...] = ()
    has_more: bool = False
    told: bool = True

    @property
    def has_markers(self) -> bool:
        return any(name.keeps is not None for name in self.names)


@dataclass(frozen=True, slots=True)
class Reach:
    """What becomes readable by anybody: `known` where the bucket was crawled, else the first names alone. `links`: live ones."""

    examples: tuple[str, ...]
    has_more: bool
    known: Known | None
    told: bool
    links: int

    @property
    def is_empty(self) -> bool:
        return self.told and not self.examples and not self.has_more


def reach_of(workspace: Workspace, space: str, bucket_id: str) -> Reach:
    """What publishing opens. Asks the service (S13) only where nothing was crawled."""
    links = counts(space, [bucket_id])[bucket_id]
    known = counted(workspace, space, bucket_id)
    if known is not None:
        examples = tuple(entry.key for entry in _crawled(workspace, space, bucket_id))
        return Reach(examples, has_more=known.objects > len(examples), known=known, told=True, links=links)
    listed = first_names(workspace, space, bucket_id)
    seen = [name.text for name in listed.names if name.keeps is None]
    more = listed.has_more or len(seen) > EXAMPLES
    return Reach(tuple(seen[:EXAMPLES]), has_more=more, known=None, told=listed.told, links=links)


def counted(workspace: Workspace, space: str, bucket_id: str) -> Known | None:
    """What a whole crawl found, and our own writes since; None where there was none. Asks nobody."""
    known = queries.state(workspace, space, bucket_id)
    return known if known and known.complete else None


def first_names(workspace: Workspace, space: str, bucket_id: str) -> Listed:
    """The first ten names (S13); where the root holds nothing but folders, what is in the first of them (S13 again)."""
    storage = workspace.storage(space)
    try:
        root = list_page(storage, bucket_id, "")
        inner = list_page(storage, bucket_id, root.folders[0]) if root.folders and not root.entries else None
    except InterfaceError:
        return Listed(told=False)
    inside = [*_names(inner), *_folders(inner.folders)] if inner and inner.entries else []
    names = [*inside, *_folders(root.folders[bool(inside) :]), *_names(root)]
    return Listed(tuple(names[:MOST_NAMES]), has_more=len(names) > MOST_NAMES or root.next_offset is not None)


def example_key(workspace: Workspace, space: str, bucket_id: str) -> str:
    """An object to try the door with; empty where there is none at hand."""
    if crawled := _crawled(workspace, space, bucket_id):
        return crawled[0].key
    listed = first_names(workspace, space, bucket_id)
    return next((name.text for name in listed.names if not name.is_folder and name.keeps is None), "")


def larger_than(workspace: Workspace, space: str, bucket_id: str, limit: int) -> tuple[int, Known] | None:
    """How many objects are larger than so many bytes, and as of when; None where the bucket was not crawled."""
    known = counted(workspace, space, bucket_id)
    larger = Filter(f"size:>{limit}b", least=limit + 1)
    found = queries.search(workspace, space, bucket_id, larger, sort="size", order="desc", offset=0, limit=1) if known else None
    return (found.total, known) if known and found else None


def _crawled(workspace: Workspace, space: str, bucket_id: str) -> list[Entry]:
    """The first objects that a crawl found."""
    found = queries.search(workspace, space, bucket_id, Filter(), sort="path", offset=0, limit=EXAMPLES)
    return found.rows if found else []


def _folders(paths: Sequence[str]) -> list[Name]:
    return [Name(path, is_folder=True) for path in paths]


def _names(page: Listing | None) -> list[Name]:
    return [_name(entry) for entry in page.entries] if page else []


def _name(entry: Entry) -> Name:
    return Name(entry.key, keeps=entry.key.removesuffix(PLACEHOLDER) if entry.is_marker else None)
