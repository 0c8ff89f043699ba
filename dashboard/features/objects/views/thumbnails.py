"""Thumbnails in the list and the grid, signed for the person and their token."""

from functools import partial

from django.http import HttpResponseBase
from django.views.decorators.http import require_safe

from dashboard.catalog.keys import is_pending
from dashboard.catalog.lookup import source_of
from dashboard.features.objects.views.rows import Thumbnail, verb_address
from dashboard.interfaces.storage.records import StoredObject
from dashboard.tokens.access import WorkspaceRequest, with_workspace
from dashboard.tokens.models import Kind
from dashboard.viewer.thumbnails import respond, signed_query
from dashboard.web.files.downloads import file_view


def addresses(request: WorkspaceRequest, space: str, bucket: str) -> Thumbnail:
    """Return what makes the address of an object's thumbnail, "" for other objects."""
    base, scope = verb_address("thumbnail", space, bucket), _scope(request, space, bucket)

    def address(key: str, entry: StoredObject) -> str:
        query = "" if is_pending(key) else signed_query(scope, key, entry)
        return f"{base}?{query}" if query else ""

    return address


@require_safe
@with_workspace
@file_view
def thumbnail(request: WorkspaceRequest, space: str, bucket: str) -> HttpResponseBase:
    """S18; 404 for an address that expired, belongs to another person or to a token that is no longer stored."""
    return respond(request, _scope(request, space, bucket), partial(source_of, request.workspace, space, bucket))


def _scope(request: WorkspaceRequest, space: str, bucket: str) -> tuple[str, ...]:
    return str(request.user.pk), request.workspace.fingerprint(Kind.STORAGE, space), space, bucket
