"""The deleted files that a search of a bucket (`?q=`) would find."""

from typing import NamedTuple
from urllib.parse import urlencode

from django.http import HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from dashboard.catalog import keys
from dashboard.catalog.query import Filter
from dashboard.features.snapshots.views.lines import NAMELESS
from dashboard.features.snapshots.views.snapshots import store_told
from dashboard.snapshots import deleted, sight
from dashboard.tokens.access import WorkspaceRequest, with_workspace
from dashboard.web.pages.answers import page

PART = "deleted"


class Line(NamedTuple):
    """A deleted file. `view` shows it as it was, `restoration` opens the dialog that restores it."""

    name: str
    folder: str
    found: deleted.Deleted
    view: str
    restoration: str


@require_safe
@with_workspace
@store_told
def index(request: WorkspaceRequest, space: str, bucket: str) -> HttpResponse:
    """List the deleted files that match. A part of the search, which loads it once it is in view."""
    asked = Filter.parse(request.GET.get("q", ""))
    found = deleted.find(request.workspace, space, bucket, asked)
    context = {
        "space": space,
        "space_title": request.workspace.title(space),
        "bucket": bucket,
        "asked": asked,
        "found": found,
        "lines": [_line(one, space, bucket) for one in found.rows],
        "here": request.get_full_path(),
        "restores": sight.sees(request.workspace, space, "upload"),
    }
    return page(request, "snapshots/deleted.html", context, parts={PART: "snapshots/_deleted.html"})


def _line(found: deleted.Deleted, space: str, bucket: str) -> Line:
    key, query = found.entry.key, urlencode({"key": found.entry.key})
    view, restoration = (reverse(f"snapshots:{name}", args=[space, bucket, found.head.id]) for name in ("view", "restoration"))
    name = keys.printable(keys.name_of(key)) or NAMELESS
    return Line(name, keys.printable(keys.folder_of(key)), found, f"{view}?{query}", f"{restoration}?{query}")
