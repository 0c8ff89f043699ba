"""Search for an address in every project. The page calls no service; it loads the list, and the list loads its rows."""

from django.http import Http404, HttpResponse
from django.views.decorators.http import require_GET

from dashboard.features.network.forms import AddressForm
from dashboard.features.network.rules.addresses import read_address
from dashboard.features.network.services import search
from dashboard.features.network.views.origin import origin_of
from dashboard.interfaces.errors import Crowded, InterfaceError, SlowDown
from dashboard.interfaces.records import Record
from dashboard.tokens.access import WorkspaceRequest, with_workspace
from dashboard.tokens.project_names import project_name
from dashboard.web.answers import page
from dashboard.web.htmx import wants_part
from dashboard.web.parallel import Settled, settle

PROJECTS = "address-projects"


@require_GET
@with_workspace
def index(request: WorkspaceRequest) -> HttpResponse:
    """Show the form and, for an address, the projects: loaded by script, or with `projects` in the query."""
    form = AddressForm(request.GET if "address" in request.GET else None)
    address = form.cleaned_data["address"] if form.is_valid() else ""
    here = request.GET.copy()
    here["projects"] = "all"
    wanted = address and ("projects" in request.GET or (wants_part(request) and request.htmx.target == PROJECTS))
    context = {
        "form": form,
        "address": address,
        "own": origin_of(request),
        "projects": search.list_projects(request.workspace) if wanted else None,
        "list_url": f"{request.path}?{here.urlencode()}",
    }
    status = 422 if form.is_bound and not address else 200
    return page(request, "network/search.html", context, parts={PROJECTS: "network/_projects.html"}, status=status)


@require_GET
@with_workspace
def show(request: WorkspaceRequest, ref: str) -> HttpResponse:
    """Show the result for one project: a row for the script, else a page."""
    found = read_address(request.GET.get("address", ""))
    if found is None:
        raise Http404("This isn't an address.")
    address = str(found)
    bans, restrictions = map(_answer, settle(*search.reads(request.workspace, ref)))
    context = {
        "ref": ref,
        "name": request.GET.get("name", "") or ref if wants_part(request) else project_name(request.workspace, ref),
        "address": address,
        "result": search.result_of(address, bans, restrictions),
        "retries": isinstance(bans, SlowDown | Crowded) or isinstance(restrictions, SlowDown | Crowded),
    }
    return page(request, "network/search_result.html", context, parts={f"address-in-{ref}": "network/_search_result.html"})


def _answer(ended: Settled[Record]) -> Record | InterfaceError:
    if ended.error is not None:
        return ended.error
    if ended.value is None:
        raise AssertionError("a call ends with a value or with an error")
    return ended.value
