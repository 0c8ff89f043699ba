"""Moving, copying and renaming."""

from django.http import Http404, HttpResponse
from django.views.decorators.http import require_http_methods, require_safe

from dashboard.catalog.archive_names import base_of
from dashboard.catalog.keys import folder, name_of, printable
from dashboard.catalog.selection import Selection, read_selection
from dashboard.features.bulk.forms import RenameForm, TransferForm
from dashboard.features.bulk.rules.targets import Verb
from dashboard.features.bulk.services import jobs
from dashboard.features.bulk.services.places import read_places
from dashboard.features.bulk.views.return_links import bucket_address, verb_address
from dashboard.jobs.views.jobs import started
from dashboard.tokens.access import WorkspaceRequest, with_workspace
from dashboard.web.answers import dialog, page, submit
from dashboard.web.pagination import window

WORDS = {
    "move": ("Move", "Move here", "Links to them follow."),
    "copy": ("Copy", "Copy here", "Links stay with the originals."),
}


@require_http_methods(["GET", "HEAD", "POST"])
@with_workspace
def move(request: WorkspaceRequest, space: str, bucket: str) -> HttpResponse:
    """S11; across buckets S12, S19 and S8."""
    return _transfer(request, space, bucket, "move")


@require_http_methods(["GET", "HEAD", "POST"])
@with_workspace
def copy(request: WorkspaceRequest, space: str, bucket: str) -> HttpResponse:
    """S12."""
    return _transfer(request, space, bucket, "copy")


@require_http_methods(["GET", "HEAD", "POST"])
@with_workspace
def rename(request: WorkspaceRequest, space: str, bucket: str) -> HttpResponse:
    """S11, for one object or for everything in a folder."""
    selection = read_selection(space, bucket, request.GET)
    if len(selection.keys) + len(selection.folders) != 1:
        raise Http404("Nothing is named, or more than one thing.")
    form = RenameForm(request.POST if request.method == "POST" else None, selection=selection)
    back = bucket_address(space, bucket, form.home)
    old = printable(name_of(form.old.removesuffix("/")))
    return submit(
        request,
        form,
        "bulk/_rename.html",
        perform=lambda: jobs.rename(request.workspace, form.wanted, back=back),
        then=lambda job: started(request, job),
        context={
            "title": f"Rename {old}",
            "lead": "Everything in the folder gets a new key; links follow." if selection.folders else "Links to it follow.",
            "back": back,
        },
    )


@require_safe
@with_workspace
def places(request: WorkspaceRequest, space: str, bucket: str) -> HttpResponse:
    """S2 and S13: the folders to choose from. The part of the dialog that browses."""
    asked = request.GET.get("to_bucket", "") or bucket
    path = folder(request.GET.get("to", ""))
    found = read_places(request.workspace, space, asked, path, source=bucket, offset=window(request).offset)
    return page(request, "bulk/_places.html", {"places": found, "address": verb_address("places", space, bucket)})


def _transfer(request: WorkspaceRequest, space: str, bucket: str, verb: Verb) -> HttpResponse:
    """A selection is too long for an address: the first POST asks where to, the second (`selection`) acts."""
    bound = "selection" in request.POST
    told = request.POST if request.method == "POST" else request.GET
    chosen = Selection(space, bucket) if bound else read_selection(space, bucket, told)
    title, button, lead = WORDS[verb]
    if chosen.is_empty and not bound:
        back = bucket_address(space, bucket, folder(told.get("path", "")))
        return dialog(request, "parts/_none_selected.html", {"title": f"{title} objects", "back": back}, status=422)
    there = request.POST.get("to_bucket", "") or bucket if bound else bucket
    path = folder(request.POST.get("to", "")) if bound else base_of(chosen)
    found = read_places(request.workspace, space, there, path, source=bucket)
    form = TransferForm(
        request.POST if bound else None,
        verb=verb,
        space=space,
        bucket=bucket,
        buckets=found.buckets,
        initial={"selection": chosen, "to": path, "to_bucket": bucket},
    )
    if form.is_bound:
        form.full_clean()
        chosen = form.cleaned_data.get("selection", chosen)
    back = bucket_address(space, bucket, chosen.path or base_of(chosen))
    return submit(
        request,
        form,
        "bulk/_transfer.html",
        perform=lambda: jobs.transfer(request.workspace, form.wanted, back=back),
        then=lambda job: started(request, job),
        context={
            "title": f"{title} {chosen.sentence()}" if not chosen.is_empty else f"{title} objects",
            "lead": lead,
            "button": button,
            "back": back,
            "places": found,
            "address": verb_address("places", space, bucket),
            "action": verb_address(verb, space, bucket),
        },
    )
