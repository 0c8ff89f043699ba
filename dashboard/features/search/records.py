"""The search that an address asks for."""

from dataclasses import dataclass
from typing import Any, Literal

from dashboard.web.pagination import query_of


@dataclass(frozen=True, slots=True)
class Query:
    """Search text, order and position."""

    q: str = ""
    sort: str = "name"
    order: Literal["asc", "desc"] = "asc"
    offset: int = 0

    def text(self, **changes: Any) -> str:
        return query_of(self, **changes)
