"""Create a project: a form, its review, and the wait until it is ready.

The password is generated with the review and sealed in it, so a reload shows the same one. A typed password is sealed there, too,
before anything is sent.
"""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from django.core.exceptions import ValidationError
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods
from django_htmx.http import HttpResponseClientRedirect

from dashboard.features.projects.forms import PLANS, ConfirmationForm, ProjectForm, typed_password
from dashboard.features.projects.rules import generate_password, region_name
from dashboard.features.projects.services import create, organizations, projects
from dashboard.features.projects.services.create import Wish
from dashboard.interfaces.management.organizations import Organization
from dashboard.jobs import review_outcome
from dashboard.reviews import reviews
from dashboard.reviews.models import Review, State
from dashboard.tokens import spaces
from dashboard.tokens.access import WorkspaceRequest, with_workspace
from dashboard.tokens.workspace import Workspace
from dashboard.web.failures.operations import sends
from dashboard.web.http.requests import read_number
from dashboard.web.input.forms import posted, status_of
from dashboard.web.pages.answers import done, page, see_other
from dashboard.web.process.parallel import side_by_side

PURPOSE = "new project"
CHECKS_MAX = 9_999


@require_http_methods(["GET", "POST"])
@with_workspace
@sends("M2")
def new(request: WorkspaceRequest) -> HttpResponse:
    """Show the form. `?organization=` preselects one."""
    mine = organizations.all_organizations(request.workspace)
    form = ProjectForm(posted(request), organizations=mine, initial={"organization": request.GET.get("organization", "")})
    if not form.is_bound or not form.is_valid():
        return _form(request, form, mine, status=status_of(form))
    payload = {**form.chosen(), "password": generate_password(), "known": []}
    return _see(reviews.create(request.workspace, PURPOSE, payload))


@require_http_methods(["GET", "POST"])
@with_workspace
@sends("M2")
def change(request: WorkspaceRequest, review_id: UUID) -> HttpResponse:
    """Show the form again, for an open review."""
    found = reviews.find(request.workspace, PURPOSE, review_id)
    payload = found.payload
    if found.state != State.OPEN or payload is None:
        return _see(found)
    mine = organizations.all_organizations(request.workspace)
    form = ProjectForm(posted(request), organizations=mine, initial=payload)
    if not form.is_bound or not form.is_valid():
        return _form(request, form, mine, review=found, status=status_of(form))
    reviews.revise(found, {**payload, **form.chosen()})
    return _see(found)


@require_http_methods(["GET", "POST"])
@never_cache
@with_workspace
@sends("M2")
def review(request: WorkspaceRequest, review_id: UUID) -> HttpResponse:
    """GET: show the review, or its outcome. POST: create the project, or review it again."""
    found = reviews.find(request.workspace, PURPOSE, review_id)
    if request.method == "POST" and request.POST.get("act") == "reopen":
        review_outcome.reopen(found, "", create.target_of((found.payload or {}).get("name", "")))
        return _see(found)
    payload = found.payload
    if found.state == State.OPEN and payload is not None:
        return _open(request, found, payload)
    if request.method == "POST":
        reviews.wait(found)
        return _see(found)
    if found.state == State.DONE:
        to = reverse("projects:arrival", args=[(found.outcome or {})["ref"]])
        return HttpResponseClientRedirect(to) if request.htmx else redirect(to)
    return _unfinished(request, found, payload)


@require_GET
@with_workspace
def arrival(request: WorkspaceRequest, ref: str) -> HttpResponse:
    """Show the state of a new project. Refreshes itself until the project is ready."""
    workspace = request.workspace
    context = {
        "ref": ref,
        "startup": create.follow_startup(workspace, ref, check=min(read_number(request.GET.get("look", "")) or 0, CHECKS_MAX)),
        "needs_key": spaces.can_be(ref) and not workspace.has("storage", ref),
    }
    return page(request, "projects/arrival.html", context, parts={"project-arrival": "projects/_arrival.html"})


def _open(request: WorkspaceRequest, review: Review, payload: Mapping[str, Any]) -> HttpResponse:
    workspace = request.workspace
    if typed := typed_password(request.POST):
        payload = {**payload, "own": typed}
        reviews.revise(review, payload)
    mine, listed = side_by_side(lambda: organizations.all_organizations(workspace), lambda: projects.list_projects(workspace))
    form = ProjectForm(payload, organizations=mine)
    if not form.is_valid():
        return _form(request, form, mine, review=review, status=422)
    if request.method == "POST" and not reviews.is_open(review):
        return _see(review)
    wish = _wish(form, mine)
    namesakes = create.namesakes(listed, name=wish.name, organization_id=wish.organization.id)
    own = payload.get("own", "")
    confirmation = ConfirmationForm(posted(request), name=wish.name, taken=bool(namesakes), own=own)
    if confirmation.is_bound and confirmation.is_valid():
        sent = {**payload, "known": [project.ref for project in namesakes]}
        problem = _create(workspace, review, sent, wish, password=confirmation.chosen(payload["password"]))
        if problem is None:
            return _created(request, review, wish)
        field, reason = next(iter(problem.update_error_dict({}))), problem.messages[0]
        if field in form.fields:
            form.add_error(field, reason)
            return _form(request, form, mine, review=review, status=422)
        if field == "password":
            reviews.revise(review, {**payload, "own": ""})
            confirmation.refuse_password(reason)
        else:
            confirmation.add_error(None, reason)
    context = {
        "wish": wish,
        "form": confirmation,
        "namesakes": namesakes,
        "password": payload["password"],
        "region": region_name(wish.region) or wish.region,
        "plan": PLANS[wish.plan],
        "change": reverse("projects:change", args=[review.pk]),
        "here": request.path,
    }
    return page(request, "projects/review.html", context, status=status_of(confirmation))


def _create(
    workspace: Workspace, review: Review, payload: Mapping[str, Any], wish: Wish, *, password: str
) -> ValidationError | None:
    """Create the project once. The payload lists its namesakes, to recognise the new project if the answer is lost."""

    def perform() -> reviews.Outcome:
        return reviews.Outcome({"ref": create.create_project(workspace, wish, password, known=payload["known"])})

    reviews.revise(review, payload)
    return review_outcome.apply(review, perform)


def _created(request: WorkspaceRequest, review: Review, wish: Wish) -> HttpResponse:
    if review.state == State.UNKNOWN:
        to = reverse("projects:review", args=[review.pk])
        return done(request, "The service didn't confirm the new project.", to=to, tone="info")
    if review.state != State.DONE:
        return _see(review)
    to = reverse("projects:arrival", args=[(review.outcome or {})["ref"]])
    return done(request, f"Project {wish.name} is being created.", to=to)


def _unfinished(request: WorkspaceRequest, review: Review, payload: Mapping[str, Any] | None) -> HttpResponse:
    """Show a review that is being applied, has expired, or has an unknown outcome, and then look for the project."""
    found = _search(request, review)
    if len(found.found) == 1:
        review_outcome.conclude(review, "", {"ref": found.found[0].ref})
    context = {
        "review": review,
        "has_expired": review.state != State.APPLYING and payload is None,
        "name": payload["name"] if payload else "New project",
        "search": found,
        "here": request.path,
    }
    return page(request, "projects/outcome.html", context, parts={"project-search": "projects/_search.html"})


def _search(request: WorkspaceRequest, review: Review) -> create.Search:
    payload = review.payload
    if review.state != State.UNKNOWN or payload is None:
        return create.Search(pause=create.SEARCH_SECONDS if review.state == State.APPLYING else 0)
    return create.find_created(
        request.workspace,
        name=payload["name"],
        organization_id=payload["organization"],
        known=payload["known"],
    )


def _form(
    request: WorkspaceRequest,
    form: ProjectForm,
    mine: Sequence[Organization],
    *,
    review: Review | None = None,
    status: int = 200,
) -> HttpResponse:
    action = reverse("projects:change", args=[review.pk]) if review else reverse("projects:new")
    context = {"form": form, "has_organizations": bool(mine), "action": action}
    return page(request, "projects/create.html", context, status=status)


def _wish(form: ProjectForm, mine: Sequence[Organization]) -> Wish:
    chosen = form.chosen()
    owner = next(found for found in mine if found.id == chosen["organization"])
    return Wish(chosen["name"], owner, chosen["region"], chosen["plan"])


def _see(review: Review) -> HttpResponse:
    return see_other(reverse("projects:review", args=[review.pk]))
