"""Create a project: a form, a review that sends one request, and then a wait.

Nothing secret is in an address: the form's values travel in the review's query, the password is made (or typed) at the review
itself. Every page before the request carries the form's one-time key, and leads to what was made when that was used.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from django.http import HttpResponse, QueryDict
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_http_methods

from dashboard.features.projects.forms.create import PLANS, ProjectForm, ReviewForm
from dashboard.features.projects.rules.passwords import generate, opened, sealed
from dashboard.features.projects.rules.regions import region_name
from dashboard.features.projects.services import create, organizations
from dashboard.features.projects.services import projects as projects_service
from dashboard.features.projects.services.create import Wish
from dashboard.interfaces.errors import Rejected
from dashboard.interfaces.management.organizations import Organization
from dashboard.interfaces.management.projects import Project
from dashboard.tokens.access import WorkspaceRequest, with_workspace
from dashboard.web.answers import REFUSALS, done, page, repeat
from dashboard.web.idempotency import FIELD, earlier, is_key, new_key, once
from dashboard.web.parallel import side_by_side
from dashboard.web.problems import sentence

PREFILLED = ("name", "organization", "region", "plan")


@dataclass(frozen=True, slots=True)
class Question:
    """What the review asks: whether to create this, though there are namesakes, with the generated password or another."""

    wish: Wish
    form: ReviewForm
    namesakes: Sequence[Project]
    generated: str = field(repr=False)


@require_http_methods(["GET", "POST"])
@with_workspace
def new(request: WorkspaceRequest) -> HttpResponse:
    """The form. What is right goes on to the review."""
    key = _key(request)
    if told := earlier(request, key):
        return repeat(request, told)
    mine = organizations.all_organizations(request.workspace)
    if request.method == "GET":
        initial = {name: request.GET[name] for name in PREFILLED if name in request.GET}
        return _form(request, ProjectForm(None, organizations=mine, initial=initial), mine)
    form = ProjectForm(request.POST, organizations=mine)
    if not form.is_valid():
        return _form(request, form, mine, status=422)
    values = {name: form.cleaned_data[name] for name in PREFILLED}
    response = redirect(f"{reverse('projects:review')}?{urlencode({**values, FIELD: key})}")
    response.status_code = 303
    return response


@require_http_methods(["GET", "POST"])
@with_workspace
def review(request: WorkspaceRequest) -> HttpResponse:
    """GET shows what would be created, POST sends it, once."""
    if request.method == "POST":
        return once(request, lambda: _review(request), lambda told: repeat(request, told))
    told = earlier(request, _key(request))
    return repeat(request, told) if told else _review(request)


def _review(request: WorkspaceRequest) -> HttpResponse:
    workspace = request.workspace
    mine, projects = side_by_side(
        lambda: organizations.all_organizations(workspace), lambda: projects_service.list_projects(workspace)
    )
    form = ProjectForm(request.GET, organizations=mine)
    if not form.is_valid():
        return _form(request, form, mine, status=422)
    owner = next(found for found in mine if found.id == form.cleaned_data["organization"])
    wish = Wish(form.cleaned_data["name"], owner, form.cleaned_data["region"], form.cleaned_data["plan"])
    namesakes = create.namesakes(projects, name=wish.name, organization_id=owner.id)
    generated = opened(request.POST.get("sealed", ""), workspace.person, request.POST.get(FIELD, ""))
    ticks = ReviewForm(_posted(request) if generated else None, name=wish.name, taken=bool(namesakes))
    password = generated or generate()
    question = Question(wish, ticks, namesakes, password)
    if not ticks.is_valid():
        return _ask(request, question)
    try:
        return _send(request, question)
    except Rejected as rejected:
        at, words = create.refusal_of(rejected)
        if at in form.fields:
            form.add_error(at, words)
            return _form(request, form, mine, status=422)
        ticks.add_error(at if at in ticks.fields else None, words)
    except REFUSALS as refusal:
        ticks.add_error(None, sentence(refusal))
    return _ask(request, question)


def _send(request: WorkspaceRequest, question: Question) -> HttpResponse:
    wish = question.wish
    made = create.create_project(request.workspace, wish, question.form.chosen(question.generated), known=question.namesakes)
    if made is None:
        return done(request, "No confirmation came from the service.", to=_search(question), tone="info")
    return done(request, f"Project {wish.name} is being created.", to=reverse("projects:arrival", args=[made.ref]))


def _form(request: WorkspaceRequest, form: ProjectForm, mine: Sequence[Organization], *, status: int = 200) -> HttpResponse:
    context = {"form": form, "has_organizations": bool(mine), "once": _key(request)}
    return page(request, "projects/new.html", context, status=status)


def _ask(request: WorkspaceRequest, question: Question) -> HttpResponse:
    key = _key(request)
    context = {
        "question": question,
        "form": question.form,
        "region": region_name(question.wish.region) or question.wish.region,
        "plan": PLANS[question.wish.plan],
        "once": key,
        "sealed": sealed(question.generated, request.workspace.person, key),
        "change": f"{reverse('projects:new')}?{request.GET.urlencode()}",
        "here": request.get_full_path(),
    }
    return page(request, "projects/review.html", context, status=422 if request.method == "POST" else 200)


def _search(question: Question) -> str:
    """Where it is looked for after no confirmation came."""
    wish = question.wish
    asked = {
        "name": wish.name,
        "organization": wish.organization.id,
        "region": wish.region,
        "plan": wish.plan,
        "known": ",".join(project.ref for project in question.namesakes),
    }
    return f"{reverse('projects:search')}?{urlencode(asked)}"


def _key(request: WorkspaceRequest) -> str:
    """The one-time key of this form, from the first page on."""
    given = request.POST.get(FIELD) or request.GET.get(FIELD, "")
    return given if is_key(given) else new_key()


def _posted(request: WorkspaceRequest) -> QueryDict | None:
    return request.POST if request.method == "POST" else None
