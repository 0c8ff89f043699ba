"""Pages of the projects over all organizations."""

from collections.abc import Sequence

from django.http import HttpResponse
from django.views.decorators.http import require_GET

from dashboard.features.projects.forms.filters import Filter
from dashboard.features.projects.services import projects as projects_service
from dashboard.features.projects.services import startup
from dashboard.features.projects.services.projects import Organizations
from dashboard.interfaces.management.projects import Project
from dashboard.labels.queries import label_of, labels
from dashboard.tokens.access import WorkspaceRequest, with_workspace
from dashboard.tokens.models import Kind
from dashboard.web.answers import page
from dashboard.web.pagination import part_of, patient
from dashboard.web.parallel import in_time, side_by_side

LIST = "project-list"
PATIENCE_SECONDS = 1.5


@require_GET
@with_workspace
def index(request: WorkspaceRequest) -> HttpResponse:
    workspace = request.workspace
    workspace.require(Kind.MANAGEMENT)
    calls = (lambda: projects_service.list_projects(workspace), lambda: projects_service.list_organizations(workspace))
    waits = request.htmx.target == LIST or "wait" in request.GET
    read = side_by_side(*calls) if waits else in_time(*calls, seconds=PATIENCE_SECONDS)
    if read is None:
        return page(request, "projects/index.html", {"late": patient(request), "here": request.get_full_path()})
    return page(request, "projects/index.html", _listing(request, *read), parts={LIST: "projects/_list.html"})


def _listing(request: WorkspaceRequest, projects: Sequence[Project], organizations: Organizations) -> dict[str, object]:
    asked, known = Filter.read(request.GET), labels()
    found = projects_service.arrange(
        projects,
        organizations,
        known,
        search=asked.search,
        organization=asked.organization,
        label=asked.label,
        sort=asked.sort,
        descending=asked.descending,
    )
    shown = part_of(request, found)
    rows = [projects_service.row_of(project, organizations, known.get(project.id)) for project in shown.rows]
    return {
        "rows": rows,
        "page": shown,
        "found": len(found),
        "total": len(projects),
        "asked": asked,
        "sort": request.GET.get("sort", ""),
        "organizations": projects_service.choices_of(projects, organizations),
        "labels": projects_service.label_choices(known, projects),
        "failure": organizations.failure,
        "has_states": any(row.state for row in rows),
        "here": request.get_full_path(),
    }


@require_GET
@with_workspace
def show(request: WorkspaceRequest, ref: str) -> HttpResponse:
    workspace = request.workspace
    projects, organizations = side_by_side(
        lambda: projects_service.list_projects(workspace), lambda: projects_service.list_organizations(workspace)
    )
    project = projects_service.find_project(projects, ref)
    context = {
        "project": projects_service.row_of(project, organizations, label_of(ref)),
        "reach": projects_service.reach_of(workspace, ref),
        "arrival": startup.arrival_of(ref, project, look=0) if startup.is_arriving(project) else None,
        "failure": organizations.failure,
    }
    return page(request, "projects/show.html", context)
