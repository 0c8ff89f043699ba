"""The search in an address."""

from dataclasses import dataclass
from typing import Any

from dashboard.web.pages.pagination import query_of
from dashboard.web.pages.sort_order import BY_NAME, Sort


@dataclass(frozen=True, slots=True)
class Query:
    """Search text, order and position."""

    q: str = ""
    sort: Sort = BY_NAME
    offset: int = 0

    def text(self, **changes: Any) -> str:
        return query_of(self, **changes)
