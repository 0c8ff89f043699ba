"""Show an object. Nothing that a stranger stored is ever rendered as a page of our origin."""

from urllib.parse import urlencode

from django.http import Http404, HttpResponse, HttpResponseBase
from django.views.decorators.http import require_safe

from dashboard.catalog.keys import folder_of, name_of, printable
from dashboard.features.objects.records import Query
from dashboard.features.objects.services.details import read_object
from dashboard.features.objects.services.links import open_address
from dashboard.features.objects.views.rows import bucket_address, verb_address
from dashboard.tokens.access import WorkspaceRequest, with_workspace
from dashboard.tokens.models import Kind as TokenKind
from dashboard.viewer.content import Source, read_beginning, read_content
from dashboard.viewer.looks import Kind, look_of
from dashboard.viewer.responses import document_page
from dashboard.viewer.responses import media as send_media
from dashboard.web.answers import page
from dashboard.web.downloads import file_view, redirect
from dashboard.web.htmx import wants_part

PREVIEW = "objects-preview"


@require_safe
@with_workspace
def preview(request: WorkspaceRequest, space: str, bucket: str) -> HttpResponse:
    """S19 and what the viewer reads of the object; for the details only the beginning of a text."""
    source = _source(request, space, bucket)
    key = source.key
    name = printable(name_of(key)) or printable(key)
    if wants_part(request):
        return page(request, "objects/_text.html", {"preview": read_beginning(source), "name": name})
    info = source.objects.info(bucket, key)
    query = urlencode({"key": key})
    context = {
        "key": key,
        "name": name,
        "content": read_content(source, info),
        "media": f"{verb_address('bytes', space, bucket)}?{query}",
        "page": f"{verb_address('page', space, bucket)}?{query}&number=",
        "download": f"{verb_address('download', space, bucket)}?{query}",
        "space": space,
        "space_title": request.workspace.title(space),
        "bucket": bucket,
        "back": bucket_address(space, bucket) + Query(path=folder_of(key), open=key).text(),
    }
    return page(request, "objects/preview.html", context)


@require_safe
@with_workspace
@file_view
def media(request: WorkspaceRequest, space: str, bucket: str) -> HttpResponseBase:
    """S18: an image, sound or video of an allowed type, for an element of our pages."""
    return send_media(request, _source(request, space, bucket))


@require_safe
@with_workspace
@file_view
def document_picture(request: WorkspaceRequest, space: str, bucket: str) -> HttpResponse:
    """S19, and S18 unless this process has it: a page of a PDF."""
    return document_page(_source(request, space, bucket), request.GET.get("number", ""))


@require_safe
@with_workspace
@file_view
def document(request: WorkspaceRequest, space: str, bucket: str) -> HttpResponse:
    """S19 and S14: a PDF on the storage's own address; 404 if browsers can't reach it, or it is our host."""
    key = _source(request, space, bucket).key
    info = read_object(request.workspace, space, bucket, key)
    if info is None or look_of(key, info.content_type).kind is not Kind.PDF:
        raise Http404("This is not a PDF.")
    address = open_address(request.workspace, space, bucket, key, host=request.get_host())
    if address is None:
        raise Http404("PDFs open on the storage's own address, which browsers can't reach here.")
    return redirect(address)


def _source(request: WorkspaceRequest, space: str, bucket: str) -> Source:
    key = request.GET.get("key", "")
    if not key:
        raise Http404("No object is named.")
    workspace = request.workspace
    owner = (space, workspace.fingerprint(TokenKind.STORAGE, space))
    return Source(objects=workspace.storage(space).objects, bucket=bucket, key=key, owner=owner)
