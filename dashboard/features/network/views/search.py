"""One address over all projects: a frame that waits for nothing, a list, and rows that arrive by themselves."""

from django.http import Http404, HttpResponse
from django.views.decorators.http import require_GET

from dashboard.features.network.forms import AddressForm
from dashboard.features.network.rules.addresses import read_address
from dashboard.features.network.services import search as services
from dashboard.interfaces.errors import Crowded, InterfaceError, SlowDown
from dashboard.interfaces.records import Record
from dashboard.tokens.access import WorkspaceRequest, with_workspace
from dashboard.tokens.project_names import project_name
from dashboard.web.answers import page
from dashboard.web.htmx import wants_part
from dashboard.web.parallel import Settled, settle
from dashboard.web.requests import client_address

PROJECTS = "address-projects"


@require_GET
@with_workspace
def index(request: WorkspaceRequest) -> HttpResponse:
    """The form, and for an address the projects: they arrive by script, or with `projects` in the query."""
    form = AddressForm(request.GET if "address" in request.GET else None)
    address = form.cleaned_data["address"] if form.is_valid() else ""
    here = request.GET.copy()
    here["projects"] = "all"
    wanted = address and ("projects" in request.GET or (wants_part(request) and request.htmx.target == PROJECTS))
    context = {
        "form": form,
        "address": address,
        "own": client_address(request),
        "places": services.list_places(request.workspace, address) if wanted else None,
        "waiting": f"{request.path}?{here.urlencode()}",
    }
    status = 422 if form.is_bound and not address else 200
    return page(request, "network/find.html", context, parts={PROJECTS: "network/_places.html"}, status=status)


@require_GET
@with_workspace
def show(request: WorkspaceRequest, ref: str) -> HttpResponse:
    """What one project says about an address: a row by script, a page without."""
    found = read_address(request.GET.get("address", ""))
    if found is None:
        raise Http404("This is no address.")
    address = str(found)
    bans, restrictions = map(_answer, settle(*services.questions(request.workspace, ref)))
    name = request.GET.get("name", "") or ref if wants_part(request) else project_name(request.workspace, ref)
    context = {
        "place": services.place_of(ref, name, address),
        "address": address,
        "ref": ref,
        "found": services.found_of(ref, address, bans, restrictions),
        "rests": isinstance(bans, SlowDown | Crowded) or isinstance(restrictions, SlowDown | Crowded),
    }
    return page(request, "network/finding.html", context, parts={services.part_of(ref): "network/_finding.html"})


def _answer(ended: Settled[Record]) -> Record | InterfaceError:
    if ended.error is not None:
        return ended.error
    if ended.value is None:
        raise AssertionError("a call ends with a value or with an error")
    return ended.value
