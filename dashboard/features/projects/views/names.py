"""Organizations, and what the team calls a project."""

from django.http import HttpResponse, QueryDict
from django.urls import reverse
from django.views.decorators.http import require_GET, require_http_methods

from dashboard.features.projects.forms.names import LabelForm, OrganizationForm
from dashboard.features.projects.services import organizations as services
from dashboard.features.projects.services import projects
from dashboard.jobs.settlement import observe
from dashboard.labels.changes import set_label
from dashboard.labels.queries import label_of
from dashboard.tokens.access import WorkspaceRequest, with_workspace
from dashboard.web.answers import done, page, repeat, submit
from dashboard.web.idempotency import FIELD, earlier
from dashboard.web.parallel import side_by_side


@require_GET
@with_workspace
def index(request: WorkspaceRequest) -> HttpResponse:
    workspace = request.workspace
    organizations, counts = side_by_side(
        lambda: services.all_organizations(workspace), lambda: services.count_projects(workspace)
    )
    observe(workspace, "", organizations, "M4")
    context = {
        "rows": services.rows_of(organizations, counts),
        "failure": counts.failure,
        "here": request.get_full_path(),
    }
    return page(request, "projects/organizations.html", context, parts={"organization-list": "projects/_organizations.html"})


@require_http_methods(["GET", "POST"])
@with_workspace
def new(request: WorkspaceRequest) -> HttpResponse:
    workspace = request.workspace
    if told := earlier(request, request.POST.get(FIELD, "")):
        return repeat(request, told)  # before its own organization is taken for another one of that name
    known = services.all_organizations(workspace)
    form = OrganizationForm(_typed(request), taken=[organization.name for organization in known])
    home = reverse("organizations:index")

    def perform() -> None:
        services.create_organization(workspace, form.cleaned_data["name"], known=known)

    def then(_: None) -> HttpResponse:
        return done(request, f"Organization {form.cleaned_data['name']} created.", changed="organizations", to=home)

    context = {"title": "New organization", "back": home}
    return submit(request, form, "projects/_organization_form.html", perform=perform, then=then, context=context)


@require_http_methods(["GET", "POST"])
@with_workspace
def label(request: WorkspaceRequest, ref: str) -> HttpResponse:
    """The label of a project that the person reaches. `?list`: opened from the list, which then refreshes itself."""
    workspace = request.workspace
    project = projects.find_project(projects.list_projects(workspace), ref)
    form = LabelForm(_typed(request), current=label_of(ref), is_owner=workspace.person.is_owner)
    from_list = "list" in request.GET
    home = reverse("projects:index") if from_list else reverse("projects:show", args=[ref])

    def perform() -> None:
        set_label(workspace.person, ref, form.chosen(), project=project.name)

    def then(_: None) -> HttpResponse:
        message = f"Label of {project.name} saved." if form.chosen() else f"{project.name} has no label now."
        return done(request, message, changed="projects" if from_list else (), to=home)

    context = {
        "title": f"Label of {project.name}",
        "lead": "For everybody in your team. The service does not learn of it.",
        "back": home,
    }
    return submit(request, form, "projects/_label_form.html", perform=perform, then=then, context=context)


def _typed(request: WorkspaceRequest) -> QueryDict | None:
    """What was posted, even when every field of it is empty."""
    return request.POST if request.method == "POST" else None
