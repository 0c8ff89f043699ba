"""Pages of the bans of one project."""

import json

from django.core.exceptions import ValidationError
from django.http import Http404, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_GET, require_http_methods

from dashboard.features.network.forms import LabelForm, LiftForm
from dashboard.features.network.rules.addresses import read_address
from dashboard.features.network.services import bans as services
from dashboard.features.network.services.bans import Lifted
from dashboard.jobs.settlement import observe, require_settled
from dashboard.tokens.access import WorkspaceRequest, with_workspace
from dashboard.tokens.project_names import project_name
from dashboard.web.answers import done, page, submit
from dashboard.web.confirm import confirm
from dashboard.web.htmx import wants_part
from dashboard.web.parallel import side_by_side
from dashboard.web.problems import sentence
from dashboard.web.requests import client_address

LIST = "ban-list"
AGAIN = "A client that keeps a wrong password is banned again at once: mend its stored password first."
UNTIL = "Without this a ban ends by itself after about 30 minutes."


@require_GET
@with_workspace
def index(request: WorkspaceRequest, ref: str) -> HttpResponse:
    workspace = request.workspace
    if wants_part(request) and request.htmx.target == LIST:
        bans = services.list_bans(workspace, ref)
        observe(workspace, ref, bans, "M23")
        return page(request, "network/_bans.html", _listing(request, ref, bans))
    bans, name = side_by_side(lambda: services.list_bans(workspace, ref), lambda: project_name(workspace, ref))
    observe(workspace, ref, bans, "M23")
    return page(request, "network/bans.html", {**_listing(request, ref, bans), "name": name, "again": AGAIN})


@require_http_methods(["GET", "POST"])
@with_workspace
def lift(request: WorkspaceRequest, ref: str) -> HttpResponse:
    """One ban (`?address=`): a question. Several, or a pasted list: a form, filled with what was selected."""
    if "address" in request.GET:
        return _lift_one(request, ref, request.GET["address"])
    chosen = request.POST.getlist("address")
    form = LiftForm(request.POST) if "addresses" in request.POST else LiftForm(initial={"addresses": "\n".join(chosen)})
    sent: list[Lifted] = []

    def perform() -> Lifted:
        sent.append(services.lift_bans(request.workspace, ref, form.cleaned_data["addresses"]))
        return _checked(sent[-1])

    count = f"{len(chosen)} ban{'' if len(chosen) == 1 else 's'}" if chosen else "these bans"
    context = {
        "title": "Lift bans",
        "lead": AGAIN,
        "back": _home(ref),
        "action": reverse("network:lift", args=[ref]),
        "button": f"Lift {count}",
    }
    answer = submit(
        request, form, "network/_lift.html", perform=perform, then=lambda lifted: _told(request, ref, lifted), context=context
    )
    if sent and answer.status_code == 422:
        answer.headers["HX-Trigger"] = json.dumps({"bans:changed": True})
    return answer


@require_http_methods(["GET", "POST"])
@with_workspace
def label(request: WorkspaceRequest, ref: str) -> HttpResponse:
    """What the team calls an address. Asks no service."""
    address = _address(request)
    known = services.labels_of([address]).get(address, "")
    form = LabelForm(request.POST if request.method == "POST" else None, initial={"label": known})

    def then(_: None) -> HttpResponse:
        named = form.cleaned_data["label"]
        message = f"{address} is now called {named}." if named else f"{address} has no label any more."
        return done(request, message, changed="bans", to=_home(ref))

    return submit(
        request,
        form,
        "network/_label.html",
        perform=lambda: services.label_address(address, form.cleaned_data["label"]),
        then=then,
        context={"title": f"Label of {address}", "back": _home(ref)},
    )


def _lift_one(request: WorkspaceRequest, ref: str, asked: str) -> HttpResponse:
    found = read_address(asked)
    if found is None:
        raise Http404("This is no address.")
    address = str(found)
    require_settled(request.workspace, ref, services.ban_of(address))
    sent: list[Lifted] = []

    def perform() -> Lifted:
        sent.append(services.lift_bans(request.workspace, ref, [address]))
        return _checked(sent[-1])

    answer = confirm(
        request,
        title=f"Lift the ban of {address}?",
        button=f"Lift the ban of {address}",
        consequences=[f"{address} can try to connect to the database again.", AGAIN, UNTIL],
        perform=perform,
        then=lambda lifted: _told(request, ref, lifted),
        back=_home(ref),
        danger=False,
    )
    if sent and answer.status_code == 422:
        answer.headers["HX-Trigger"] = json.dumps({"bans:changed": True})
    return answer


def _checked(lifted: Lifted) -> Lifted:
    """Raises `ValidationError` where reading back did not confirm it."""
    if lifted.failure is not None:
        raise ValidationError(
            f"The service took the request, but the bans could not be read back: nothing is confirmed. {sentence(lifted.failure)}"
        )
    if lifted.still_banned:
        still = ", ".join(lifted.still_banned[:10])
        raise ValidationError(
            f"The service took the request, and these are still banned, or banned again already: {still}. {AGAIN}"
        )
    return lifted


def _told(request: WorkspaceRequest, ref: str, lifted: Lifted) -> HttpResponse:
    were, more = len(lifted.were_banned), len(lifted.asked) - len(lifted.were_banned)
    if len(lifted.asked) == 1:
        message = f"{lifted.asked[0]} is not banned any more." if were else f"{lifted.asked[0]} was not banned, and is not."
    else:
        message = f"{were} ban{'' if were == 1 else 's'} lifted, none of them is in the list any more."
        if more:
            message = f"{message} {more} of the addresses {'was' if more == 1 else 'were'} not banned."
    return done(request, message, changed="bans", to=_home(ref))


def _listing(request: WorkspaceRequest, ref: str, bans: list[str]) -> dict[str, object]:
    yours = services.yours(bans, client_address(request))
    return {
        "ref": ref,
        "rows": services.rows_of(ref, bans, own=yours.address if yours.banned else ""),
        "yours": yours,
        "here": request.get_full_path(),
        "lift_url": reverse("network:lift", args=[ref]),
    }


def _address(request: WorkspaceRequest) -> str:
    found = read_address(request.GET.get("address", ""))
    if found is None:
        raise Http404("This is no address.")
    return str(found)


def _home(ref: str) -> str:
    return reverse("network:bans", args=[ref])
