"""A new share link for one object, a selection or a folder."""

from django.http import HttpResponse
from django.views.decorators.http import require_http_methods

from dashboard.catalog.keys import name_of, printable
from dashboard.catalog.selection import Selection
from dashboard.features.sharing.forms.share import ShareForm
from dashboard.features.sharing.services.addresses import address_of
from dashboard.features.sharing.views import selection as selection_views
from dashboard.links.lifecycle import make
from dashboard.links.models import Share
from dashboard.tokens.access import WorkspaceRequest, with_workspace
from dashboard.web.answers import dialog, submit
from dashboard.web.requests import path_of


@require_http_methods(["GET", "HEAD", "POST"])
@with_workspace
def new(request: WorkspaceRequest, space: str, bucket: str) -> HttpResponse:
    """Asks for the terms, then makes the link. A selection arrives as its own fields first, then inside the form."""
    request.workspace.require("storage", space)
    bound = request.method == "POST" and selection_views.CHOICE in request.POST
    selection = selection_views.carried(request, space, bucket) if bound else selection_views.first(request, space, bucket)
    many = len(selection.keys) != 1 or bool(selection.folders)
    form = ShareForm(request.POST if bound else None, many=many)
    context: dict[str, object] = {
        "title": f"Share {_words(selection)}",
        "back": selection_views.back(selection),
        "chosen": selection_views.as_text(selection),
    }
    if selection.is_empty:
        return dialog(request, "parts/_none_selected.html", context)
    if selection.filter:
        return dialog(request, "sharing/_search.html", {**context, "desk": selection_views.desk_of(selection)})

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
        perform=lambda: make(request.user, space, bucket, keys=selection.keys, folders=selection.folders, terms=form.terms),
        then=finish,
        context={
            **context,
            "action": path_of(request),
            "lead": "Anyone with the link can open it without signing in until it expires. You can revoke it at any time."
            + (" Files added to the folder later are included." if selection.folders else ""),
        },
    )


def _words(selection: Selection) -> str:
    if len(selection.keys) == 1 and not selection.folders:
        return printable(name_of(selection.keys[0])) or "an object"
    if len(selection.folders) == 1 and not selection.keys:
        return printable(selection.folders[0].rstrip("/").rpartition("/")[2]) + "/"
    return selection.sentence()
