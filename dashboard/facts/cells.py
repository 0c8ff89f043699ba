"""Render the facts of a row as table cells. Those that differ only in their address and title are rendered once."""

from datetime import datetime, timedelta
from functools import cache, lru_cache
from typing import NamedTuple

from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.utils.html import escape, format_html
from django.utils.safestring import SafeString

from dashboard.facts.overview import Cell, Overview
from dashboard.facts.registry import Fact, Need
from dashboard.web.text import relative

# What the cell of a fact says if there is no value, by its state.
WORDS = {"loading": "Loading", "failed": "Unavailable", "refused": "No access", "gone": "Removed", "unasked": "No token"}
HREF, TITLE = "\0href\0", "\0title\0"
# Stands for a place in an address; no path has capital letters.
PLACE = "PLACE"


class Drawn(NamedTuple):
    """What a cell shows. `state`: known, old (the latest read failed), empty, or a key of WORDS; `mark`: a small cell's text."""

    key: str
    label: str
    icon: str
    state: str
    tone: str
    text: str
    mark: str


class Painter:
    """Renders the cells of one page. `is_small`: as icons with marks instead of texts."""

    def __init__(self, *, is_small: bool) -> None:
        self._is_small, self._now = is_small, timezone.now()
        self._cells: dict[tuple[Drawn, str], str] = {}

    def cells(self, overview: Overview) -> SafeString:
        """Return a `td` for each fact."""
        return format_html(
            "".join(self._cell(cell, is_gone=overview.is_gone) for cell in overview.cells.values()), overview.place
        )

    def _cell(self, cell: Cell, *, is_gone: bool) -> str:
        """Return the pattern of a cell, with "{0}" for the place."""
        drawn = _drawn(cell, is_gone=is_gone, is_small=self._is_small)
        title = _title(cell, drawn, self._now)
        if (drawn, title) not in self._cells:
            pattern = _pattern(drawn).replace(HREF, fact_href(cell.fact, "{0}"))
            self._cells[drawn, title] = pattern.replace(TITLE, _literal(escape(title)))
        return self._cells[drawn, title]


@lru_cache(1000)
def _pattern(drawn: Drawn) -> str:
    return _literal(render_to_string("facts/_cell.html", {**drawn._asdict(), "href": HREF, "title": TITLE}))


def _literal(text: str) -> str:
    """Return the text as a pattern that formats to itself."""
    return text.replace("{", "{{").replace("}", "}}")


def need_href(need: Need, place: str) -> str:
    """Return the address of a problem's next step."""
    return reverse(need.view, args=() if need.is_global else (place, *need.inside)) + need.query


def fact_href(fact: Fact, place: str) -> str:
    """Return the address of the page that a fact is about, which lists those of the place if it is for all places."""
    return _href(fact.view, is_global=fact.is_global).replace(PLACE, place)


@cache
def _href(view: str, *, is_global: bool) -> str:
    return f"{reverse(view)}?q={PLACE}" if is_global else reverse(view, args=(PLACE,))


def text_of(cell: Cell, *, is_gone: bool) -> str:
    """Return the text of a fact, or what stands for it where there is none. `is_gone`: its place was removed."""
    return WORDS.get(_state(cell, is_gone=is_gone)) or (cell.shown.text if cell.shown else "")


def _drawn(cell: Cell, *, is_gone: bool, is_small: bool) -> Drawn:
    fact, shown, state = cell.fact, cell.shown, _state(cell, is_gone=is_gone)
    text = text_of(cell, is_gone=is_gone)
    mark = (shown.short or shown.text) if shown else ""
    tone = shown.tone if shown and state == "known" else ""
    return Drawn(fact.key, fact.title, fact.icon if is_small else "", state, tone, text, mark)


def _state(cell: Cell, *, is_gone: bool) -> str:
    if not cell.is_covered:
        return "empty" if cell.fact.of else "refused"
    if cell.shown and cell.shown.text:
        return "old" if cell.failure else "known"
    if cell.failure:
        return "failed"
    if not cell.fact.operation:
        return "empty"
    return "gone" if is_gone else "loading" if cell.due_at else "unasked"


def _title(cell: Cell, drawn: Drawn, now: datetime) -> str:
    """Return what a hover adds: the whole text of a small cell, the failure, the details, and the age."""
    whole = f"{drawn.label}: {drawn.text}." if drawn.icon else ""
    failed = f"Not updated: {cell.failure}" if cell.failure else ""
    detail = cell.shown.detail if cell.shown else ""
    age = f"Checked {_age(cell.read_at, now)}." if cell.read_at and drawn.state in ("known", "old") else ""
    return " ".join(filter(None, (whole, failed, detail, age)))


def _age(read_at: datetime, now: datetime) -> str:
    """Return the age in minutes or more: rows read within seconds of one another then have equal cells."""
    return "just now" if now - read_at < timedelta(minutes=1) else relative(read_at, now)
