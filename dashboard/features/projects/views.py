"""Pages of the projects over all organizations."""

from django.http import HttpResponse
from django.views.decorators.http import require_GET

from dashboard.features.projects import services
from dashboard.features.projects.forms import Filter
from dashboard.tokens.access import WorkspaceRequest, with_workspace
from dashboard.web.answers import page
from dashboard.web.paging import part_of
from dashboard.web.pool import side_by_side


@require_GET
@with_workspace
def index(request: WorkspaceRequest) -> HttpResponse:
    workspace = request.workspace
    asked = Filter.read(request.GET)
    projects, organizations = side_by_side(
        lambda: services.list_projects(workspace), lambda: services.list_organizations(workspace)
    )
    found = services.arrange(
        projects,
        organizations,
        search=asked.search,
        organization=asked.organization,
        sort=asked.sort,
        descending=asked.descending,
    )
    shown = part_of(request, found)
    rows = [services.row_of(project, organizations) for project in shown.rows]
    context = {
        "rows": rows,
        "page": shown,
        "found": len(found),
        "total": len(projects),
        "asked": asked,
        "sort": request.GET.get("sort", ""),
        "organizations": services.choices_of(projects, organizations),
        "failure": organizations.failure,
        "has_states": any(row.state for row in rows),
        "here": request.get_full_path(),
    }
    return page(request, "projects/index.html", context, parts={"project-list": "projects/_list.html"})


@require_GET
@with_workspace
def show(request: WorkspaceRequest, ref: str) -> HttpResponse:
    workspace = request.workspace
    projects, organizations = side_by_side(
        lambda: services.list_projects(workspace), lambda: services.list_organizations(workspace)
    )
    project = services.row_of(services.find_project(projects, ref), organizations)
    context = {"project": project, "reach": services.reach_of(workspace, ref), "failure": organizations.failure}
    return page(request, "projects/show.html", context)
