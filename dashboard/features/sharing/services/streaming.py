"""Bytes of a shared object through us: ranges, conditions, and an end as soon as the link is ended."""

import time
from collections.abc import Iterable, Iterator, Mapping

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.utils.http import content_disposition_header, http_date

from dashboard.index.places import name_of
from dashboard.interfaces import ObjectStream
from dashboard.interfaces.errors import Rejected
from dashboard.interfaces.storage import StorageInterface
from dashboard.links.models import Share
from dashboard.links.opening import still_open
from dashboard.web.downloads import stream

CONDITIONS = ("If-None-Match", "If-Modified-Since")
ASK_EVERY_SECONDS = 1.0
NAMELESS = "object"


class Interruptible:
    """A stream that breaks off within a second or a block after the link was ended."""

    def __init__(self, source: ObjectStream, share: Share) -> None:
        self._source, self._share = source, share
        self.status, self.length = source.status, source.length
        self.headers: Mapping[str, str] = source.headers

    def __iter__(self) -> Iterator[bytes]:
        return broken_off(self._source, self._share)

    def close(self) -> None:
        self._source.close()


def broken_off(blocks: Iterable[bytes], share: Share) -> Iterator[bytes]:
    """The blocks, until the share is ended: then `ConnectionAbortedError`, so that nobody takes a part for the whole."""
    asked = time.monotonic()
    for block in blocks:
        yield block
        if time.monotonic() - asked > ASK_EVERY_SECONDS:
            if not still_open(share):
                raise ConnectionAbortedError("the link was ended while it was read")
            asked = time.monotonic()


def read(request: HttpRequest, storage: StorageInterface, share: Share, bucket: str, key: str) -> HttpResponseBase:
    """S18, saved under the object's own name. `If-Range` is ours to check: the service does not know it."""
    headers = {name: request.headers[name] for name in CONDITIONS if name in request.headers}
    wanted = request.headers.get("Range", "")
    if wanted and _still_the_same(storage, bucket, key, request.headers.get("If-Range", "")):
        headers["Range"] = wanted
    try:
        source = storage.objects.read(bucket, key, headers=headers)
    except Rejected as refused:
        if refused.status == 416:
            return _unsatisfiable(storage, bucket, key)
        raise
    response = stream(Interruptible(source, share), filename=name_of(key) or NAMELESS)
    if source.status == 304:
        source.close()
        return _bare(response)
    return response


def head(storage: StorageInterface, bucket: str, key: str) -> HttpResponse:
    """What a download would say of itself (S19); no bytes, and no count."""
    info = storage.objects.info(bucket, key)
    response = HttpResponse(content_type="application/octet-stream")
    if info.size is not None:
        response["Content-Length"] = str(info.size)
    if info.etag:
        response["ETag"] = info.etag
    if info.last_modified:
        response["Last-Modified"] = http_date(info.last_modified.timestamp())
    response["Accept-Ranges"] = "bytes"
    response["Content-Disposition"] = content_disposition_header(True, name_of(key) or NAMELESS) or "attachment"
    return response


def _still_the_same(storage: StorageInterface, bucket: str, key: str, condition: str) -> bool:
    """Whether the object is the one of which somebody has a part already: strong tags and whole seconds only."""
    if not condition:
        return True
    info = storage.objects.info(bucket, key)
    dated = http_date(info.last_modified.timestamp()) if info.last_modified else None
    return condition in (info.etag, dated) and not condition.startswith("W/")


def _unsatisfiable(storage: StorageInterface, bucket: str, key: str) -> HttpResponse:
    info = storage.objects.info(bucket, key)
    return HttpResponse(status=416, headers={"Content-Range": f"bytes */{'*' if info.size is None else info.size}"})


def _bare(streamed: HttpResponseBase) -> HttpResponse:
    response = HttpResponse(status=streamed.status_code)
    for name, value in streamed.headers.items():
        response[name] = value
    return response
