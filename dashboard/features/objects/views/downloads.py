"""The bytes of one object to the browser."""

from django.http import Http404, HttpResponse, HttpResponseBase
from django.views.decorators.http import require_safe

from dashboard.features.objects.services.linking import download_address
from dashboard.index.places import name_of
from dashboard.tokens.access import WorkspaceRequest, with_workspace
from dashboard.web.downloads import file_view, redirect, stream
from dashboard.web.transfers import transfer

PASSED_ON = ("Range", "If-None-Match", "If-Modified-Since")


@require_safe
@with_workspace
@file_view
def download(request: WorkspaceRequest, space: str, bucket: str) -> HttpResponseBase:
    """To a presigned link that lives 60 seconds; streamed through us where browsers can't reach the storage."""
    key = request.GET.get("key", "")
    if not key:
        raise Http404("No object is named.")
    address = download_address(request.workspace, space, bucket, key)
    return redirect(address) if address else _streamed(request, space, bucket, key)


@transfer
def _streamed(request: WorkspaceRequest, space: str, bucket: str, key: str) -> HttpResponseBase:
    """S18, with ranges as the browser asks for them."""
    headers = {name: request.headers[name] for name in PASSED_ON if name in request.headers}
    source = request.workspace.storage(space).objects.read(bucket, key, headers=headers)
    response = stream(source, filename=name_of(key) or "object")
    if request.method == "HEAD" or source.status == 304:
        source.close()
        return without_body(response)
    return response


def without_body(streamed: HttpResponseBase) -> HttpResponse:
    response = HttpResponse(status=streamed.status_code)
    for name, value in streamed.headers.items():
        response[name] = value
    return response
