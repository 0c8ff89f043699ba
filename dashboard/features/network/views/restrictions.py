"""Pages of one project's restrictions: what is in force, the editor, and the test of an address."""

from time import time

from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_GET, require_POST

from dashboard.facts.addresses import read_address
from dashboard.features.network.forms import MAX_CHARACTERS, AddressForm, ListForm
from dashboard.features.network.rules.lists import RangeList, admission, difference
from dashboard.features.network.rules.ranges import read
from dashboard.features.network.services import bans, history, restrictions
from dashboard.features.network.services.restrictions import Restrictions
from dashboard.features.network.views.origin import origin_of
from dashboard.jobs.settlement import observe
from dashboard.team.rights import needs
from dashboard.tokens.access import WorkspaceRequest, with_workspace
from dashboard.web.failures.operations import sends
from dashboard.web.http.requests import read_number
from dashboard.web.pages.answers import page
from dashboard.web.pages.htmx import wants_part
from dashboard.web.process.parallel import side_by_side, try_all

# htmx stops polling on this status.
STOP_POLLING = 286
POLLING_MAX_SECONDS = 90
TESTER = "address-test"


@require_GET
@with_workspace
@sends("M25")
@needs()
def index(request: WorkspaceRequest, ref: str) -> HttpResponse:
    """Show the list, for every role. Its form leads to the review, which sends M25."""
    workspace = request.workspace
    form = AddressForm(request.GET if "address" in request.GET else None)
    address = form.cleaned_data["address"] if form.is_valid() else ""
    tester_only = wants_part(request) and request.htmx.target == TESTER
    state, name, banned = side_by_side(
        lambda: restrictions.read_restrictions(workspace, ref),
        lambda: "" if tester_only else workspace.project_name(ref),
        lambda: bans.is_banned(workspace, ref, address) if address else None,
    )
    observe(workspace, ref, state, "M25")
    tester = {"test": form, "address": address, "banned": banned, "answers": _answers(state, address)}
    status = 422 if form.is_bound and not address else 200
    if tester_only:
        return page(request, "network/_tester.html", {"ref": ref, **tester}, status=status)
    ranges = ListForm(seen=state.saved, lint_url=lint_url(ref), text=history.text_for(ref, state.saved))
    return editor(request, ref, state, name, ranges, status=status, **tester)


@require_GET
@with_workspace
def state(request: WorkspaceRequest, ref: str) -> HttpResponse:
    """Show only the state, polled while a saved list is not in force. A failure stops the polling."""
    if not request.htmx:
        return redirect("network:restrictions", ref)
    answer = try_all(lambda: restrictions.read_restrictions(request.workspace, ref))[0]
    if answer.value is None:
        return page(request, "network/_state_failed.html", {"ref": ref, "failure": answer.error}, status=STOP_POLLING)
    since = request.GET.get("since", "")
    context = _state(request, ref, answer.value, since=read_number(since) or 0)
    return page(request, "network/_state.html", context, status=200 if context["poll_url"] else STOP_POLLING)


@require_POST
@with_workspace
def lint(request: WorkspaceRequest, ref: str) -> HttpResponse:
    """Return findings on a list while it is typed. Calls no service."""
    seen = RangeList.parse(request.POST.get("seen", "")[:MAX_CHARACTERS])
    return page(request, "network/_lint.html", _lint(request, ref, request.POST.get("text", "")[:MAX_CHARACTERS], seen))


def editor(
    request: WorkspaceRequest, ref: str, state: Restrictions, name: str, form: ListForm, *, status: int = 200, **more: object
) -> HttpResponse:
    """Show the restrictions with the list that is being edited."""
    everything = request.GET.get("sets") == "all"
    context = {
        **_state(request, ref, state, since=_since(ref, state)),
        **_lint(request, ref, str(form["text"].value() or ""), state.saved),
        "name": name,
        "form": form,
        "history": history.list_applied(ref, state.saved, everything=everything),
        "everything": everything,
        "test": AddressForm(),
        "action": reverse("network:plan", args=[ref]),
        **more,
    }
    return page(request, "network/restrictions.html", context, status=status)


def lint_url(ref: str) -> str:
    return reverse("network:lint", args=[ref])


def _state(request: WorkspaceRequest, ref: str, state: Restrictions, *, since: int) -> dict[str, object]:
    """Return the state's context. `poll_url` is empty if there is nothing to wait for, or no longer."""
    waits = state.is_stored and time() - since < POLLING_MAX_SECONDS
    state_url = reverse("network:state", args=[ref])
    own = origin_of(request)
    saved, in_force = history.with_comments(ref, state.saved, state.in_force)
    return {
        "ref": ref,
        "state": state,
        "own": own,
        "now": restrictions.own_admission(state, own),
        "saved": saved,
        "in_force": in_force,
        "state_url": state_url,
        "poll_url": f"{state_url}?since={since}" if waits else "",
    }


def _since(ref: str, state: Restrictions) -> int:
    """Return when the saved list was requested, as Unix time; now if that is unknown or the list is in force."""
    requested = (state.since or history.sent_at(ref, state.saved)) if state.is_stored else None
    return int(requested.timestamp()) if requested else int(time())


def _lint(request: WorkspaceRequest, ref: str, text: str, seen: RangeList) -> dict[str, object]:
    draft = read(text, has_v6=seen.has_v6)
    wanted = RangeList.of(draft.v4, draft.v6 if seen.has_v6 else None)
    known = origin_of(request).public
    return {
        "ref": ref,
        "draft": draft,
        "wanted": wanted,
        "change": difference(seen, wanted),
        "known": known,
        "admission": admission(wanted, known),
    }


def _answers(state: Restrictions, address: str) -> list[dict[str, object]]:
    """Return what each list means for the tested address."""
    tested = read_address(address)
    if tested is None:
        return []
    if state.is_untouched:
        return [{"list": "Now", "admission": admission(RangeList.of(["0.0.0.0/0"], ["::/0"]), tested)}]
    found: list[dict[str, object]] = [{"list": "Now", "admission": admission(state.in_force, tested)}]
    if not state.is_applied:
        found.append({"list": "With the saved list", "admission": admission(state.saved, tested)})
    return found
