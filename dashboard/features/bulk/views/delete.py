"""Deleting folders, and more objects than one request can."""

from urllib.parse import quote

from django.http import HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from dashboard.catalog.archive_names import base_of
from dashboard.catalog.keys import folder
from dashboard.catalog.selection import Selection, read_selection
from dashboard.features.bulk.services import jobs
from dashboard.features.bulk.views.return_links import bucket_address
from dashboard.jobs.models import Job
from dashboard.jobs.views.jobs import started
from dashboard.tokens.access import WorkspaceRequest, with_workspace
from dashboard.web.answers import dialog
from dashboard.web.confirm import confirm

# So many objects and no folder are deleted at once, without a job.
FEW = 1000


@require_http_methods(["GET", "HEAD", "POST"])
@with_workspace
def delete(request: WorkspaceRequest, space: str, bucket: str) -> HttpResponse:
    """S13 for the plan. Nothing is deleted before its owner agreed to it, so what is selected begins the plan at once."""
    posted = read_selection(space, bucket, request.POST)
    if _is_small(posted):
        address = reverse("objects:selection", kwargs={"space": space, "bucket": bucket})
        return _same_post_to(f"{address}?path={quote(posted.path, safe='')}")
    if not posted.is_empty:
        return started(request, _begin(request, posted))
    selection = read_selection(space, bucket, request.GET)
    back = bucket_address(space, bucket, selection.path or base_of(selection))
    if selection.is_empty:
        back = bucket_address(space, bucket, folder(request.POST.get("path", "")))
        return dialog(request, "parts/_none_selected.html", {"title": "Delete objects", "back": back}, status=422)
    return confirm(
        request,
        title=f"Delete {selection.sentence()}?",
        button="Count what is in it",
        consequences=[
            "First everything in it is counted. You see the number and the size, and nothing is deleted before you agree to that."
        ],
        perform=lambda: _begin(request, selection),
        then=lambda job: started(request, job),
        back=back,
        danger=False,
    )


def _is_small(selection: Selection) -> bool:
    return bool(selection.keys) and not selection.folders and len(selection.keys) <= FEW


def _begin(request: WorkspaceRequest, selection: Selection) -> Job:
    back = bucket_address(selection.space, selection.bucket, selection.path or base_of(selection))
    return jobs.delete(request.workspace, selection, back=back)


def _same_post_to(address: str) -> HttpResponse:
    """The browser sends the same body there."""
    response = HttpResponseRedirect(address)
    response.status_code = 307
    return response
