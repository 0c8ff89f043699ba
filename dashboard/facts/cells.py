"""Draw the facts of a row as table cells. Two hundred rows have sixteen hundred cells, so this is no template."""

from html import escape

from django.urls import reverse
from django.utils.safestring import SafeString

from dashboard.facts.overview import Cell, Overview
from dashboard.facts.registry import Need
from dashboard.web.text import relative


def cells(overview: Overview) -> SafeString:
    """Return a `td` for each fact."""
    return SafeString("".join(map(_cell, overview.cells.values())))


def need_href(need: Need, place: str) -> str:
    """Return the address of a problem's next step."""
    return reverse(need.view, args=() if need.is_global else (place,)) + need.query


def _cell(cell: Cell) -> str:
    """The title holds the failure, the age and the details."""
    shown = cell.shown
    tone = f" fact--{shown.tone}" if shown and shown.tone else ""
    title = ""
    if cell.failure or (shown and shown.detail):
        failed = f"Not updated: {cell.failure}" if cell.failure else ""
        age = f"As of {relative(cell.read_at)}." if cell.failure and cell.read_at else ""
        title = f' title="{escape(" ".join(filter(None, (failed, age, shown.detail if shown else ""))))}"'
    nothing = f'<span class="quiet">{"Unavailable" if cell.failure else "—"}</span>'
    text = escape(shown.text) if shown and shown.text else nothing
    return f'<td class="fact overview__{cell.fact.key}{tone}"{title}>{text}</td>'
