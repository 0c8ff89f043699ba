"""List and create organizations."""

from django.http import HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_GET, require_http_methods

from dashboard.features.projects.forms import OrganizationForm
from dashboard.features.projects.services import organizations
from dashboard.jobs.settlement import observe
from dashboard.tokens.access import WorkspaceRequest, with_workspace
from dashboard.web.failures.operations import sends
from dashboard.web.input.forms import posted
from dashboard.web.input.idempotency import FIELD, earlier
from dashboard.web.pages.answers import done, page, repeat, submit
from dashboard.web.process.parallel import side_by_side


@require_GET
@with_workspace
def index(request: WorkspaceRequest) -> HttpResponse:
    workspace = request.workspace
    mine, counts = side_by_side(
        lambda: organizations.all_organizations(workspace), lambda: organizations.count_projects(workspace)
    )
    observe(workspace, "", mine, "M4")
    context = {
        "rows": [(found, counts.projects.get(found.id, 0)) for found in mine],
        "failure": counts.failure,
        "here": request.get_full_path(),
    }
    return page(request, "projects/organizations.html", context, parts={"organization-list": "projects/_organizations.html"})


@require_http_methods(["GET", "POST"])
@with_workspace
@sends("M4")
def new(request: WorkspaceRequest) -> HttpResponse:
    workspace = request.workspace
    if told := earlier(request, request.POST.get(FIELD, "")):
        return repeat(request, told)  # before its own organization would count as a namesake
    known = organizations.all_organizations(workspace)
    form = OrganizationForm(posted(request), taken=[organization.name for organization in known])
    home = reverse("organizations:index")

    def perform() -> None:
        organizations.create_organization(workspace, form.cleaned_data["name"], known=known)

    def then(_: None) -> HttpResponse:
        return done(request, f"Organization {form.cleaned_data['name']} created.", changed="organizations", to=home)

    context = {"title": "New organization", "button": "Create organization", "back": home}
    return submit(request, form, perform=perform, then=then, context=context)
