"""Responses for the viewer's elements: bytes of pictures, sound and video, and pages of PDFs."""

import re
from collections.abc import Callable

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase

from dashboard.viewer.content import Source, page_picture
from dashboard.viewer.looks import look_of
from dashboard.web.files.downloads import Stream, guard, stream
from dashboard.web.files.ranges import serve
from dashboard.web.http.requests import read_number
from dashboard.web.limits.transfers import transfer

# A paused player must not hold a thread, so it gets this much and requests more when needed.
MOST_RANGE_BYTES = 4 * 1024 * 1024
_OPEN_RANGE = re.compile(r"bytes=(\d{1,18})-(\d{0,18})")


def as_it_is(source: Stream) -> Stream:
    return source


@transfer
def media(request: HttpRequest, source: Source, *, wrap: Callable[[Stream], Stream] = as_it_is) -> HttpResponseBase:
    """Send a picture, sound or video of an allowed type in ranges of at most 4 MiB (S18). `wrap` may watch the bytes."""

    def respond(found: Stream) -> HttpResponseBase:
        look = look_of(source.key, found.headers.get("content-type"))
        if not look.type:
            found.close()
            raise Http404("This is not an image, sound or video.")
        response = stream(wrap(found), filename=source.name, inline=True, kind=look.type)
        response["Accept-Ranges"] = "bytes"
        return response

    asked = _bounded(request.headers.get("Range", ""))
    return serve(request, source.objects, source.bucket, source.key, respond=respond, asked=asked)


def document_page(source: Source, number: str) -> HttpResponse:
    """Send one page of a PDF as a picture. S19, and S18 unless this process has cached the page."""
    made = page_picture(source, read_number(number) or 0)
    if not made:
        raise Http404("There is no such page.")
    response = HttpResponse(made, content_type="image/webp")
    guard(response, f"page-{number}.webp", saved=False)
    return response


def _bounded(asked: str) -> str:
    """Limit an open or long range to 4 MiB; return "" for anything else."""
    match = _OPEN_RANGE.fullmatch(asked.strip())
    if not match:
        return ""
    first = int(match[1])
    last = first + MOST_RANGE_BYTES - 1
    return f"bytes={first}-{min(last, int(match[2])) if match[2] else last}"
