"""One object for a browser: its conditions, its range and `If-Range`, and the answer to a range beyond the end."""

import re
from collections.abc import Callable, Mapping
from functools import partial

from django.http import HttpRequest, HttpResponse, HttpResponseBase

from dashboard.interfaces import ObjectStream
from dashboard.interfaces.errors import Rejected
from dashboard.interfaces.storage.objects import Objects

CONDITIONS = ("If-None-Match", "If-Modified-Since")
_ONE_RANGE = re.compile(r"bytes=(?:(\d{1,18})-(\d{0,18})|-\d{1,18})")


def serve(
    request: HttpRequest,
    objects: Objects,
    bucket: str,
    key: str,
    *,
    respond: Callable[[ObjectStream], HttpResponseBase],
    asked: str | None = None,
) -> HttpResponseBase:
    """S18; twice where `If-Range` does not hold or the range begins beyond the end. `asked` replaces the request's own range.

    The service ignores `If-Range` and doesn't say the size beyond the end, so both are read from its answers here.
    """
    conditions = {name: request.headers[name] for name in CONDITIONS if name in request.headers}
    wanted = (request.headers.get("Range", "") if asked is None else asked).strip()
    known = request.headers.get("If-Range", "").strip()
    read = partial(objects.read, bucket, key)
    is_part = request.method == "GET" and _is_range(wanted)
    source = _part(read, {**conditions, "Range": wanted}, known) if is_part else None
    if source is None:
        source = read(headers=conditions)
        # A part that was to be had would have come: either this is another object, or the range is beyond its end.
        if is_part and source.status == 200 and _is_same(source, known):
            source.close()
            return _beyond(source.length)
    response = respond(source)
    if request.method == "HEAD" or source.status == 304:
        source.close()
        return without_body(response)
    return response


def without_body(streamed: HttpResponseBase) -> HttpResponse:
    """The same status and headers."""
    response = HttpResponse(status=streamed.status_code)
    for name, value in streamed.headers.items():
        response[name] = value
    return response


def _is_range(text: str) -> bool:
    """A single one in bytes. Any other counts as none; the service would refuse it."""
    match = _ONE_RANGE.fullmatch(text)
    return match is not None and (not match[2] or int(match[1]) <= int(match[2]))


def _part(read: Callable[..., ObjectStream], headers: Mapping[str, str], known: str) -> ObjectStream | None:
    """What the service answers to the range; None where it lies beyond the end, or the object is not the known one."""
    try:
        source = read(headers=headers)
    except Rejected as refusal:
        if refusal.status == 416:
            return None
        raise
    if source.status == 206 and not _is_same(source, known):
        source.close()
        return None
    return source


def _is_same(source: ObjectStream, known: str) -> bool:
    """Is this what the browser has a part of already? Strong tags and whole dates only."""
    return not known or (
        known in (source.headers.get("etag"), source.headers.get("last-modified")) and not known.startswith("W/")
    )


def _beyond(size: int | None) -> HttpResponse:
    return HttpResponse(status=416, headers={} if size is None else {"Content-Range": f"bytes */{size}"})
