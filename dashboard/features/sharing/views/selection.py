"""A selection on its way through the steps of a form: as its own fields first, then inside the form."""

import json

from django.http import HttpRequest
from django.urls import reverse
from django.utils.http import urlencode

from dashboard.catalog.keys import folder_of
from dashboard.catalog.selection import Selection, read_chosen, read_selection

CHOICE = "chosen"


def first(request: HttpRequest, space: str, bucket: str) -> Selection:
    """As a list of objects, or an address, names it."""
    return read_selection(space, bucket, request.POST if request.method == "POST" else request.GET)


def as_text(selection: Selection) -> str:
    """For a hidden field of the form."""
    return json.dumps({**selection.as_parameters(), "space": "", "bucket": ""})


def carried(request: HttpRequest, space: str, bucket: str) -> Selection:
    """What the form carried along; nothing where it can't be read. It goes through the same checks as when it was chosen."""
    try:
        return read_chosen(space, bucket, request.POST.get(CHOICE, ""))
    except ValueError:
        return Selection(space, bucket)


def desk_of(selection: Selection) -> str:
    """The sign desk with what a search finds."""
    fields = {"path": selection.path, "filter": selection.filter, "all": "1"}
    return f"{reverse('sharing:desk', args=(selection.space, selection.bucket))}?{urlencode(fields)}"


def back(selection: Selection) -> str:
    """The folder that it was chosen in."""
    address = reverse("objects:index", args=(selection.space, selection.bucket))
    path = selection.path or (folder_of(selection.keys[0]) if len(selection.keys) == 1 else "")
    return f"{address}?{urlencode({'path': path})}" if path else address
