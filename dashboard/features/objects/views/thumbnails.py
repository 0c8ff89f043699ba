"""Thumbnails in the grid. The list signs their addresses for the person and their token, for five to ten minutes."""

import time
from urllib.parse import urlencode

from django.http import Http404, HttpResponse, HttpResponseBase
from django.utils.crypto import constant_time_compare, salted_hmac
from django.views.decorators.http import require_safe

from dashboard.catalog.keys import is_pending
from dashboard.features.objects.services.thumbnails import read_source
from dashboard.features.objects.views.rows import Thumbnail, verb_address
from dashboard.interfaces.storage.records import StoredObject
from dashboard.tokens.access import WorkspaceRequest, with_workspace
from dashboard.tokens.models import Kind
from dashboard.viewer import looks
from dashboard.viewer.looks import PDF, look_of
from dashboard.viewer.pictures import KINDS, MOST_SOURCE_BYTES, renderings
from dashboard.web.database import give_back
from dashboard.web.downloads import file_view, guard

# Addresses stay the same for so long, so that a browser keeps its pictures when the list is refreshed.
STEP_SECONDS = 300
SALT = "dashboard.objects.thumbnails"


def addresses(request: WorkspaceRequest, space: str, bucket: str) -> Thumbnail:
    """Return what makes the address of an object's thumbnail, "" for other objects."""
    base = verb_address("thumbnail", space, bucket)
    until = str((int(time.time()) // STEP_SECONDS + 2) * STEP_SECONDS)

    def address(key: str, entry: StoredObject) -> str:
        kind = _type(key, entry)
        if not kind or not entry.etag:
            return ""
        said = {"key": key, "etag": entry.etag, "kind": kind, "until": until}
        return f"{base}?{urlencode({**said, 'signature': _signature(request, space, bucket, said)})}"

    return address


@require_safe
@with_workspace
@file_view
def thumbnail(request: WorkspaceRequest, space: str, bucket: str) -> HttpResponseBase:
    """S18, unless this process has the thumbnail of this version and token.

    404 for an address that expired, belongs to another person or to a token that is no longer stored.
    """
    said = {name: request.GET.get(name, "") for name in ("key", "etag", "kind", "until")}
    left = (int(said["until"]) if said["until"].isdecimal() and len(said["until"]) < 12 else 0) - time.time()
    if not constant_time_compare(request.GET.get("signature", ""), _signature(request, space, bucket, said)):
        raise Http404("This picture was not offered to you.")
    if left < 0 or said["kind"] not in KINDS:
        raise Http404("The address of this picture expired.")
    give_back()
    key, etag = said["key"], said["etag"]

    def read() -> bytes | None:
        return read_source(request.workspace, space, bucket, key, etag=etag, limit=MOST_SOURCE_BYTES)

    name = (request.workspace.fingerprint(Kind.STORAGE, space), space, bucket, key, etag)
    made = renderings.get(name, KINDS[said["kind"]], read)
    if not made:
        raise Http404("This file has no picture.")
    response = HttpResponse(made, content_type="image/webp")
    guard(response, "thumbnail.webp", saved=False)
    response["Cache-Control"] = f"private, max-age={int(left)}"
    return response


def _type(key: str, entry: StoredObject) -> str:
    """Return the type of an object that gets a thumbnail, or ""."""
    look = look_of(key, entry.mimetype)
    kind = PDF if look.kind is looks.Kind.PDF else look.type
    is_shown = entry.size is not None and 0 < entry.size <= MOST_SOURCE_BYTES and not is_pending(key)
    return kind if kind in KINDS and is_shown else ""


def _signature(request: WorkspaceRequest, space: str, bucket: str, said: dict[str, str]) -> str:
    token = request.workspace.fingerprint(Kind.STORAGE, space)
    parts = [str(request.user.pk), token, space, bucket, *said.values()]
    return salted_hmac(SALT, "\n".join(f"{len(part)} {part}" for part in parts), algorithm="sha256").hexdigest()[:32]
