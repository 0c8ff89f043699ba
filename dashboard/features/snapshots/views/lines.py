"""Rows of a folder as it was, with the addresses that they lead to."""

from collections.abc import Sequence
from typing import NamedTuple
from urllib.parse import urlencode

from django.urls import reverse

from dashboard.catalog import keys
from dashboard.catalog.types import mark_of
from dashboard.features.snapshots import services

NAMELESS = "(no name)"


class Line(NamedTuple):
    """A row of a folder as it was. `href` opens the folder or shows the object; empty if its bytes were left out.

    `restoration` opens the dialog that restores it; empty if there is nothing to restore. `erasure` opens that which erases it.
    `kind` and `ending` are what its icon shows.
    """

    name: str
    href: str
    row: services.Row
    restoration: str = ""
    erasure: str = ""
    kind: str = "folder"
    ending: str = ""


def line(row: services.Row, path: str, here: Sequence[str]) -> Line:
    """Make a row of a folder; `here` is where its snapshot is."""
    name = keys.printable(row.path[len(path) :].removesuffix("/")) or NAMELESS
    erasure = f"{reverse('snapshots:erasure', args=here[:2])}?{urlencode({'key' if row.entry else 'folder': row.path})}"
    if row.entry is None:
        chosen = urlencode({"folder": row.path, "path": path})
        href = f"{reverse('snapshots:show', args=here)}?{urlencode({'path': row.path})}"
        return Line(name, href, row, f"{reverse('snapshots:restorations', args=here)}?{chosen}", erasure)
    mark = mark_of(row.path, row.entry.type)
    if row.entry.left_out:
        return Line(name, "", row, "", erasure, *mark)
    query = urlencode({"key": row.path})
    restoration = f"{reverse('snapshots:restoration', args=here)}?{query}" if row.since != "" else ""
    return Line(name, f"{reverse('snapshots:view', args=here)}?{query}", row, restoration, erasure, *mark)
