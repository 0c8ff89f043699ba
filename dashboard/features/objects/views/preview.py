"""Looking at an object without keeping it: nothing that a stranger stored is ever a page of ours."""

import re
from functools import partial
from urllib.parse import urlencode

from django.http import Http404, HttpResponse, HttpResponseBase
from django.views.decorators.http import require_safe

from dashboard.catalog.keys import folder_of, name_of, printable
from dashboard.features.objects.rules.kinds import Kind, is_json, look_of
from dashboard.features.objects.services.browse import Query
from dashboard.features.objects.services.details import read_object
from dashboard.features.objects.services.links import open_address
from dashboard.features.objects.services.preview import Beginning, read_beginning
from dashboard.features.objects.views.rows import bucket_address, verb_address
from dashboard.interfaces import ObjectStream
from dashboard.tokens.access import WorkspaceRequest, with_workspace
from dashboard.tokens.spaces import SHARED
from dashboard.web.answers import page
from dashboard.web.downloads import file_view, redirect, stream
from dashboard.web.htmx import wants_part
from dashboard.web.ranges import serve
from dashboard.web.text import bytes_text
from dashboard.web.transfers import transfer

PREVIEW = "objects-preview"
# A player that rests must not hold a thread: it gets so much, and asks for what follows when it needs it.
MOST_AT_ONCE = 4 * 1024 * 1024
_OPEN_RANGE = re.compile(r"bytes=(\d{1,18})-(\d{0,18})")


@require_safe
@with_workspace
def preview(request: WorkspaceRequest, space: str, bucket: str) -> HttpResponse:
    """S18 for the first 256 KiB, escaped: text as a part of the details, or on a page of its own."""
    key = _named(request.GET.get("key", ""))
    beginning = read_beginning(request.workspace, space, bucket, key, is_json=partial(is_json, key))
    context = {
        "key": key,
        "name": printable(name_of(key)) or printable(key),
        "preview": beginning,
        "words": _words(beginning),
        "space": space,
        "space_title": space if wants_part(request) else request.workspace.title(space),
        "is_project": space != SHARED,
        "bucket": bucket,
        "back": bucket_address(space, bucket) + Query(path=folder_of(key), open=key).text(),
        "download": f"{verb_address('download', space, bucket)}?{urlencode({'key': key})}",
    }
    return page(request, "objects/preview.html", context, parts={PREVIEW: "objects/_text.html"})


@require_safe
@with_workspace
@file_view
def picture(request: WorkspaceRequest, space: str, bucket: str) -> HttpResponseBase:
    """S18: an image, a sound or a film for an element of our pages, of a type from our list."""
    return _shown(request, space, bucket, _named(request.GET.get("key", "")))


@require_safe
@with_workspace
@file_view
def document(request: WorkspaceRequest, space: str, bucket: str) -> HttpResponse:
    """S19 and S14: a PDF on the storage's own address; Http404 where that can't be reached, or is ours."""
    key = _named(request.GET.get("key", ""))
    info = read_object(request.workspace, space, bucket, key)
    if info is None or look_of(key, info.content_type).kind is not Kind.PDF:
        raise Http404("There is no such document.")
    address = open_address(request.workspace, space, bucket, key, host=request.get_host())
    if address is None:
        raise Http404("Documents are opened on the storage's own address, and browsers can't reach one here.")
    return redirect(address)


@transfer
def _shown(request: WorkspaceRequest, space: str, bucket: str, key: str) -> HttpResponseBase:
    def respond(source: ObjectStream) -> HttpResponseBase:
        look = look_of(key, source.headers.get("content-type"))
        if not look.type:
            source.close()
            raise Http404("This is no picture, sound or film.")
        response = stream(source, filename=name_of(key) or "object", inline=True, kind=look.type)
        response["Accept-Ranges"] = "bytes"
        return response

    objects = request.workspace.storage(space).objects
    return serve(request, objects, bucket, key, respond=respond, asked=_bounded(request.headers.get("Range", "")))


def _bounded(asked: str) -> str:
    """A range without an end, or a long one, cut to 4 MiB; what is no such range counts as none."""
    match = _OPEN_RANGE.fullmatch(asked.strip())
    if not match:
        return ""
    first = int(match[1])
    last = first + MOST_AT_ONCE - 1
    return f"bytes={first}-{min(last, int(match[2])) if match[2] else last}"


def _named(key: str) -> str:
    if not key:
        raise Http404("No object is named.")
    return key


def _words(found: Beginning) -> str:
    """What is shown, in one line: "First 256.0 KiB of 1.2 MiB · UTF-8"."""
    if found.size == 0:
        return "The object is empty: it has no bytes."
    if found.binary:
        return "This is no text."
    shown = (
        "All of it"
        if found.is_whole
        else f"First {bytes_text(found.shown)} of {bytes_text(found.size) if found.size else 'more'}"
    )
    parts = [shown, found.encoding, "set out with a member a line" if found.is_indented else ""]
    return " · ".join(part for part in parts if part)
