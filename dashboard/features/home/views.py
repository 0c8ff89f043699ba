"""The start page. It never waits for a service: what a service must say arrives in parts, each on its own."""

from django.http import HttpResponse
from django.views.decorators.http import require_GET

from dashboard.features.home import services
from dashboard.tokens.access import WorkspaceRequest, with_workspace
from dashboard.tokens.spaces import SHARED
from dashboard.web.answers import page

PROJECTS = "home-projects"
BUCKETS = "home-buckets"


@require_GET
@with_workspace
def index(request: WorkspaceRequest) -> HttpResponse:
    workspace = request.workspace
    asked = request.htmx.target if request.htmx and not request.htmx.history_restore_request else ""
    if asked == PROJECTS:
        return page(request, "home/_projects.html", {"glance": services.list_projects(workspace)})
    if asked == BUCKETS:
        return page(request, "home/_buckets.html", {"glance": services.list_buckets(workspace, SHARED), "space": SHARED})
    here = services.sections()
    context = {
        "here": here,
        "tasks": services.tasks_of(workspace),
        "has_management": here.management and workspace.has("management"),
        "has_shared": here.storage and not here.per_project and workspace.has("storage", SHARED),
        "spaces": services.list_spaces(workspace) if here.per_project and not here.management else None,
        "shared": SHARED,
        "changes": services.last_changes(workspace),
    }
    return page(request, "home/index.html", context)
