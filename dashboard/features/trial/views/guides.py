"""The guides of three minutes: their checklists, and how to start, leave and hide them."""

from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_GET, require_POST

from dashboard.features.trial.services import guides
from dashboard.features.trial.views.line import in_sandbox, step_href
from dashboard.team.access import PersonRequest, signed_in
from dashboard.web.pages.answers import done, page


@require_GET
@signed_in
@in_sandbox
def index(request: PersonRequest) -> HttpResponse:
    trial = guides.trial_of(request.user)
    context = {"guides": guides.offered(trial), "current": trial.guide, "is_owner": request.user.is_owner}
    return page(request, "trial/index.html", context)


@require_POST
@signed_in
@in_sandbox
def begin(request: PersonRequest, key: str) -> HttpResponse:
    """Start or resume a guide, and open the page of its next step."""
    return redirect(step_href(request, request.user, guides.begin(request.user, key)))


@require_POST
@signed_in
@in_sandbox
def leave(request: PersonRequest, key: str) -> HttpResponse:
    guides.leave(request.user, key)
    return redirect("trial:index")


@require_POST
@signed_in
@in_sandbox
def hide(request: PersonRequest) -> HttpResponse:
    """Stop offering guides to this person in the banner."""
    guides.hide(request.user)
    link = ("Guides", reverse("trial:index"))
    return done(request, "Banner hidden. The guides stay under Sandbox.", to=reverse("home:index"), link=link)
