"""The list of functions."""

from collections.abc import Sequence

from django.http import HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_GET

from dashboard.features.functions.services import functions as functions_service
from dashboard.features.functions.services.functions import Filter
from dashboard.interfaces.management.functions import Function
from dashboard.tokens.access import WorkspaceRequest, with_workspace
from dashboard.tokens.project_names import project_name
from dashboard.web.answers import page
from dashboard.web.parallel import side_by_side

LIST = "function-list"


@require_GET
@with_workspace
def index(request: WorkspaceRequest, ref: str) -> HttpResponse:
    workspace = request.workspace
    if request.htmx.target == LIST:
        return page(request, "functions/_list.html", _listing(request, ref, functions_service.list_functions(workspace, ref)))
    workspace.require("management")
    functions, name = side_by_side(lambda: functions_service.list_functions(workspace, ref), lambda: project_name(workspace, ref))
    return page(request, "functions/index.html", {**_listing(request, ref, functions), "name": name})


def _listing(request: WorkspaceRequest, ref: str, functions: Sequence[Function]) -> dict[str, object]:
    asked = Filter.read(request.GET)
    home = reverse("functions:index", args=[ref])
    return {
        "ref": ref,
        "rows": functions_service.rows_of(functions, ref, asked),
        "total": len(functions),
        "unprotected": functions_service.count_unprotected(functions),
        "forgotten": functions_service.forgotten_of(request.workspace, ref, {function.slug for function in functions}),
        "asked": asked,
        "sort": request.GET.get("sort", ""),
        "here": request.get_full_path(),
        "home": home,
        "new_url": reverse("functions:new", args=[ref]),
    }
