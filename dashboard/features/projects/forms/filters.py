"""What a person may ask of the list of projects."""

from dataclasses import dataclass
from typing import Self

from django.http import QueryDict

COLUMNS = ("name", "label", "organization", "region", "created")


@dataclass(frozen=True, slots=True)
class Filter:
    """Search, organization, label and order, as they stand in the address (`?sort=-created`). What makes no sense is left out.

    `label` is "is:production", "is:none" (projects without a label) or "name:…".
    """

    search: str = ""
    organization: str = ""
    label: str = ""
    sort: str = "name"
    descending: bool = False

    @classmethod
    def read(cls, query: QueryDict) -> Self:
        sort = query.get("sort", "")
        known = sort.removeprefix("-") in COLUMNS
        return cls(
            search=query.get("q", "").strip(),
            organization=query.get("organization", ""),
            label=query.get("label", ""),
            sort=sort.removeprefix("-") if known else "name",
            descending=known and sort.startswith("-"),
        )

    @property
    def narrows(self) -> bool:
        return bool(self.search or self.organization or self.label)
