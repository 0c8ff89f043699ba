"""Create a project: a form, a review, one request, and a wait."""

from collections.abc import Sequence

from django.http import HttpResponse, QueryDict
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_http_methods

from dashboard.features.projects.forms.creating import PLANS, ProjectForm, ReviewForm
from dashboard.features.projects.passwords import generate, opened, sealed
from dashboard.features.projects.regions import region_name
from dashboard.features.projects.services import creating, listing, organizations
from dashboard.features.projects.services.creating import Wish
from dashboard.interfaces.errors import Rejected
from dashboard.interfaces.management.organizations import Organization
from dashboard.interfaces.management.projects import Project
from dashboard.tokens.access import WorkspaceRequest, with_workspace
from dashboard.web.answers import REFUSALS, done, page, repeat
from dashboard.web.once import FIELD, earlier, new_key, once
from dashboard.web.pool import side_by_side
from dashboard.web.problems import sentence

PREFILLED = ("name", "organization", "region", "plan")


@require_http_methods(["GET", "POST"])
@with_workspace
def new(request: WorkspaceRequest) -> HttpResponse:
    """GET is the form. POST is its review, or the form again: with what is wrong, or because somebody wants to change it."""
    if request.method == "GET":
        mine = organizations.all_organizations(request.workspace)
        initial = {name: request.GET[name] for name in PREFILLED if name in request.GET}
        return _form(request, ProjectForm(None, organizations=mine, initial=initial), mine)
    if told := earlier(request):
        return repeat(request, told)
    form, mine, projects = _read(request)
    if "change" in request.POST or not form.is_valid():
        return _form(request, form, mine, status=200 if "change" in request.POST else 422)
    wish = _wish(form, mine)
    return _review(request, wish, _ticks(None, wish, projects), projects)


@require_http_methods(["GET", "POST"])
@with_workspace
def create(request: WorkspaceRequest) -> HttpResponse:
    """POST sends the reviewed project, once."""
    if request.method == "GET":
        return redirect("projects:new")
    return once(request, lambda: _create(request), lambda told: repeat(request, told))


def _create(request: WorkspaceRequest) -> HttpResponse:
    form, mine, projects = _read(request)
    if not form.is_valid():
        return _form(request, form, mine, status=422)
    wish = _wish(form, mine)
    ticks = _ticks(request.POST if form.kept else None, wish, projects)
    if not ticks.is_valid():
        return _review(request, wish, ticks, projects, status=422)
    try:
        made = creating.create_project(request.workspace, wish)
    except Rejected as rejected:
        form.add_error(*creating.refusal_of(rejected))
        return _form(request, form, mine, status=422)
    except REFUSALS as refusal:
        ticks.add_error(None, sentence(refusal))
        return _review(request, wish, ticks, projects, status=422)
    if made is None:
        return done(request, "No confirmation came from the service.", to=_search(wish, projects))
    return done(request, f"Project {wish.name} is being created.", to=reverse("projects:arrival", args=[made.ref]))


def _read(request: WorkspaceRequest) -> tuple[ProjectForm, list[Organization], list[Project]]:
    """The form as it was posted, beside what the service says now."""
    workspace = request.workspace
    mine, projects = side_by_side(lambda: organizations.all_organizations(workspace), lambda: listing.list_projects(workspace))
    kept = opened(request.POST.get("sealed", ""), workspace.person, request.POST.get(FIELD, ""))
    return ProjectForm(request.POST, organizations=mine, kept=kept), mine, projects


def _wish(form: ProjectForm, mine: Sequence[Organization]) -> Wish:
    cleaned = form.cleaned_data
    return Wish(
        name=cleaned["name"],
        organization=next(found for found in mine if found.id == cleaned["organization"]),
        region=cleaned["region"],
        plan=cleaned["plan"],
        password=form.typed() or generate(),
    )


def _form(request: WorkspaceRequest, form: ProjectForm, mine: Sequence[Organization], *, status: int = 200) -> HttpResponse:
    key = request.POST.get(FIELD) or new_key()
    password = form.typed() if form.is_bound else None
    context = {
        "form": form,
        "has_organizations": bool(mine),
        "once": key,
        "sealed": sealed(password, request.workspace.person, key) if password else "",
    }
    return page(request, "projects/new.html", context, status=status)


def _review(
    request: WorkspaceRequest, wish: Wish, form: ReviewForm, projects: Sequence[Project], *, status: int = 200
) -> HttpResponse:
    key = request.POST.get(FIELD) or new_key()
    context = {
        "wish": wish,
        "form": form,
        "region": region_name(wish.region),
        "plan": PLANS[wish.plan],
        "namesakes": _namesakes(wish, projects),
        "hidden": {
            FIELD: key,
            "sealed": sealed(wish.password, request.workspace.person, key),
            "name": wish.name,
            "organization": wish.organization.id,
            "region": wish.region,
            "plan": wish.plan,
            "kind": "generated" if wish.password.generated else "own",
        },
    }
    return page(request, "projects/review.html", context, status=status)


def _ticks(data: QueryDict | None, wish: Wish, projects: Sequence[Project]) -> ReviewForm:
    return ReviewForm(data, password=wish.password, namesakes=_namesakes(wish, projects), name=wish.name)


def _namesakes(wish: Wish, projects: Sequence[Project]) -> list[Project]:
    return creating.namesakes(projects, name=wish.name, organization_id=wish.organization.id)


def _search(wish: Wish, projects: Sequence[Project]) -> str:
    """Where it is looked for after no confirmation came. Nothing in the address is a secret."""
    asked = {
        "name": wish.name,
        "organization": wish.organization.id,
        "region": wish.region,
        "plan": wish.plan,
        "known": ",".join(project.ref for project in _namesakes(wish, projects)),
    }
    return f"{reverse('projects:search')}?{urlencode(asked)}"
