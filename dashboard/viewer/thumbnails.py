"""Thumbnails of listed objects. A list signs their addresses for its person or link, valid for five to ten minutes."""

import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Protocol
from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse
from django.utils.crypto import constant_time_compare, salted_hmac

from dashboard.interfaces.errors import Broken, SlowDown, TimedOut, Unexpected, Unreachable
from dashboard.viewer.content import Source, version_of
from dashboard.viewer.looks import PDF, Kind, look_of
from dashboard.viewer.pictures import KINDS, MOST_SOURCE_BYTES, renderings
from dashboard.web.files.downloads import guard
from dashboard.web.http.requests import read_number
from dashboard.web.process.database import give_back

# Addresses stay the same for this long, so that a refreshed list uses the browser's cached pictures.
STEP_SECONDS = 300
SALT = "dashboard.viewer.thumbnails"


class Listed(Protocol):
    """An object in a list."""

    @property
    def size(self) -> int | None: ...
    @property
    def mimetype(self) -> str | None: ...
    @property
    def etag(self) -> str | None: ...


def signed_query(scope: Sequence[str], key: str, entry: Listed) -> str:
    """Return the query of an object's thumbnail, "" for objects without one. `scope` is who may load it, and the bucket."""
    kind = _type(key, entry)
    if not kind or not entry.etag:
        return ""
    until = str((int(time.time()) // STEP_SECONDS + 2) * STEP_SECONDS)
    # A list has many of these, and what is random in them can't be compressed.
    said = {"key": key, "version": version_of(entry.etag), "kind": kind, "until": until}
    return urlencode({**said, "signature": _signature(scope, said)})


def respond(request: HttpRequest, scope: Sequence[str], source_of: Callable[[str], Source]) -> HttpResponse:
    """Send the thumbnail: S18, unless cached for this version and token.

    404 for an expired address or another scope, 204 for a file that can't be drawn or read now.
    """
    said = {name: request.GET.get(name, "") for name in ("key", "version", "kind", "until")}
    left = (read_number(said["until"]) or 0) - time.time()
    if not constant_time_compare(request.GET.get("signature", ""), _signature(scope, said)):
        raise Http404("This picture was not offered to you.")
    if left < 0 or said["kind"] not in KINDS:
        raise Http404("The address of this picture expired.")
    give_back()
    source, version = source_of(said["key"]), said["version"]
    name = (source.owner, source.bucket, source.key, version)
    read = partial(source.read_version, version, MOST_SOURCE_BYTES)
    try:
        made = renderings.get(name, KINDS[said["kind"]], read, is_visitor=source.is_visited)
    except (Unreachable, TimedOut, SlowDown, Broken, Unexpected):
        made = b""
    if not made:
        return HttpResponse(status=204)
    response = HttpResponse(made, content_type="image/webp")
    guard(response, "thumbnail.webp", saved=False)
    response["Cache-Control"] = f"private, max-age={int(left)}"
    return response


def _type(key: str, entry: Listed) -> str:
    """Return the type of an object that gets a thumbnail, or ""."""
    look = look_of(key, entry.mimetype)
    kind = PDF if look.kind is Kind.PDF else look.type
    return kind if kind in KINDS and entry.size is not None and 0 < entry.size <= MOST_SOURCE_BYTES else ""


def _signature(scope: Sequence[str], said: dict[str, str]) -> str:
    parts = [*scope, *said.values()]
    return salted_hmac(SALT, "\n".join(f"{len(part)} {part}" for part in parts), algorithm="sha256").hexdigest()[:20]
