"""A new share link for one object, a selection or a folder."""

import json
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse, QueryDict
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from dashboard.features.sharing.forms import ShareForm
from dashboard.features.sharing.services.making import share_selection
from dashboard.features.sharing.views.addresses import address_of
from dashboard.index.places import folder_of, name_of, printable
from dashboard.index.selection import Selection, read_selection
from dashboard.links.models import Share
from dashboard.tokens.access import WorkspaceRequest, with_workspace
from dashboard.web.answers import dialog, submit

CHOICE = "chosen"


@require_http_methods(["GET", "HEAD", "POST"])
@with_workspace
def new(request: WorkspaceRequest, space: str, bucket: str) -> HttpResponse:
    """Asks for the terms, then makes the link. A selection arrives as its own fields first, then inside the form."""
    request.workspace.require("storage", space)
    bound = request.method == "POST" and CHOICE in request.POST
    selection = _carried(request, space, bucket) if bound else _first(request, space, bucket)
    form = ShareForm(request.POST if bound else None)
    context: dict[str, object] = {
        "title": f"Share {_words(selection)}",
        "back": _back(selection),
        "chosen": json.dumps({**selection.as_parameters(), "space": "", "bucket": ""}),
        "many": len(selection.keys) != 1 or bool(selection.folders),
    }
    if selection.is_empty:
        return dialog(request, "sharing/_nothing.html", context)

    def finish(made: tuple[Share, str]) -> HttpResponse:
        share, code = made
        shown = {**context, "title": "The link is ready", "share": share, "address": address_of(request, code)}
        response = dialog(request, "sharing/_made.html", shown)
        response["HX-Trigger"] = "links:changed"
        return response

    return submit(
        request,
        form,
        "sharing/_form.html",
        perform=lambda: share_selection(request.workspace, selection, form.terms),
        then=finish,
        context={
            **context,
            "lead": "Anyone who has its address can open it without signing in, until its end. You can end it at any time.",
        },
    )


def _first(request: HttpRequest, space: str, bucket: str) -> Selection:
    return read_selection(space, bucket, request.POST if request.method == "POST" else request.GET)


def _carried(request: HttpRequest, space: str, bucket: str) -> Selection:
    """What the form carried along; nothing where it can't be read. It goes through the same checks as when it was chosen."""
    try:
        given = json.loads(request.POST[CHOICE])
        fields = QueryDict(mutable=True)
        fields.setlist("key", [str(key) for key in given["keys"]])
        fields.setlist("folder", [str(folder) for folder in given["folders"]])
        fields.update({"path": str(given["path"]), "filter": str(given["filter"]), "all": "1" if given["filter"] else ""})
    except (ValueError, KeyError, TypeError):
        return Selection(space, bucket)
    return read_selection(space, bucket, fields)


def _words(selection: Selection) -> str:
    if len(selection.keys) == 1 and not selection.folders:
        return printable(name_of(selection.keys[0])) or "an object"
    if len(selection.folders) == 1 and not selection.keys:
        return printable(selection.folders[0].rstrip("/").rpartition("/")[2]) + "/"
    return selection.sentence()


def _back(selection: Selection) -> str:
    address = reverse("objects:index", args=(selection.space, selection.bucket))
    path = selection.path or (folder_of(selection.keys[0]) if len(selection.keys) == 1 else "")
    return f"{address}?{urlencode({'path': path})}" if path else address
