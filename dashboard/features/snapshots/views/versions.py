"""Earlier versions of one file (`?key=`): list, show, compare and download them."""

from itertools import chain
from urllib.parse import urlencode

from django.http import HttpResponse, HttpResponseBase
from django.urls import reverse
from django.views.decorators.http import require_safe

from dashboard.catalog import keys
from dashboard.features.snapshots import services
from dashboard.features.snapshots.views.lines import NAMELESS
from dashboard.features.snapshots.views.snapshots import store_told
from dashboard.snapshots import capture, earlier, sight
from dashboard.snapshots.export import content
from dashboard.tokens.access import WorkspaceRequest, with_workspace
from dashboard.tokens.models import Kind
from dashboard.viewer import responses
from dashboard.viewer.content import Source, read_content
from dashboard.web.files.downloads import attach, file_view
from dashboard.web.limits.transfers import transfer
from dashboard.web.pages.answers import dialog, page
from dashboard.web.pages.diff import difference
from dashboard.web.pages.navigation import inner_address
from dashboard.web.text import exact

COMPARISON = "comparison"
NOW = "the file now"
GONE = "The file is not there now: it was deleted or moved, or your token can't see it."


@require_safe
@with_workspace
@store_told
def index(request: WorkspaceRequest, space: str, bucket: str) -> HttpResponse:
    """List the earlier versions of an object in the latest snapshots."""
    key = request.GET.get("key", "")
    found = services.versions(request.workspace, space, bucket, key)
    context = {
        "wide": True,
        "title": f"Versions of {keys.printable(keys.name_of(key)) or NAMELESS}",
        "query": urlencode({"key": key}),
        "space": space,
        "bucket": bucket,
        "back": inner_address("bucket", space, bucket, path=keys.folder_of(key)),
        "versions": found.rows,
        "damaged": found.damaged,
        "restores": sight.sees(request.workspace, space, "upload"),
    }
    return dialog(request, "snapshots/_versions.html", context)


@require_safe
@with_workspace
@file_view
@transfer
@store_told
def file(request: WorkspaceRequest, space: str, bucket: str, ident: str) -> HttpResponseBase:
    """Download an object as it was. Every chunk is checked before it is sent."""
    key = request.GET.get("key", "")
    workspace = request.workspace
    entry = services.entry_of(services.find(workspace, space, bucket, ident), key)
    blocks = content(capture.store(), entry)
    first = next(blocks, b"")
    name = keys.name_of(key) or "object"
    if request.method == "GET":
        workspace.note("downloaded", target=f"object {bucket}/{key} of a snapshot", kind=Kind.STORAGE, place=space)
    return attach(chain([first], workspace.followed(blocks)), filename=name, kind="application/octet-stream", length=entry.size)


@require_safe
@with_workspace
@store_told
def view(request: WorkspaceRequest, space: str, bucket: str, ident: str) -> HttpResponse:
    """Show an object as it was, as the viewer of the bucket's objects does."""
    key, here = request.GET.get("key", ""), (space, bucket, ident)
    head = services.find(request.workspace, space, bucket, ident)
    source = earlier.source_of(request.workspace, head, services.entry_of(head, key))
    info = source.objects.info(bucket, key)
    context = _place(request, space, bucket, key) | {
        "head": head,
        "size": info.size,
        "content": read_content(source, info),
        **{name: _address(name, *here, key=key) for name in ("file", "restoration")},
        "comparison": _address("comparison", *here, key=key) if services.is_text(key, info.content_type) else "",
        "media": _address("bytes", *here, key=key),
        "page": f"{_address('page', *here, key=key)}&number=",
    }
    return page(request, "snapshots/view.html", context)


@require_safe
@with_workspace
@file_view
@store_told
def media(request: WorkspaceRequest, space: str, bucket: str, ident: str) -> HttpResponseBase:
    """A picture, sound or video of an allowed type, for an element of our pages."""
    return responses.media(request, _source(request, space, bucket, ident))


@require_safe
@with_workspace
@file_view
@store_told
def document_picture(request: WorkspaceRequest, space: str, bucket: str, ident: str) -> HttpResponse:
    """Show a page of a PDF as a picture."""
    return responses.document_page(_source(request, space, bucket, ident), request.GET.get("number", ""))


@require_safe
@with_workspace
@store_told
def compare(request: WorkspaceRequest, space: str, bucket: str, ident: str) -> HttpResponse:
    """Compare a version with the one of another snapshot (`?to=`), or with the file now (S19 and S18); the older one first."""
    workspace, key, to = request.workspace, request.GET.get("key", ""), request.GET.get("to", "")
    head = services.find(workspace, space, bucket, ident)
    other = services.find(workspace, space, bucket, to) if to else None
    here = services.version(workspace, head, key)
    there = services.version(workspace, other, key) if other else services.current(workspace, space, bucket, key)
    offered = [one.head for one in services.versions(workspace, space, bucket, key).rows if one.head.id != ident]
    old, new = (there, here) if there and other and other.begun < head.begun else (here, there)
    found = services.compare(old, new) if new else services.Comparison(problem=GONE)
    context = _place(request, space, bucket, key) | {
        "head": head,
        "ident": ident,
        "key": key,
        "to": to,
        "offered": offered,
        "old": _words(old),
        "new": _words(new) if new else NOW,
        "found": found,
        "difference": None if found.is_same or found.problem else difference(found.old, found.new),
    }
    return page(request, "snapshots/comparison.html", context, parts={COMPARISON: "snapshots/_comparison.html"})


def _source(request: WorkspaceRequest, space: str, bucket: str, ident: str) -> Source:
    head = services.find(request.workspace, space, bucket, ident)
    return earlier.source_of(request.workspace, head, services.entry_of(head, request.GET.get("key", "")))


def _place(request: WorkspaceRequest, space: str, bucket: str, key: str) -> dict[str, object]:
    return {
        "space": space,
        "space_title": request.workspace.title(space),
        "bucket": bucket,
        "name": keys.printable(keys.name_of(key)) or NAMELESS,
        "versions": f"{reverse('snapshots:versions', args=[space, bucket])}?{urlencode({'key': key})}",
        "back": inner_address("bucket", space, bucket, path=keys.folder_of(key), open=key),
        "restores": sight.sees(request.workspace, space, "upload"),
    }


def _address(name: str, *here: str, key: str) -> str:
    return f"{reverse(f'snapshots:{name}', args=here)}?{urlencode({'key': key})}"


def _words(side: services.Side) -> str:
    return f"the version of {exact(side.head.begun)}" if side.head else NOW
