"""All hostnames. The page calls no service; it then loads the list, and the list its rows."""

from urllib.parse import urlencode

from django.conf import settings
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_GET

from dashboard.features.hostname.forms import FleetForm
from dashboard.features.hostname.services import fleet
from dashboard.tokens.access import WorkspaceRequest, with_workspace
from dashboard.web.failures.problems import sentence
from dashboard.web.pages.answers import page
from dashboard.web.pages.htmx import wants_part

LIST = "fleet"


@require_GET
@with_workspace
def index(request: WorkspaceRequest) -> HttpResponse:
    """The frame; with `?list=now`, or for the list's own request, also all projects (M1)."""
    listed = request.GET.get("list") == "now" or (wants_part(request) and request.htmx.target == LIST)
    request.workspace.require("management")
    form = FleetForm.read(request.GET)
    groups, total = fleet.list_places(request.workspace, form.wanted) if listed else ([], 0)
    context = {
        "form": form,
        "asked": urlencode(form.kept),
        "groups": groups,
        "found": any(group.places for group in groups),
        "total": total,
        "listed": listed,
    }
    return page(request, "hostname/fleet.html", context, parts={LIST: "hostname/_list.html"})


@require_GET
@with_workspace
def row(request: WorkspaceRequest, ref: str) -> HttpResponse:
    """One row as it is now (M15 and DNS), moved to its group if that changed; none if the filter doesn't match it any more.

    Without htmx: the project's page.
    """
    if not wants_part(request):
        return redirect(reverse("hostname:index", args=[ref]))
    form = FleetForm.read(request.GET)
    place = fleet.read_place(request.workspace, ref, request.GET.get("name", ref)[:200], settings.DNS_RESOLVERS)
    context = {
        "place": place,
        "is_wanted": form.wanted.fits(place),
        "stays": place.group == request.GET.get("in"),
        "asked": urlencode(form.kept),
        "failure": sentence(place.failure) if place.failure else "",
    }
    return page(request, "hostname/_loaded.html", context)
