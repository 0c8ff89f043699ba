"""Going to a typed path or a pasted address, what may be typed next, and the keys that do it all."""

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_http_methods, require_POST
from django_htmx.http import HttpResponseClientRedirect, HttpResponseLocation

from dashboard.features.objects.forms import PathForm
from dashboard.features.objects.services.paths import Place, find, is_address, offers
from dashboard.features.objects.views.rows import bucket_address, verb_address
from dashboard.tokens.access import WorkspaceRequest, with_workspace
from dashboard.web.answers import dialog

FORM = "path-form"


@require_http_methods(["GET", "HEAD", "POST"])
@with_workspace
def go(request: WorkspaceRequest, space: str, bucket: str) -> HttpResponse:
    """A post, so that no address with its token stands in a query. S13 for a path that does not say what it is."""
    form = PathForm(request.POST) if request.method == "POST" else PathForm()
    typed = ""
    if form.is_valid():
        typed = form.cleaned_data["path"]
        place = find(request.workspace, space, bucket, typed)
        if place:
            return _there(request, space, bucket, place)
        form.add_error(
            "path", "This is not an address of an object in this storage." if is_address(typed) else "Nothing is there."
        )
    context = {
        "title": f"Go to a path in {bucket}",
        "form": form,
        "typed": "" if is_address(typed) else typed,
        "bucket": bucket,
        "back": bucket_address(space, bucket),
        "verbs": {verb: verb_address(verb, space, bucket) for verb in ("going", "paths")},
    }
    status = 422 if form.errors else 200
    if request.htmx.target == FORM:
        return render(request, "objects/_path_form.html", context, status=status)
    return dialog(request, "objects/_path_form.html", context, status=status)


def _there(request: WorkspaceRequest, space: str, bucket: str, place: Place) -> HttpResponse:
    address = bucket_address(space, place.bucket) + place.query.text()
    if not request.htmx:
        return redirect(address)
    if place.bucket != bucket:
        return HttpResponseClientRedirect(address)
    return HttpResponseLocation(address, target="#objects", swap="outerHTML")


@require_POST
@with_workspace
def suggest(request: WorkspaceRequest, space: str, bucket: str) -> HttpResponse:
    """S13: the ways on from what was typed so far."""
    return render(
        request, "objects/_path_offers.html", {"paths": offers(request.workspace, space, bucket, request.POST.get("path", ""))}
    )


@require_GET
@with_workspace
def keys(request: WorkspaceRequest, space: str, bucket: str) -> HttpResponse:
    """The keyboard map."""
    context = {"title": "Keyboard shortcuts", "back": bucket_address(space, bucket), "wide": True}
    return dialog(request, "objects/_keys.html", context)
