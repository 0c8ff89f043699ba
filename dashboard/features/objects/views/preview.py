"""Preview an object. Nothing that a stranger stored is ever rendered as a page of our origin."""

import re
from functools import partial
from urllib.parse import urlencode

from django.http import Http404, HttpResponse, HttpResponseBase
from django.views.decorators.http import require_safe

from dashboard.catalog.keys import folder_of, name_of, printable
from dashboard.features.objects.records import Query
from dashboard.features.objects.rules import Kind, is_json, look_of
from dashboard.features.objects.services.details import read_object
from dashboard.features.objects.services.links import open_address
from dashboard.features.objects.services.preview import Beginning, read_beginning
from dashboard.features.objects.views.rows import bucket_address, verb_address
from dashboard.interfaces import ObjectStream
from dashboard.tokens.access import WorkspaceRequest, with_workspace
from dashboard.web.answers import page
from dashboard.web.downloads import file_view, redirect, stream
from dashboard.web.htmx import wants_part
from dashboard.web.ranges import serve
from dashboard.web.text import bytes_text
from dashboard.web.transfers import transfer

PREVIEW = "objects-preview"
# A paused player must not hold a thread: it gets this much and requests more when it needs it.
MOST_RANGE_BYTES = 4 * 1024 * 1024
_OPEN_RANGE = re.compile(r"bytes=(\d{1,18})-(\d{0,18})")


@require_safe
@with_workspace
def preview(request: WorkspaceRequest, space: str, bucket: str) -> HttpResponse:
    """S18 for the first 256 KiB as escaped text, in the details or on a page of its own."""
    key = _named(request.GET.get("key", ""))
    beginning = read_beginning(request.workspace, space, bucket, key, is_json=partial(is_json, key))
    context = {
        "key": key,
        "name": printable(name_of(key)) or printable(key),
        "preview": beginning,
        "words": _words(beginning),
        "space": space,
        "space_title": space if wants_part(request) else request.workspace.title(space),
        "bucket": bucket,
        "back": bucket_address(space, bucket) + Query(path=folder_of(key), open=key).text(),
        "download": f"{verb_address('download', space, bucket)}?{urlencode({'key': key})}",
    }
    return page(request, "objects/preview.html", context, parts={PREVIEW: "objects/_text.html"})


@require_safe
@with_workspace
@file_view
def media(request: WorkspaceRequest, space: str, bucket: str) -> HttpResponseBase:
    """S18: an image, sound or video of an allowed type, for an element of our pages."""
    return _shown(request, space, bucket, _named(request.GET.get("key", "")))


@require_safe
@with_workspace
@file_view
def document(request: WorkspaceRequest, space: str, bucket: str) -> HttpResponse:
    """S19 and S14: a PDF on the storage's own address; 404 if browsers can't reach it, or it is our host."""
    key = _named(request.GET.get("key", ""))
    info = read_object(request.workspace, space, bucket, key)
    if info is None or look_of(key, info.content_type).kind is not Kind.PDF:
        raise Http404("This is not a PDF.")
    address = open_address(request.workspace, space, bucket, key, host=request.get_host())
    if address is None:
        raise Http404("PDFs open on the storage's own address, which browsers can't reach here.")
    return redirect(address)


@transfer
def _shown(request: WorkspaceRequest, space: str, bucket: str, key: str) -> HttpResponseBase:
    def respond(source: ObjectStream) -> HttpResponseBase:
        look = look_of(key, source.headers.get("content-type"))
        if not look.type:
            source.close()
            raise Http404("This is not an image, sound or video.")
        response = stream(source, filename=name_of(key) or "object", inline=True, kind=look.type)
        response["Accept-Ranges"] = "bytes"
        return response

    objects = request.workspace.storage(space).objects
    return serve(request, objects, bucket, key, respond=respond, asked=_bounded(request.headers.get("Range", "")))


def _bounded(asked: str) -> str:
    """Limit an open or long range to 4 MiB; return "" for anything else."""
    match = _OPEN_RANGE.fullmatch(asked.strip())
    if not match:
        return ""
    first = int(match[1])
    last = first + MOST_RANGE_BYTES - 1
    return f"bytes={first}-{min(last, int(match[2])) if match[2] else last}"


def _named(key: str) -> str:
    if not key:
        raise Http404("No object is named.")
    return key


def _words(found: Beginning) -> str:
    """One line: "First 256.0 KiB of 1.2 MiB · UTF-8"."""
    if found.size == 0:
        return "Empty object."
    if found.binary:
        return "Not a text file."
    shown = (
        "Whole file"
        if found.is_whole
        else f"First {bytes_text(found.shown)} of {bytes_text(found.size) if found.size else 'more'}"
    )
    parts = [shown, found.encoding, "reformatted" if found.is_indented else ""]
    return " · ".join(part for part in parts if part)
