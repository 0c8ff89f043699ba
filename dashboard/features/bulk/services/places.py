"""The buckets and folders that a person may choose from as a place."""

from dataclasses import dataclass
from functools import partial

from dashboard.catalog import named_buckets
from dashboard.catalog.keys import printable, trail
from dashboard.catalog.walk import list_page
from dashboard.tokens.workspace import Workspace
from dashboard.web.parallel import side_by_side


@dataclass(frozen=True, slots=True)
class Step:
    """A folder to go to, and what it is called."""

    name: str
    path: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """One folder of one bucket, with the folders in it. `more`: the page of the list that follows, None at its end."""

    bucket: str
    path: str
    buckets: list[str]
    steps: list[Step]
    folders: list[Step]
    more: int | None


def read_places(workspace: Workspace, space: str, bucket: str, path: str, *, source: str, offset: int = 0) -> Places:
    """S2 and S13, side by side. `source`, the bucket one stands in, is there even where the list of buckets does not show it."""
    storage = workspace.storage(space)
    buckets, page = side_by_side(storage.buckets.all, partial(list_page, storage, bucket, path, offset=offset))
    names = sorted({found.id for found in buckets} | {source, *named_buckets.names(workspace, space)}, key=str.casefold)
    return Places(
        bucket=bucket,
        path=path,
        buckets=names,
        steps=[Step(printable(name) or "(no name)", below) for name, below in trail(path)],
        folders=[
            Step(printable(below[len(path) : -1]) or "(no name)", below) for below in page.folders if below.startswith(path)
        ],
        more=page.next_offset,
    )
