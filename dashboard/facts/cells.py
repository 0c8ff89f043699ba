"""Render the facts of a row as table cells. Equal cells are rendered once: 200 rows have 1,600 cells."""

from functools import reduce
from operator import add
from typing import NamedTuple

from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.safestring import SafeString

from dashboard.facts.overview import Cell, Overview
from dashboard.facts.registry import Fact, Need
from dashboard.web.text import relative


class Drawn(NamedTuple):
    """The content of a cell. `title` holds the failure, the age and the details; `href` leads to what `unit` counts."""

    key: str
    tone: str
    text: str
    title: str
    failed: bool
    href: str
    unit: str


class Painter:
    """Renders the cells of one page."""

    def __init__(self) -> None:
        self._drawn: dict[Drawn, SafeString] = {}

    def cells(self, overview: Overview) -> SafeString:
        """Return a `td` for each fact."""
        return reduce(add, (self._cell(_drawn(cell, overview.place)) for cell in overview.cells.values()))

    def _cell(self, cell: Drawn) -> SafeString:
        if cell not in self._drawn:
            self._drawn[cell] = render_to_string("facts/_cell.html", cell._asdict())
        return self._drawn[cell]


def need_href(need: Need, place: str) -> str:
    """Return the address of a problem's next step."""
    return reverse(need.view, args=() if need.is_global else (place,)) + need.query


def fact_href(fact: Fact, place: str) -> str:
    """Return the address of the page that a fact is about."""
    return reverse(fact.view, args=() if fact.is_global else (place,))


def _drawn(cell: Cell, place: str) -> Drawn:
    shown = cell.shown
    number = shown.number if shown and cell.fact.unit else 0
    failed = f"Not updated: {cell.failure}" if cell.failure else ""
    age = f"As of {relative(cell.read_at)}." if cell.failure and cell.read_at else ""
    return Drawn(
        key=cell.fact.key,
        tone=shown.tone if shown else "",
        text=shown.text if shown else "",
        title=" ".join(filter(None, (failed, age, shown.detail if shown else ""))),
        failed=bool(cell.failure),
        href=fact_href(cell.fact, place) if number else "",
        unit=f"{cell.fact.unit}{'' if number == 1 else 's'}",
    )
