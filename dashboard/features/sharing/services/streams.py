"""Bytes of a shared object through us: ranges, conditions, and an end as soon as the link is ended."""

import time
from collections.abc import Iterable, Iterator, Mapping

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.utils.http import content_disposition_header, http_date

from dashboard.catalog.keys import name_of
from dashboard.interfaces import ObjectStream
from dashboard.interfaces.storage import StorageInterface
from dashboard.links.access import still_open
from dashboard.links.models import Share
from dashboard.web.downloads import stream
from dashboard.web.ranges import serve

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
    """S18, saved under the object's own name."""

    def respond(source: ObjectStream) -> HttpResponseBase:
        return stream(Interruptible(source, share), filename=name_of(key) or NAMELESS)

    return serve(request, storage.objects, bucket, key, respond=respond)


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
