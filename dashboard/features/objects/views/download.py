"""Download one object."""

from functools import partial

from django.http import Http404, HttpResponseBase
from django.views.decorators.http import require_safe

from dashboard.catalog.keys import name_of
from dashboard.features.objects.services.links import download_address, read_name
from dashboard.interfaces.errors import NotFound
from dashboard.tokens.access import WorkspaceRequest, with_workspace
from dashboard.tokens.models import Kind
from dashboard.web.files.downloads import file_view, redirect, stream
from dashboard.web.files.ranges import is_first_range, serve
from dashboard.web.limits.transfers import transfer
from dashboard.web.process.parallel import in_time

# A download is not delayed longer than this for its name.
PATIENCE_SECONDS = 1.0


@require_safe
@with_workspace
@file_view
def download(request: WorkspaceRequest, space: str, bucket: str) -> HttpResponseBase:
    """Redirect to a signed link of 60 seconds, or stream where browsers can't reach the storage, and through a grant.

    S19 tells the file's own name, where it was uploaded under another one.
    """
    key = request.GET.get("key", "")
    if not key:
        raise Http404("No object is named.")
    told = in_time(partial(read_name, request.workspace, space, bucket, key), seconds=PATIENCE_SECONDS)
    name = (told[0] if told else "") or name_of(key)
    try:
        address = download_address(request.workspace, space, bucket, key, name=name)
    except NotFound:
        # Every token reads what a public bucket holds, but only one that sees the object signs a link.
        address = None
    return redirect(address) if address else _streamed(request, space, bucket, key, name)


@transfer
def _streamed(request: WorkspaceRequest, space: str, bucket: str, key: str, name: str) -> HttpResponseBase:
    """S18, with the requested range."""
    objects = request.workspace.storage(space).objects
    response = serve(request, objects, bucket, key, respond=partial(stream, filename=name or "object"))
    if request.method == "GET" and response.status_code in {200, 206} and is_first_range(request):
        request.workspace.note("downloaded", target=f"object {bucket}/{key}", kind=Kind.STORAGE, place=space)
    return response
