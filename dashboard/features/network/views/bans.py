"""Pages of the bans of one project: list, label and lift."""

import json
from collections.abc import Sequence

from django.core.exceptions import ValidationError
from django.http import Http404, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_GET, require_http_methods

from dashboard.facts.addresses import read_address
from dashboard.features.network.forms import LabelForm, LiftForm
from dashboard.features.network.services import bans as bans_service
from dashboard.features.network.services.bans import Lifted
from dashboard.features.network.views.origin import origin_of
from dashboard.jobs.resend import reviews_again
from dashboard.jobs.settlement import Wanted, observe, require_settled
from dashboard.team.rights import needs
from dashboard.tokens.access import WorkspaceRequest, with_workspace
from dashboard.tokens.workspace import Workspace
from dashboard.web.failures.operations import sends
from dashboard.web.failures.problems import sentence
from dashboard.web.input.forms import posted
from dashboard.web.pages.answers import done, page, submit
from dashboard.web.pages.confirm import confirm
from dashboard.web.pages.htmx import wants_part
from dashboard.web.process.parallel import side_by_side
from dashboard.web.text import counted

LIST = "ban-list"
ADVICE = "Fix the client's password first, or it will be banned again."
SEPARATE = "Restrictions are separate, and still apply to it."
EXPIRES = "Bans expire after about 30 minutes."


@require_GET
@with_workspace
def index(request: WorkspaceRequest, ref: str) -> HttpResponse:
    workspace = request.workspace
    if wants_part(request) and request.htmx.target == LIST:
        bans = bans_service.list_bans(workspace, ref)
        observe(workspace, ref, bans, "M23")
        return page(request, "network/_bans.html", _listing(request, ref, bans))
    bans, name = side_by_side(lambda: bans_service.list_bans(workspace, ref), lambda: workspace.project_name(ref))
    observe(workspace, ref, bans, "M23")
    return page(request, "network/bans.html", {**_listing(request, ref, bans), "name": name})


@require_http_methods(["GET", "POST"])
@with_workspace
@sends("M23")
def lift(request: WorkspaceRequest, ref: str) -> HttpResponse:
    """Lift one ban (`?address=`) after a confirmation, or several by a form: the selected addresses, or a pasted list."""
    if "address" in request.GET:
        return _lift_one(request, ref, request.GET["address"])
    chosen = request.POST.getlist("address")
    form = LiftForm(request.POST) if "addresses" in request.POST else LiftForm(initial={"addresses": "\n".join(chosen)})
    sent: list[Lifted] = []

    def perform() -> Lifted:
        sent.append(bans_service.lift_bans(request.workspace, ref, form.cleaned_data["addresses"]))
        return _verified(sent[-1])

    button = f"Lift {counted(len(chosen), 'ban')}" if chosen else "Lift bans"
    context = {
        "title": "Lift bans",
        "lead": ADVICE,
        "back": _home(ref),
        "action": reverse("network:lift", args=[ref]),
        "button": button,
    }
    answer = submit(request, form, perform=perform, then=lambda lifted: _done(request, ref, lifted), context=context)
    return _refreshed(answer, sent)


@require_http_methods(["GET", "POST"])
@with_workspace
@needs("address labelled")
def label(request: WorkspaceRequest, ref: str) -> HttpResponse:
    """Label an address for the team. Calls no service."""
    address = _address(request)
    known = bans_service.labels_of([address]).get(address, "")
    form = LabelForm(posted(request), current=known)

    def then(_: None) -> HttpResponse:
        named = form.cleaned_data["label"]
        message = f"{address} labeled {named}." if named else f"Label of {address} removed."
        return done(request, message, changed="bans", to=_home(ref))

    return submit(
        request,
        form,
        perform=lambda: bans_service.label_address(address, form.cleaned_data["label"]),
        then=then,
        context={"title": f"Label {address}", "back": _home(ref), "button": "Save label"},
    )


@reviews_again("M23")
def lift_anew(_workspace: Workspace, ref: str, kept: Wanted, _bans: Sequence[str]) -> str:
    """Return the address for lifting bans that could not be sent again: the form for one, or the list."""
    addresses = kept["addresses"]
    return reverse("network:lift", args=[ref], query={"address": addresses[0]}) if len(addresses) == 1 else _home(ref)


def _lift_one(request: WorkspaceRequest, ref: str, asked: str) -> HttpResponse:
    found = read_address(asked)
    if found is None:
        raise Http404("This isn't an address.")
    address = str(found)
    if request.method == "GET":
        require_settled(request.workspace, ref, bans_service.ban_of(address))
    sent: list[Lifted] = []

    def perform() -> Lifted:
        sent.append(bans_service.lift_bans(request.workspace, ref, [address]))
        return _verified(sent[-1])

    answer = confirm(
        request,
        title=f"Lift the ban of {address}?",
        button="Lift ban",
        consequences=[ADVICE, SEPARATE, EXPIRES],
        perform=perform,
        then=lambda lifted: _done(request, ref, lifted),
        back=_home(ref),
        danger=False,
    )
    return _refreshed(answer, sent)


def _refreshed(answer: HttpResponse, sent: list[Lifted]) -> HttpResponse:
    """Make the list refresh also if the request was sent but could not be verified."""
    if sent and answer.status_code == 422:
        answer.headers["HX-Trigger"] = json.dumps({"bans:changed": True})
    return answer


def _verified(lifted: Lifted) -> Lifted:
    """Raise `ValidationError` unless reading back confirms that the bans are lifted."""
    if lifted.failure is not None:
        raise ValidationError(f"The service accepted the request, but we can't verify it. {sentence(lifted.failure)}")
    if lifted.still_banned:
        still = ", ".join(lifted.still_banned[:10])
        raise ValidationError(f"The service accepted the request, but these are still banned: {still}. {ADVICE}")
    return lifted


def _done(request: WorkspaceRequest, ref: str, lifted: Lifted) -> HttpResponse:
    banned, others = len(lifted.were_banned), len(lifted.requested) - len(lifted.were_banned)
    if len(lifted.requested) == 1:
        address = lifted.requested[0]
        message = f"Lifted the ban of {address}." if banned else f"{address} wasn't banned."
    elif not banned:
        message = f"None of these {others:,} addresses was banned."
    else:
        message = f"Lifted {counted(banned, 'ban')}."
        message += f" {counted(others, 'address', 'addresses')} {'was' if others == 1 else 'were'} not banned." if others else ""
    return done(request, message, changed="bans", to=_home(ref))


def _listing(request: WorkspaceRequest, ref: str, bans: list[str]) -> dict[str, object]:
    own = origin_of(request)
    return {
        "ref": ref,
        "rows": bans_service.with_labels(bans, own=own),
        "own": own,
        "is_banned": bans_service.is_own_banned(bans, own),
        "lift_url": reverse("network:lift", args=[ref]),
        "advice": ADVICE,
    }


def _address(request: WorkspaceRequest) -> str:
    found = read_address(request.GET.get("address", ""))
    if found is None:
        raise Http404("This isn't an address.")
    return str(found)


def _home(ref: str) -> str:
    return reverse("network:bans", args=[ref])
