"""Dialogs that start jobs on many objects: delete, empty, move, copy, rename."""

from collections.abc import Callable
from functools import partial

from django.http import Http404, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from dashboard.catalog.archive_names import base_of
from dashboard.catalog.keys import folder, name_of, printable
from dashboard.catalog.selection import Selection, is_posted, keep, read_selection, selection_of
from dashboard.features.bulk import services
from dashboard.features.bulk.forms import LabelForm, RenameForm, TransferForm
from dashboard.features.bulk.rules import Verb
from dashboard.features.bulk.services import Forecast
from dashboard.jobs.models import Job
from dashboard.jobs.plans import UNKEPT
from dashboard.jobs.views.jobs import started
from dashboard.snapshots import trash
from dashboard.team.rights import needs
from dashboard.tokens.access import WorkspaceRequest, with_workspace
from dashboard.web.failures.operations import sends
from dashboard.web.input.forms import posted
from dashboard.web.pages.answers import dialog, done, is_dialog, page, submit
from dashboard.web.pages.confirm import confirm, sought
from dashboard.web.pages.navigation import inner_address
from dashboard.web.pages.pagination import window, with_query

TOO_LONG = "Counting takes long, so a job does it. You confirm once you see how many objects that is."
COUNTED = "counted"
LABELLING = "Browsers keep copies they have until these expire. Metadata set by the uploader is kept where the service can."
TEXTS = {
    "move": ("Move", "Move here", "Share links follow."),
    "copy": ("Copy", "Copy here", "Share links keep pointing to the originals."),
}


@require_http_methods(["GET", "HEAD", "POST"])
@with_workspace
@sends("S8")
def delete(request: WorkspaceRequest, space: str, bucket: str) -> HttpResponse:
    """Count folders and objects (S13), and delete them by a job once that is confirmed. It counts large selections itself."""
    posted = is_posted(request)
    selection = read_selection(space, bucket, request.POST) if posted else selection_of(request, space, bucket)
    back = _back(selection)
    if selection.is_empty:
        return dialog(request, "parts/_none_selected.html", {"title": "Delete objects", "back": back}, status=422)
    if posted and services.is_large(selection):
        return started(request, services.delete(request.workspace, selection, back=back))
    if posted:
        return keep(request, space, bucket)
    return _ask(
        request,
        title=f"Delete {selection.title()}?",
        forecast=partial(services.forecast_deletion, request.workspace, selection),
        begin=partial(services.delete, request.workspace, selection, back=back, policy=_policy(request)),
        back=back,
        keeps=trash.days_of(space, bucket),
    )


@require_http_methods(["GET", "HEAD", "POST"])
@with_workspace
@sends("S3", "S8")
def empty(request: WorkspaceRequest, space: str, bucket: str) -> HttpResponse:
    """Count a bucket (S13), and empty it by a job (S8, or S3 without keeping) once that is confirmed."""
    back, workspace = inner_address("bucket", space, bucket), request.workspace
    return _ask(
        request,
        title=f"Empty {printable(bucket)}?",
        forecast=partial(services.forecast_emptying, workspace, space, bucket),
        begin=partial(services.empty, workspace, space, bucket, back=back, policy=_policy(request)),
        back=back,
        keeps=trash.days_of(space, bucket),
        gone=partial(_gone, request, space, bucket),
    )


@require_http_methods(["GET", "HEAD", "POST"])
@with_workspace
@sends("S3", "S6", "S8")
def remove(request: WorkspaceRequest, space: str, bucket: str) -> HttpResponse:
    """Count a bucket (S13), and empty and delete it by a job (S8 or S3, and S6) once that is confirmed."""
    back, workspace = _buckets_address(space), request.workspace
    return _ask(
        request,
        title=f"Delete {printable(bucket)}?",
        forecast=partial(services.forecast_removal, workspace, space, bucket),
        begin=partial(services.remove, workspace, space, bucket, back=back, policy=_policy(request)),
        back=back,
        keeps=trash.days_of(space, bucket),
        gone=partial(_gone, request, space, bucket),
    )


@require_http_methods(["GET", "HEAD", "POST"])
@with_workspace
@sends("S11")
def move(request: WorkspaceRequest, space: str, bucket: str) -> HttpResponse:
    """Start moving objects: S11; across buckets S12, S19 and S8."""
    return _transfer(request, space, bucket, "move")


@require_http_methods(["GET", "HEAD", "POST"])
@with_workspace
@sends("S12")
def copy(request: WorkspaceRequest, space: str, bucket: str) -> HttpResponse:
    """Start copying objects (S12)."""
    return _transfer(request, space, bucket, "copy")


@require_http_methods(["GET", "HEAD", "POST"])
@with_workspace
@sends("S12")
@needs("S10", "S12")
def label(request: WorkspaceRequest, space: str, bucket: str) -> HttpResponse:
    """Start changing type and Cache-Control (S12, or S18 and S10)."""
    if is_posted(request):
        return keep(request, space, bucket)
    selection = selection_of(request, space, bucket)
    back = _back(selection)
    if selection.is_empty:
        return dialog(request, "parts/_none_selected.html", {"title": "Type and caching", "back": back}, status=422)
    form = LabelForm(posted(request))
    return submit(
        request,
        form,
        perform=lambda: services.label(request.workspace, selection, form.wanted, back=back),
        then=lambda job: started(request, job),
        context={"title": f"Type and caching of {selection.title()}", "lead": LABELLING, "button": "Change", "back": back},
    )


@require_http_methods(["GET", "HEAD", "POST"])
@with_workspace
@sends("S11")
def rename(request: WorkspaceRequest, space: str, bucket: str) -> HttpResponse:
    """Start renaming one object, or everything in a folder (S11)."""
    selection = selection_of(request, space, bucket)
    if not selection.only:
        raise Http404("Select exactly one object or folder to rename.")
    form = RenameForm(posted(request), selection=selection)
    back = inner_address("bucket", space, bucket, path=form.home)
    old = printable(name_of(form.old.removesuffix("/")))
    return submit(
        request,
        form,
        perform=lambda: services.rename(request.workspace, form.wanted, back=back),
        then=lambda job: started(request, job),
        context={
            "title": f"Rename {old}",
            "button": "Rename",
            "lead": "All objects in the folder get new keys. Share links follow." if selection.folders else "Share links follow.",
            "back": back,
        },
    )


@require_safe
@with_workspace
def places(request: WorkspaceRequest, space: str, bucket: str) -> HttpResponse:
    """Show the folders to choose from (S2 and S13), as the part of the dialog for browsing."""
    asked = request.GET.get("to_bucket", "") or bucket
    path = folder(request.GET.get("to", ""))
    found = services.read_choice(request.workspace, space, asked, path, source=bucket, offset=window(request).offset)
    return page(request, "bulk/_places.html", {"places": found, "address": reverse("bulk:places", args=[space, bucket])})


def _gone(request: WorkspaceRequest, space: str, bucket: str) -> HttpResponse | None:
    """Say so if the bucket can't be found (S4): it must be seen, to be counted."""
    if sought(request, lambda: request.workspace.storage(space).buckets.get(bucket)) is not None:
        return None
    return done(
        request,
        f"Bucket {printable(bucket)} no longer exists, or your token can't see it.",
        changed="buckets",
        to=_buckets_address(space),
    )


def _policy(request: WorkspaceRequest) -> str:
    return UNKEPT if request.POST.get(trash.WITHOUT[0]) else ""


def _ask(
    request: WorkspaceRequest,
    *,
    title: str,
    forecast: Callable[[], Forecast | None],
    begin: Callable[..., Job],
    back: str,
    keeps: int,
    gone: Callable[[], HttpResponse | None] = lambda: None,
) -> HttpResponse:
    """Count while the dialog is open, then confirm; `gone` answers if there is nothing to count in.

    What takes long to count is counted by the job, which asks itself.
    """
    if is_dialog(request) and request.method != "POST" and COUNTED not in request.GET:
        return dialog(request, "bulk/_counting.html", {"title": title, "counted": with_query(request, COUNTED, "1")})
    if answer := gone():
        return answer
    found = forecast()
    return confirm(
        request,
        title=title,
        button=found.plan.button if found else "Count contents",
        consequences=[found.plan.summary, *found.plan.details] if found else [TOO_LONG],
        items=found.names if found else (),
        perform=lambda: begin(confirmed=found.number if found else None),
        then=lambda job: started(request, job),
        back=back,
        typed=(found.plan.typed or None) if found else None,
        count=found.number if found else None,
        danger=bool(found),
        box=trash.WITHOUT if keeps else None,
    )


def _transfer(request: WorkspaceRequest, space: str, bucket: str, verb: Verb) -> HttpResponse:
    if is_posted(request):
        return keep(request, space, bucket)
    selection = selection_of(request, space, bucket)
    title, button, lead = TEXTS[verb]
    back = _back(selection)
    if selection.is_empty:
        return dialog(request, "parts/_none_selected.html", {"title": f"{title} objects", "back": back}, status=422)
    typed = request.POST if request.method == "POST" else {"to_bucket": bucket, "to": base_of(selection)}
    path = folder(typed.get("to", ""))
    found = services.read_choice(request.workspace, space, typed.get("to_bucket", "") or bucket, path, source=bucket)
    form = TransferForm(posted(request), verb=verb, selection=selection, buckets=found.buckets, initial=typed)
    return submit(
        request,
        form,
        "bulk/_transfer.html",
        perform=lambda: services.transfer(request.workspace, form.wanted, back=back),
        then=lambda job: started(request, job),
        context={
            "title": f"{title} {selection.title()}",
            "lead": lead,
            "button": button,
            "back": back,
            "places": found,
            "address": reverse("bulk:places", args=[space, bucket]),
            "action": request.get_full_path(),
        },
    )


def _back(selection: Selection) -> str:
    return inner_address("bucket", selection.space, selection.bucket, path=selection.path or base_of(selection))


def _buckets_address(space: str) -> str:
    return reverse("buckets:index", args=[space])
