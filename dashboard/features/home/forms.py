"""Filter, order and groups of the fleet, from its query. Unknown values are ignored."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Self

from django.http import QueryDict

from dashboard.facts.overview import Cell
from dashboard.facts.registry import Fact
from dashboard.features.home.services.fleet import Fleet, Row
from dashboard.web.sort_order import BY_NAME, Sort, read_sort
from dashboard.web.text import search_text

Choices = list[tuple[str, str]]
ANY, FAILED = "any", "failed"
GROUPS = {"organization": "By organization", "label": "By label", "region": "By region", "created": "By month created"}


@dataclass(frozen=True, slots=True)
class Filter:
    """`label` is "is:production", "is:none" or "name:…"; `problem` is "any", "failed" or a fact's key; `sort` too, or "name".

    `group` is a key of GROUPS; rows are sorted inside their groups.
    """

    search: str = ""
    organization: str = ""
    label: str = ""
    state: str = ""
    problem: str = ""
    group: str = ""
    sort: Sort = BY_NAME

    @classmethod
    def of(cls, query: QueryDict, facts: Sequence[Fact]) -> Self:
        return cls(
            search=search_text(query.get("q", "")).strip(),
            organization=query.get("organization", ""),
            label=query.get("label", ""),
            state=query.get("state", ""),
            problem=query.get("problem", ""),
            group=query.get("group", ""),
            sort=read_sort(query, ["name", *(fact.key for fact in facts)]),
        )

    @property
    def is_narrow(self) -> bool:
        return bool(self.search or self.organization or self.label or self.state or self.problem)

    def arrange(self, fleet: Fleet) -> list[Row]:
        """Return the matching rows in order; those without a value come last."""
        found = self._sorted(filter(self._matches, fleet.rows))
        if self.group:
            found.sort(key=lambda row: self.heading(row, fleet.organizations).casefold())
            found.sort(key=lambda row: self._group(row, fleet.organizations)[0])
        return found

    def heading(self, row: Row, organizations: Mapping[str, str]) -> str:
        """Return the title of the row's group; empty without groups."""
        return self._group(row, organizations)[1]

    def _group(self, row: Row, organizations: Mapping[str, str]) -> tuple[int, str]:
        """Return the rank and title of the row's group: the newest month first, rows without a value last."""
        match self.group:
            case "organization":
                name = organizations.get(row.organization, row.organization)
                return int(not name), name or "Without an organization"
            case "label":
                return int(not row.label.name), row.label.name or "Without a label"
            case "region":
                return int(not row.region), row.region or "Unknown region"
            case "created" if moment := row.created_at:
                return -(moment.year * 12 + moment.month), f"{moment:%B %Y}"
            case "created":
                return 0, "Unknown date"
        return 0, ""

    def _sorted(self, rows: Iterable[Row]) -> list[Row]:
        found = sorted(rows, key=lambda row: (row.name.casefold(), row.place))
        column = self.sort.column
        if column == "name":
            return found[::-1] if self.sort.descending else found
        known = [row for row in found if _number(row, column) is not None]
        known.sort(key=lambda row: _number(row, column) or 0, reverse=self.sort.descending)
        return known + [row for row in found if _number(row, column) is None]

    def _matches(self, row: Row) -> bool:
        wanted = self.search.casefold()
        return (
            any(wanted in text for text in (row.name.casefold(), row.place, row.label.name.casefold()))
            and (not self.organization or row.organization == self.organization)
            and (not self.label or self.label in _labels(row))
            and (not self.state or self.state == _state(row))
            and (not self.problem or self.problem in _problems(row))
        )


@dataclass(frozen=True, slots=True)
class Options:
    """Value and text of the choices that the fleet offers. A choice with fewer than two is hidden."""

    organizations: Choices
    labels: Choices
    states: Choices
    problems: Choices
    groups: Choices

    @classmethod
    def of(cls, fleet: Fleet) -> Self:
        rows = fleet.rows
        names = sorted({row.label.name for row in rows if row.label.name}, key=str.casefold)
        special = {"is:production": "Production", "is:none": "Without a label"}
        labelled = {label for row in rows for label in _labels(row)}
        problems = {problem for row in rows for problem in _problems(row)}
        titles = {
            ANY: "Needs attention",
            FAILED: "Unreachable",
            **{c.fact.key: c.fact.title for row in rows[:1] for c in _cells(row)},
        }
        return cls(
            organizations=sorted(fleet.organizations.items(), key=lambda pair: (pair[1].casefold(), pair[0])),
            labels=[*((f"name:{name}", name) for name in names), *(pair for pair in special.items() if pair[0] in labelled)],
            states=[(state, state) for state in sorted({_state(row) for row in rows} - {""})],
            problems=[(key, title) for key, title in titles.items() if key in problems],
            groups=list(GROUPS.items()) if fleet.organizations else [],
        )


def _cells(row: Row) -> Sequence[Cell]:
    return list(row.overview.cells.values())


def _labels(row: Row) -> set[str]:
    named = {f"name:{row.label.name}"} if row.label.name else set()
    return named | ({"is:production"} if row.label.production else set()) | (set() if row.label.is_shown else {"is:none"})


def _state(row: Row) -> str:
    cell = row.overview.cells.get("state")
    return cell.shown.text if cell and cell.shown else ""


def _problems(row: Row) -> set[str]:
    keys = {cell.fact.key for cell in _cells(row) if cell.shown and cell.shown.need}
    return keys | ({ANY} if keys else set()) | ({FAILED} if row.overview.failure else set())


def _number(row: Row, column: str) -> float | None:
    cell = row.overview.cells.get(column)
    return cell.shown.number if cell and cell.shown else None
