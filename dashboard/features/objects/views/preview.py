"""Show an object. Nothing that a stranger stored is ever rendered as a page of our origin."""

from concurrent.futures import Future
from dataclasses import replace
from functools import partial
from urllib.parse import urlencode

from django.http import Http404, HttpResponse, HttpResponseBase
from django.views.decorators.http import require_safe

from dashboard.catalog import queries
from dashboard.catalog.keys import folder_of, name_of, printable
from dashboard.catalog.lookup import source_of
from dashboard.catalog.types import mark_of
from dashboard.features.objects.forms import read_query
from dashboard.features.objects.services.browse import (
    Folder,
    Neighbours,
    find_neighbours,
    read_folder,
    read_page_of,
    with_containing,
)
from dashboard.features.objects.services.details import read_bucket, read_object
from dashboard.features.objects.services.links import open_address
from dashboard.features.objects.views.browse import containing_of
from dashboard.features.objects.views.details import panel
from dashboard.features.objects.views.rows import bucket_address, verb_address, view_address
from dashboard.interfaces.errors import InterfaceError, NotFound, TokenRefused
from dashboard.interfaces.storage.records import ObjectInfo
from dashboard.tokens.access import WorkspaceRequest, with_workspace
from dashboard.viewer.content import Content, Source, read_content
from dashboard.viewer.looks import Kind, Look, look_of
from dashboard.viewer.responses import document_page
from dashboard.viewer.responses import media as send_media
from dashboard.web.failures.problems import problem_of
from dashboard.web.failures.retries import retry_of
from dashboard.web.files.downloads import file_view, redirect
from dashboard.web.pages.answers import page
from dashboard.web.pages.htmx import wants_part
from dashboard.web.process.parallel import later

PREVIEW = "objects-preview"
VIEWER = "viewer"
FIRST_ROWS = 20


@require_safe
@with_workspace
def preview(request: WorkspaceRequest, space: str, bucket: str) -> HttpResponse:
    """The viewer: S19, what it reads of the object, and S13 for the files beside it. Details show the first of it, no S13."""
    source = _source(request, space, bucket)
    key = source.key
    address = f"?{urlencode({'key': key})}"
    pages = f"{verb_address('page', space, bucket)}{address}&number="
    if wants_part(request) and request.htmx.target == PREVIEW:
        return page(request, "objects/_first.html", {**_first(source), "page": pages})
    name = printable(name_of(key)) or printable(key)
    query = replace(read_query(request.GET), path=folder_of(key))
    here = (request.workspace, space, bucket)
    listed = later(partial(read_page_of, *here, query, key))
    asked = later(partial(read_bucket, *here))
    info = source.objects.info(bucket, key)
    context = {
        "name": name,
        "title": f"{name} · {bucket}",
        **_shown(request, source, info),
        **_beside(request, space, bucket, key, listed),
        "media": verb_address("bytes", space, bucket) + address,
        "page": pages,
        "download": verb_address("download", space, bucket) + address,
        "panel": panel(*here, key, found=asked.result(), info=info, entry=None, host=request.get_host(), query=query),
        "again": request.get_full_path(),
        "space": space,
        "space_title": space if wants_part(request) else request.workspace.title(space),
        "bucket": bucket,
    }
    return page(request, "objects/viewer.html", context, parts={VIEWER: "objects/_viewer.html"})


def _first(source: Source) -> dict[str, object]:
    """What fits into the details: the first page or rows."""
    try:
        info = source.objects.info(source.bucket, source.key)
        content = read_content(source, info)
    except NotFound:
        # It was deleted while its details were being read.
        gone = Content(name=source.name, look=Look(Kind.NONE), nothing="It was deleted or moved.")
        return {"content": gone, "mark": mark_of(source.key, None)}
    content = replace(content, pages=content.pages[:1], rows=content.rows[:FIRST_ROWS])
    return {"content": content, "mark": mark_of(source.key, info.content_type)}


def _shown(request: WorkspaceRequest, source: Source, info: ObjectInfo) -> dict[str, object]:
    """What is shown, or why it can't be read: the files beside it stay reachable."""
    try:
        return {"content": read_content(source, info)}
    except TokenRefused:
        raise
    except InterfaceError as failure:
        problem = problem_of(failure)
        return {"failed": problem, "retry": retry_of(request, problem)}


def _beside(request: WorkspaceRequest, space: str, bucket: str, key: str, listed: Future[Folder]) -> dict[str, object]:
    """The addresses of the files before and after it, and of its row in the list; only the latter where that can't be read."""
    here = (request.workspace, space, bucket)
    query = replace(read_query(request.GET), path=folder_of(key), open="")
    found = Neighbours()
    try:
        folder = listed.result()
        query = folder.query
        if query.search and not folder.more:
            folder = with_containing(folder, containing_of(request, space, bucket, query, queries.state(*here))())
        found = find_neighbours(folder, key, partial(read_folder, *here, every_folder=False))
    except InterfaceError:
        pass

    def address(beside: tuple[str, int] | None) -> str:
        return view_address(replace(query, offset=beside[1]), space, bucket, beside[0]) if beside else ""

    return {
        "before": address(found.before),
        "after": address(found.after),
        "place": f"{found.at:,} of {found.count:,}" if found.count > 1 else "",
        "back": f"{bucket_address(space, bucket)}{query.text(open='')}#{urlencode({'at': key})}",
    }


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
    return source_of(request.workspace, space, bucket, key)
