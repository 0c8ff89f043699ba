"""The page that compares the secrets of two projects."""

import re
from collections import Counter

from django.http import HttpResponse
from django.views.decorators.http import require_GET

from dashboard.features.secrets.rules.comparison import EQUAL, compare
from dashboard.features.secrets.services.secrets import list_secrets, name_projects, read_other
from dashboard.interfaces.errors import InterfaceError
from dashboard.tokens.access import WorkspaceRequest, require_secret_values, with_workspace
from dashboard.web.failures.problems import sentence
from dashboard.web.pages.answers import page
from dashboard.web.process.parallel import side_by_side

A_REF = re.compile(r"[a-z0-9-]{1,63}")
PART = "comparison"


@require_GET
@with_workspace
def comparison(request: WorkspaceRequest, ref: str) -> HttpResponse:
    """Show names and whether values are equal, never a value or digest."""
    workspace = request.workspace
    asked = request.GET.get("with", "").strip()
    there = asked if A_REF.fullmatch(asked) and asked != ref else ""
    if there:
        require_secret_values(request)
    names, here, other = side_by_side(
        lambda: name_projects(workspace), lambda: list_secrets(workspace, ref), lambda: read_other(workspace, there)
    )
    failure = sentence(other) if isinstance(other, InterfaceError) else ""
    states = compare(here, other) if there and not isinstance(other, InterfaceError) else {}
    wanted = request.GET.get("show") == "all"
    context = {
        "ref": ref,
        "name": names.get(ref, ref),
        "projects": [(other_ref, name) for other_ref, name in names.items() if other_ref != ref],
        "there": there,
        "there_name": names.get(there, there),
        "failure": failure,
        "rows": [(name, state) for name, state in states.items() if wanted or state != EQUAL],
        "total": len(states),
        "counts": Counter(states.values()),
        "show_all": wanted,
    }
    return page(request, "secrets/comparison.html", context, parts={PART: "secrets/_comparison.html"})
