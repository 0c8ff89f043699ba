"""Search a bucket's index. Calls no service."""

from collections.abc import Iterator

from dashboard.catalog import queries
from dashboard.catalog.queries import Found, Large
from dashboard.catalog.query import Filter
from dashboard.catalog.walk import Entry
from dashboard.features.search.records import Query
from dashboard.tokens.workspace import Workspace

PAGE = 100
MOST_FOLDERS = 8


def find(workspace: Workspace, space: str, bucket: str, asked: Filter, query: Query) -> Found | None:
    """One page; None if the bucket was never indexed with the person's token."""
    column, order = query.sort.column, query.sort.order
    return queries.search(workspace, space, bucket, asked, sort=column, order=order, offset=query.offset, limit=PAGE)


def find_all(workspace: Workspace, space: str, bucket: str, asked: Filter) -> Iterator[Entry]:
    """Yield every matching object, by key."""
    return queries.keys(workspace, space, bucket, asked)


def largest_folders(workspace: Workspace, space: str, bucket: str, path: str) -> list[Large]:
    """Return the direct subfolders of `path` with the most bytes, largest first."""
    return queries.largest(workspace, space, bucket, path, limit=MOST_FOLDERS)
