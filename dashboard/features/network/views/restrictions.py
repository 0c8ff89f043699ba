"""Pages of the restrictions of one project: what is in force, the editor, and who would get in."""

from time import time

from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_GET, require_POST

from dashboard.features.network.forms import AddressForm, ListForm
from dashboard.features.network.rules.addresses import known_address, read_address
from dashboard.features.network.rules.lists import RangeList, admission, difference
from dashboard.features.network.rules.ranges import read
from dashboard.features.network.services import bans, history
from dashboard.features.network.services import restrictions as services
from dashboard.features.network.services.restrictions import State
from dashboard.jobs.settlement import observe
from dashboard.tokens.access import WorkspaceRequest, with_workspace
from dashboard.tokens.project_names import project_name
from dashboard.web.answers import page
from dashboard.web.htmx import wants_part
from dashboard.web.parallel import settle, side_by_side
from dashboard.web.requests import client_address

# htmx takes this status for the end of a poll.
POLL_ENDS = 286
PATIENCE_SECONDS = 90
TESTER = "address-test"


@require_GET
@with_workspace
def index(request: WorkspaceRequest, ref: str) -> HttpResponse:
    workspace = request.workspace
    form = AddressForm(request.GET if "address" in request.GET else None)
    address = form.cleaned_data["address"] if form.is_valid() else ""
    alone = wants_part(request) and request.htmx.target == TESTER
    state, name, banned = side_by_side(
        lambda: services.read_restrictions(workspace, ref),
        lambda: "" if alone else project_name(workspace, ref),
        lambda: bans.is_banned(workspace, ref, address) if address else None,
    )
    observe(workspace, ref, state, "M25")
    tester = {"test": form, "address": address, "banned": banned, "answers": _answers(state, address)}
    status = 422 if form.is_bound and not address else 200
    if alone:
        return page(request, "network/_tester.html", {"ref": ref, **tester}, status=status)
    text = history.text_for(ref, state.saved)
    return editor(request, ref, state, name, list_form(ref, state, text=text), status=status, **tester)


@require_GET
@with_workspace
def state(request: WorkspaceRequest, ref: str) -> HttpResponse:
    """The state alone, asked again and again while a list is saved and not in force. A failure ends that, too."""
    if not request.htmx:
        return redirect("network:restrictions", ref)
    ended = settle(lambda: services.read_restrictions(request.workspace, ref))[0]
    if ended.value is None:
        return page(request, "network/_state_failed.html", {"ref": ref, "failure": ended.error}, status=POLL_ENDS)
    since = request.GET.get("since", "")
    context = _state(request, ref, ended.value, since=int(since) if since.isdecimal() and len(since) < 12 else 0)
    return page(request, "network/_state.html", context, status=200 if context["poll_url"] else POLL_ENDS)


@require_POST
@with_workspace
def lint(request: WorkspaceRequest, ref: str) -> HttpResponse:
    """What there is to say about a list that is being typed. Asks no service."""
    seen = RangeList.read(request.POST.get("seen", "")[:100_000])
    return page(request, "network/_lint.html", _lint(request, ref, request.POST.get("text", "")[:100_000], seen))


def list_form(ref: str, state: State, *, text: str) -> ListForm:
    """The editor's form, written from the list that the service has."""
    initial = {"text": text, "seen": state.saved.written, "fingerprint": state.saved.fingerprint}
    return ListForm(has_v6=state.saved.has_v6, lint_url=reverse("network:lint", args=[ref]), initial=initial)


def editor(
    request: WorkspaceRequest, ref: str, state: State, name: str, form: ListForm, *, status: int = 200, **more: object
) -> HttpResponse:
    """The page of the restrictions, with whatever is being written."""
    everything = request.GET.get("sets") == "all"
    context = {
        **_state(request, ref, state, since=_since(ref, state)),
        **_lint(request, ref, str(form["text"].value() or ""), state.saved),
        "name": name,
        "form": form,
        "sets": history.list_sets(ref, state.saved, everything=everything),
        "everything": everything,
        "test": AddressForm(),
        "plan_url": reverse("network:plan", args=[ref]),
        **more,
    }
    return page(request, "network/restrictions.html", context, status=status)


def _state(request: WorkspaceRequest, ref: str, state: State, *, since: int) -> dict[str, object]:
    """`poll_url` is empty where nothing is to be waited for, or no longer."""
    waits = state.is_stored and time() - since < PATIENCE_SECONDS
    saved, in_force = history.named(ref, state.saved, state.in_force)
    return {
        "ref": ref,
        "state": state,
        "you": services.you_of(state, client_address(request)),
        "saved": saved,
        "in_force": in_force,
        "poll_url": f"{reverse('network:state', args=[ref])}?since={since}" if waits else "",
        "plan_url": reverse("network:plan", args=[ref]),
    }


def _since(ref: str, state: State) -> int:
    """Since when the saved list waits, in seconds of the epoch; from now on where nobody says it, or it does not wait."""
    asked = (state.since or history.sent_at(ref, state.saved)) if state.is_stored else None
    return int(asked.timestamp()) if asked else int(time())


def _lint(request: WorkspaceRequest, ref: str, text: str, seen: RangeList) -> dict[str, object]:
    draft = read(text, has_v6=seen.has_v6)
    wanted = RangeList.made(draft.v4, draft.v6 if seen.has_v6 else None)
    known = known_address(client_address(request))
    return {
        "ref": ref,
        "draft": draft,
        "wanted": wanted,
        "change": difference(seen, wanted),
        "known": known,
        "yours": admission(wanted, known),
    }


def _answers(state: State, address: str) -> list[dict[str, object]]:
    """What each list says about the address that is tried."""
    tried = read_address(address)
    if tried is None:
        return []
    if state.untouched:
        return [{"list": "Now", "admission": admission(RangeList.made(["0.0.0.0/0"], ["::/0"]), tried)}]
    found: list[dict[str, object]] = [{"list": "Now", "admission": admission(state.in_force, tried)}]
    if not state.is_applied:
        found.append({"list": "With the saved list", "admission": admission(state.saved, tried)})
    return found
