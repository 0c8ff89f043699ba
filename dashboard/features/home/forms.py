"""Filter, order and groups of the fleet, from its query. Unknown values are ignored."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Self

from django import forms
from django.http import QueryDict

from dashboard.facts.addresses import canonical, read_address
from dashboard.facts.registry import NETWORK, Fact, Need, Problem
from dashboard.features.home.models import NAME_MAX_LENGTH
from dashboard.features.home.services.fleet import Fleet, Row
from dashboard.tokens.states import is_down
from dashboard.web.input.forms import Form
from dashboard.web.pages.sort_order import Sort, read_sort
from dashboard.web.text import search_text

Choices = list[tuple[str, str]]
ANY = "any"
UNREACHABLE = Problem("unreachable", "unreachable")
NEEDS = Sort("needs")
GROUPS = {
    "organization": "By organization",
    "label": "By label",
    "region": "By region",
    "created": "By month created",
    "state": "By state",
}


@dataclass(frozen=True, slots=True)
class Filter:
    """`label` is "is:production", "is:none" or "name:…"; `problem` is "any" or a problem's key.

    `address` is an IP address to look for in the view of networks, or what was typed instead. `sort` is "needs" (urgent ones
    first), "name" or a fact's key; `group` a key of GROUPS, inside which rows are sorted.
    """

    search: str = ""
    organization: str = ""
    label: str = ""
    state: str = ""
    problem: str = ""
    address: str = ""
    group: str = ""
    sort: Sort = NEEDS

    @classmethod
    def of(cls, query: QueryDict, facts: Sequence[Fact]) -> Self:
        return cls(
            search=search_text(query.get("q", "")).strip(),
            organization=query.get("organization", ""),
            label=query.get("label", ""),
            state=query.get("state", ""),
            problem=query.get("problem", ""),
            address=canonical(query.get("address", "")) if query.get("view") == NETWORK else "",
            group=query.get("group", ""),
            sort=read_sort(query, ["needs", "name", *(fact.key for fact in facts)], NEEDS),
        )

    @property
    def query(self) -> dict[str, str]:
        """Return its values as the query of an address, without the view."""
        said = {
            "q": self.search,
            "organization": self.organization,
            "label": self.label,
            "state": self.state,
            "problem": self.problem,
            "address": self.address,
            "group": self.group,
            "sort": "" if self.sort == NEEDS else self.sort,
        }
        return {name: value for name, value in said.items() if value}

    @property
    def is_narrow(self) -> bool:
        return bool(self.search or self.organization or self.label or self.state or self.problem)

    @property
    def is_address(self) -> bool:
        return read_address(self.address) is not None

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
            case "created":
                moment = row.created_at
                return (-(moment.year * 12 + moment.month), f"{moment:%B %Y}") if moment else (0, "Unknown date")
            case "state":
                return int(not _state(row)), _state(row) or "Unknown state"
        return 0, ""

    def _sorted(self, rows: Iterable[Row]) -> list[Row]:
        found = sorted(rows, key=lambda row: (row.name.casefold(), row.place))
        column = self.sort.column
        if column == "name":
            return found[::-1] if self.sort.descending else found
        if column == "needs":
            return sorted(found, key=_urgency, reverse=self.sort.descending)
        known = [row for row in found if _text(row, column)]
        known.sort(key=lambda row: _value(row, column), reverse=self.sort.descending)
        return known + [row for row in found if not _text(row, column)]

    def _matches(self, row: Row) -> bool:
        wanted = self.search.casefold()
        return (
            any(wanted in text.casefold() for text in (row.name, row.place, row.label.name, *row.overview.names))
            and (not self.organization or row.organization == self.organization)
            and (not self.label or self.label in _labels(row))
            and (not self.state or _state(row) in ("", self.state))
            and (not self.problem or self.problem in _problems(row))
        )

    def needs(self, row: Row) -> list[Need]:
        """Return what the row needs, first what the filter asks for."""
        return sorted(row.overview.needs, key=lambda need: need.problem.key != self.problem)


@dataclass(frozen=True, slots=True)
class Options:
    """Value and text of the choices that the fleet offers, hidden if fewer than two. `problems`: with counts, urgent first."""

    organizations: Choices
    labels: Choices
    states: Choices
    groups: Choices
    problems: Sequence[tuple[Problem, int]]

    @classmethod
    def of(cls, fleet: Fleet) -> Self:
        rows = fleet.rows
        names = sorted({row.label.name for row in rows if row.label.name}, key=str.casefold)
        special = {"is:production": "Production", "is:none": "Without a label"}
        labelled = {label for row in rows for label in _labels(row)}
        return cls(
            organizations=sorted(fleet.organizations.items(), key=lambda pair: (pair[1].casefold(), pair[0])),
            labels=[*((f"name:{name}", name) for name in names), *(pair for pair in special.items() if pair[0] in labelled)],
            states=[(state, state) for state in sorted({_state(row) for row in rows} - {""})],
            groups=list(GROUPS.items()) if fleet.organizations else [],
            problems=list(_counted(rows)),
        )


class NameForm(Form):
    """The name of a filter to save."""

    name = forms.CharField(max_length=NAME_MAX_LENGTH, widget=forms.TextInput({"autocomplete": "off"}))


def _counted(rows: Sequence[Row]) -> Iterator[tuple[Problem, int]]:
    counts = Counter(problem for row in rows for problem in {need.problem for need in row.overview.needs})
    for problem in sorted(counts, key=lambda one: (not one.urgent, one.key)):
        yield problem, counts[problem]
    if count := sum(map(_is_unreachable, rows)):
        yield UNREACHABLE, count


def _urgency(row: Row) -> int:
    needs = row.overview.needs
    return 2 if not needs else 0 if needs[0].problem.urgent else 1


def _labels(row: Row) -> set[str]:
    named = {f"name:{row.label.name}"} if row.label.name else set()
    return named | ({"is:production"} if row.label.production else set()) | (set() if row.label.is_shown else {"is:none"})


def _state(row: Row) -> str:
    """Return the text of the fact that the view reviews, or the project's state; "" if that isn't known yet."""
    lead = row.overview.lead
    return _text(row, lead.fact.key if lead and not row.overview.is_gone else "state")


def _problems(row: Row) -> set[str]:
    keys = {need.problem.key for need in row.overview.needs}
    return keys | ({ANY} if keys else set()) | ({UNREACHABLE.key} if _is_unreachable(row) else set())


def _is_unreachable(row: Row) -> bool:
    """Whether the service gave no answer, and the project's state doesn't explain that: one that is paused has none to give."""
    return not _is_down(row) and any(cell.is_unanswered for cell in row.overview.cells.values())


def _is_down(row: Row) -> bool:
    """Whether the project has no answers to give, as it is paused or coming up."""
    state = row.overview.cells.get("state")
    return bool(state and state.shown and is_down(state.shown.detail))


def _text(row: Row, column: str) -> str:
    cell = row.overview.cells.get(column)
    return cell.shown.text if cell and cell.shown else ""


def _value(row: Row, column: str) -> tuple[float, str]:
    """Return what a column is sorted by: a number, then its text."""
    shown = row.overview.cells[column].shown
    return (shown.number, shown.text.casefold()) if shown else (0, "")
