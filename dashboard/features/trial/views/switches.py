"""The page of switches, for owners: make the sandbox misbehave, and publish DNS records."""

from collections.abc import Callable

from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_GET, require_POST

from dashboard.features.trial.services import switches
from dashboard.features.trial.views.line import in_sandbox
from dashboard.team.access import signed_in
from dashboard.team.rights import needs
from dashboard.tokens.access import WorkspaceRequest, with_workspace
from dashboard.tokens.sandbox import SandboxError
from dashboard.web.pages import notices
from dashboard.web.pages.answers import done, page
from dashboard.web.pages.htmx import wants_part

OFF = "reset"


@require_GET
@signed_in
@in_sandbox
@with_workspace
@needs("sandbox switched")
def index(request: WorkspaceRequest) -> HttpResponse:
    """Show the switches. The DNS records load as a part, since a fault that is switched on may break reading them."""
    problem, found = "", []
    try:
        found = switches.faults(request.user)
    except SandboxError as error:
        problem = str(error)
    context = {"modes": switches.MODES, "on": switches.mode_of(found), "has_faults": bool(found), "problem": problem}
    return page(request, "trial/switches.html", context)


@require_POST
@signed_in
@in_sandbox
@with_workspace
@needs("sandbox switched")
def switch(request: WorkspaceRequest, key: str) -> HttpResponse:
    return _act(request, lambda: switches.switch(request.workspace, "" if key == OFF else key))


@require_GET
@signed_in
@in_sandbox
@with_workspace
@needs("sandbox DNS published")
def dns(request: WorkspaceRequest) -> HttpResponse:
    if not wants_part(request):
        return redirect("trial:switches")
    problem, hosts = "", []
    try:
        hosts = switches.hosts(request.workspace)
    except SandboxError as error:
        problem = str(error)
    return page(request, "trial/_dns.html", {"hosts": hosts, "problem": problem})


@require_POST
@signed_in
@in_sandbox
@with_workspace
@needs("sandbox DNS published")
def publish(request: WorkspaceRequest, ref: str) -> HttpResponse:
    return _act(request, lambda: f"DNS records of {switches.publish(request.workspace, ref)} published.")


@require_POST
@signed_in
@in_sandbox
@with_workspace
@needs("sandbox DNS removed")
def remove(request: WorkspaceRequest, ref: str) -> HttpResponse:
    return _act(request, lambda: f"DNS records of {switches.remove(request.workspace, ref)} removed.")


def _act(request: WorkspaceRequest, act: Callable[[], str]) -> HttpResponse:
    """Run the act, and return to the switches with a notice."""
    to = reverse("trial:switches")
    try:
        return done(request, act(), to=to)
    except SandboxError as error:
        notices.say(request, notices.Notice(str(error), tone="danger"))
        return redirect(to)
