"""What the address of a folder's list says."""

from dataclasses import dataclass
from typing import Any, Literal

from dashboard.web.pages.pagination import query_of
from dashboard.web.pages.sort_order import BY_NAME, Sort


@dataclass(frozen=True, slots=True)
class Query:
    """Folder, filter, order, position and open object of a list, drawn as a list or as a grid.

    `path` is "" or ends in a slash; `open` is a key.
    """

    path: str = ""
    search: str = ""
    sort: Sort = BY_NAME
    offset: int = 0
    open: str = ""
    view: Literal["list", "grid"] = "list"

    def text(self, **changes: Any) -> str:
        return query_of(self, **changes)
