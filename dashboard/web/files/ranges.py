"""Serve one object with conditional requests, ranges and `If-Range`."""

import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Protocol

from django.http import HttpRequest, HttpResponse, HttpResponseBase

from dashboard.interfaces.errors import Rejected
from dashboard.interfaces.storage.records import ObjectInfo
from dashboard.web.files.downloads import Stream

CONDITIONS = ("If-None-Match", "If-Modified-Since")
_FIRST_BYTES = re.compile(r"\s*bytes\s*=\s*0\s*-", re.IGNORECASE)
_ONE_RANGE = re.compile(r"bytes=(?:(\d{1,18})-(\d{0,18})|-\d{1,18})")


class Readable(Protocol):
    """Where objects are read from: the storage, or a snapshot."""

    def read(self, bucket: str, key: str, /, *, headers: Mapping[str, str] | None = None) -> Stream: ...
    def info(self, bucket: str, key: str, /) -> ObjectInfo: ...


def serve(
    request: HttpRequest,
    objects: Readable,
    bucket: str,
    key: str,
    *,
    respond: Callable[[Stream], HttpResponseBase],
    asked: str | None = None,
) -> HttpResponseBase:
    """Read an object (S18) and answer. `asked` replaces the request's Range header.

    The service ignores `If-Range`, and omits the size if a range is beyond the end. In both cases a second read without the range
    gives the answer.
    """
    conditions = {name: request.headers[name] for name in CONDITIONS if name in request.headers}
    wanted = (request.headers.get("Range", "") if asked is None else asked).strip()
    known = request.headers.get("If-Range", "").strip()
    read = partial(objects.read, bucket, key)
    is_part = request.method == "GET" and _is_range(wanted)
    source = _part(read, {**conditions, "Range": wanted}, known) if is_part else None
    if source is None:
        source = read(headers=conditions)
        # The range failed although the object is unchanged, so it begins beyond the end.
        if is_part and source.status == 200 and _is_same(source, known):
            source.close()
            return _beyond(source.length)
    response = respond(source)
    if request.method == "HEAD" or source.status == 304:
        source.close()
        return without_body(response)
    return response


def is_first_range(request: HttpRequest) -> bool:
    """Whether the whole object or its beginning is requested: a download begins rather than continues."""
    wanted = request.headers.get("Range", "")
    return not wanted or _FIRST_BYTES.match(wanted) is not None


def without_body(streamed: HttpResponseBase) -> HttpResponse:
    """Copy status and headers without the body."""
    response = HttpResponse(status=streamed.status_code)
    for name, value in streamed.headers.items():
        response[name] = value
    return response


def _is_range(text: str) -> bool:
    """Accept a single byte range only; the service refuses others, so they are ignored."""
    match = _ONE_RANGE.fullmatch(text)
    return match is not None and (not match[2] or int(match[1]) <= int(match[2]))


def _part(read: Callable[..., Stream], headers: Mapping[str, str], known: str) -> Stream | None:
    """Read the range; None if it begins beyond the end or the object has changed."""
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


def _is_same(source: Stream, known: str) -> bool:
    """Whether `If-Range` matches; weak tags never do."""
    return not known or (
        known in (source.headers.get("etag"), source.headers.get("last-modified")) and not known.startswith("W/")
    )


def _beyond(size: int | None) -> HttpResponse:
    return HttpResponse(status=416, headers={} if size is None else {"Content-Range": f"bytes */{size}"})
