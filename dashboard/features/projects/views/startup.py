"""Wait for a project that was asked for: confirmed and coming up, or not confirmed and to be looked for."""

from django.http import Http404, HttpResponse, QueryDict
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_GET

from dashboard.features.projects.rules.regions import region_name
from dashboard.features.projects.services import startup
from dashboard.tokens import spaces
from dashboard.tokens.access import WorkspaceRequest, with_workspace
from dashboard.web.answers import page

MOST = 9_999


@require_GET
@with_workspace
def arrival(request: WorkspaceRequest, ref: str) -> HttpResponse:
    """How far a new project is; the line asks for itself until it is healthy."""
    workspace = request.workspace
    context = {
        "ref": ref,
        "arrival": startup.follow(workspace, ref, look=_number(request.GET, "look")),
        "needs_key": spaces.can_be(ref) and not workspace.has("storage", ref),
    }
    return page(request, "projects/arrival.html", context, parts={"project-arrival": "projects/_arrival.html"})


@require_GET
@with_workspace
def search(request: WorkspaceRequest) -> HttpResponse:
    """Has a project appeared whose creation was not confirmed?"""
    asked = request.GET
    name, organization = asked.get("name", ""), asked.get("organization", "")
    if not name or not organization:
        raise Http404("Nothing was said of what to look for.")
    found = startup.look_for(
        request.workspace,
        name=name,
        organization_id=organization,
        known=asked.get("known", "").split(","),
        looks=_number(asked, "looks"),
        tries=_number(asked, "tries"),
    )
    query = asked.copy()
    query["looks"], query["tries"] = str(found.looks), str(found.tries)
    wish = {key: asked[key] for key in ("name", "organization", "region", "plan") if key in asked}
    context = {
        "name": name,
        "region": region_name(asked.get("region", "")) or asked.get("region", ""),
        "search": found,
        "next": f"{request.path}?{query.urlencode()}",
        "again": f"{reverse('projects:new')}?{urlencode(wish)}",
    }
    return page(request, "projects/search.html", context, parts={"project-search": "projects/_search.html"})


def _number(query: QueryDict, name: str) -> int:
    given = query.get(name, "")
    return min(int(given), MOST) if given.isdecimal() and given.isascii() and len(given) < 7 else 0
