"""Pages of the generated types of one project."""

from django.http import HttpResponse
from django.views.decorators.http import require_GET

from dashboard.tokens.access import WorkspaceRequest, with_workspace


@require_GET
@with_workspace
def index(request: WorkspaceRequest, ref: str) -> HttpResponse:
    return HttpResponse(f"{request.method} {ref}", content_type="text/plain")
