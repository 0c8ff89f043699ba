"""Ask for an object without a token, to see whether anybody can read it."""

from functools import partial

from django.http import Http404, HttpResponse
from django.views.decorators.http import require_safe

from dashboard.catalog.keys import folder_of, name_of, printable
from dashboard.catalog.public_access import look, verdict
from dashboard.features.objects.records import Query
from dashboard.features.objects.services.details import read_bucket
from dashboard.features.objects.views.rows import bucket_address
from dashboard.interfaces.storage.buckets import Bucket
from dashboard.tokens.access import WorkspaceRequest, with_workspace
from dashboard.web.pages.answers import dialog
from dashboard.web.process.parallel import later


@require_safe
@with_workspace
def public_access(request: WorkspaceRequest, space: str, bucket: str) -> HttpResponse:
    """S20 and S21 without a token, beside S4."""
    key = request.GET.get("key", "")
    if not key:
        raise Http404("No object is named.")
    reading = later(partial(read_bucket, request.workspace, space, bucket))
    seen = look(request.workspace.storage(space), bucket, key)
    found = reading.result()
    context = {
        "title": f"Public access to {printable(name_of(key)) or printable(key)}",
        "seen": seen,
        "verdict": verdict(seen, public=bool(found.is_public) if isinstance(found, Bucket) else None),
        "back": bucket_address(space, bucket) + Query(path=folder_of(key), open=key).text(),
    }
    return dialog(request, "objects/_public_access.html", context)
