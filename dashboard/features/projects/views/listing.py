"""Pages of the projects over all organizations."""

from django.http import HttpResponse
from django.views.decorators.http import require_GET

from dashboard.features.projects.forms.asking import Filter
from dashboard.features.projects.services import arriving, listing
from dashboard.labels import label_of, labels
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
        lambda: listing.list_projects(workspace), lambda: listing.list_organizations(workspace)
    )
    known = labels()
    found = listing.arrange(
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
    rows = [listing.row_of(project, organizations, known.get(project.id)) for project in shown.rows]
    context = {
        "rows": rows,
        "page": shown,
        "found": len(found),
        "total": len(projects),
        "asked": asked,
        "sort": request.GET.get("sort", ""),
        "organizations": listing.choices_of(projects, organizations),
        "labels": listing.label_choices(known, projects),
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
        lambda: listing.list_projects(workspace), lambda: listing.list_organizations(workspace)
    )
    project = listing.find_project(projects, ref)
    context = {
        "project": listing.row_of(project, organizations, label_of(ref)),
        "reach": listing.reach_of(workspace, ref),
        "arrival": arriving.arrival_of(ref, project, look=0) if arriving.is_arriving(project) else None,
        "failure": organizations.failure,
    }
    return page(request, "projects/show.html", context)
