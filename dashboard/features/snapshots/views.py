"""Snapshots of a bucket: list them, take one, show what one left out."""

from django.http import HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from dashboard.features.snapshots import services
from dashboard.jobs import queries
from dashboard.jobs.models import State
from dashboard.jobs.views.jobs import started
from dashboard.snapshots import capture
from dashboard.snapshots.store import StoreError
from dashboard.team.rights import needs
from dashboard.tokens.access import WorkspaceRequest, with_workspace
from dashboard.web.answers import page

LIST = "snapshots"


@require_safe
@with_workspace
def index(request: WorkspaceRequest, space: str, bucket: str) -> HttpResponse:
    context = _place(request, space, bucket)
    job = capture.last_job(request.workspace, space, bucket)
    if job and job.state != State.DONE:
        context["job"] = queries.row(job)
    try:
        context["heads"] = services.visible(request.workspace, space, bucket)
    except StoreError as error:
        context["failure"] = str(error)
    return page(request, "snapshots/index.html", context, parts={LIST: "snapshots/_list.html"})


@require_POST
@with_workspace
@needs("job begun")
def take(request: WorkspaceRequest, space: str, bucket: str) -> HttpResponse:
    """Start a job that takes a snapshot, or join the one that does already."""
    home = reverse("snapshots:index", args=[space, bucket])
    return started(request, capture.begin(request.workspace, space, bucket, back=home))


@require_safe
@with_workspace
def show(request: WorkspaceRequest, space: str, bucket: str, ident: str) -> HttpResponse:
    context = _place(request, space, bucket)
    try:
        head = services.find(request.workspace, space, bucket, ident)
        context |= {"head": head, "left_out": services.left_out(head)}
    except StoreError as error:
        context["failure"] = str(error)
    return page(request, "snapshots/show.html", context)


def _place(request: WorkspaceRequest, space: str, bucket: str) -> dict[str, object]:
    return {"space": space, "bucket": bucket, "space_title": request.workspace.title(space), "here": request.get_full_path()}
