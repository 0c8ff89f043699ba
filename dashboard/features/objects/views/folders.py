"""Go to a typed path or a pasted address; create a folder."""

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST
from django_htmx.http import HttpResponseClientRedirect, HttpResponseLocation

from dashboard.catalog.keys import folder, printable
from dashboard.features.objects.forms import FolderForm, PathForm
from dashboard.features.objects.records import Query
from dashboard.features.objects.services.folders import Location, create_folder, find, is_address, suggestions
from dashboard.features.objects.views.rows import bucket_address, verb_address
from dashboard.tokens.access import WorkspaceRequest, with_workspace
from dashboard.web.failures.operations import sends
from dashboard.web.pages.answers import dialog, done, submit

FORM = "path-form"


@require_http_methods(["GET", "HEAD", "POST"])
@with_workspace
def go(request: WorkspaceRequest, space: str, bucket: str) -> HttpResponse:
    """S13 for a path. A POST, so that no address with a token gets into a query."""
    form = PathForm(request.POST) if request.method == "POST" else PathForm()
    typed = ""
    if form.is_valid():
        typed = form.cleaned_data["path"]
        location = find(request.workspace, space, bucket, typed)
        if location:
            return _redirect(request, space, bucket, location)
        form.add_error("path", "No object of this storage has this address." if is_address(typed) else "Nothing found.")
    context = {
        "title": f"Go to a path in {printable(bucket)}",
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


@require_POST
@with_workspace
def suggest(request: WorkspaceRequest, space: str, bucket: str) -> HttpResponse:
    """S13: completions of the typed path."""
    found = suggestions(request.workspace, space, bucket, request.POST.get("path", ""))
    return render(request, "objects/_path_offers.html", {"paths": found})


@require_http_methods(["GET", "HEAD", "POST"])
@with_workspace
@sends("S9")
def new(request: WorkspaceRequest, space: str, bucket: str) -> HttpResponse:
    """Store the placeholder that keeps an empty folder (S9)."""
    path = folder((request.POST or request.GET).get("path", ""))
    form = FolderForm(request.POST) if request.method == "POST" else FolderForm(initial={"path": path})
    base = bucket_address(space, bucket)

    def finish(_: None) -> HttpResponse:
        made = base + Query(path=form.made).text()
        message = f"Folder {form.cleaned_data['name']} created."
        return done(request, message, changed="objects", to=made, link=("Open folder", made))

    return submit(
        request,
        form,
        perform=lambda: create_folder(request.workspace, space, bucket, form.made),
        then=finish,
        context={
            "title": "New folder",
            "lead": f"In {printable(f'{bucket}/{path}')}",
            "button": "Create folder",
            "back": base + Query(path=path).text(),
        },
    )


def _redirect(request: WorkspaceRequest, space: str, bucket: str, location: Location) -> HttpResponse:
    address = bucket_address(space, location.bucket) + location.query.text()
    if not request.htmx:
        return redirect(address)
    if location.bucket != bucket:
        return HttpResponseClientRedirect(address)
    return HttpResponseLocation(address, target="#objects", swap="outerHTML")
