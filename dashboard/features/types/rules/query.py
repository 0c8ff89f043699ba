"""What the address of the types page says: schemas, remembered sets, a search."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self
from urllib.parse import urlencode

from django.http import QueryDict

DEFAULT = ("public",)
MOST_SCHEMAS = 50
MOST_SETS = 12
LONGEST = 63


@dataclass(frozen=True, slots=True)
class Chip:
    """A remembered set of schemas: where it is shown, and where it is forgotten."""

    label: str
    href: str
    here: bool
    forget: str


@dataclass(frozen=True, slots=True)
class Asked:
    """`schemas` is empty until somebody asked. `wait`: without script, the page itself waits for the types. `again`: anew."""

    schemas: tuple[str, ...] = ()
    sets: tuple[str, ...] = ()
    search: str = ""
    wait: bool = False
    again: bool = False

    @classmethod
    def of(cls, query: QueryDict) -> Self:
        sets = dict.fromkeys(written(names(found)) for found in query.getlist("set"))
        return cls(
            schemas=(names(query.get("schemas", "")) or DEFAULT) if "schemas" in query else (),
            sets=tuple(found for found in sets if found)[:MOST_SETS],
            search=query.get("q", "").strip()[:100],
            wait="wait" in query,
            again="again" in query,
        )

    @property
    def written(self) -> str:
        """The schemas as they stand in the address and in the field."""
        return written(self.schemas)

    def query(self, **changed: object) -> str:
        """The address's query with some of it changed."""
        found = {"schemas": self.written, "set": list(self.sets), "q": self.search, **changed}
        return urlencode({name: value for name, value in found.items() if value}, doseq=True)

    def chips(self, address: str) -> list[Chip]:
        return [
            Chip(
                label=found.replace(",", ", "),
                href=f"{address}?{self.query(schemas=found, q='')}",
                here=found == self.written,
                forget=f"{address}?{self.query(set=[other for other in self.sets if other != found], q='')}",
            )
            for found in self.sets
        ]

    def remember(self, address: str) -> str:
        """The address that remembers the present set as well; empty where that can't be."""
        if not self.schemas or self.written in self.sets or len(self.sets) >= MOST_SETS:
            return ""
        return f"{address}?{self.query(set=[*self.sets, self.written], q='')}"


def names(text: str) -> tuple[str, ...]:
    """Names of schemas, as typed with commas or lines between."""
    found = (name.strip()[:LONGEST] for name in text.replace("\n", ",").split(","))
    return tuple(dict.fromkeys(name for name in found if name.isprintable() and name))[:MOST_SCHEMAS]


def written(schemas: Iterable[str]) -> str:
    return ",".join(schemas)
