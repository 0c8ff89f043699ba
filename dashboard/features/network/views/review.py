"""The plan of a list: what changes, what it does to you; and sending it."""

from collections.abc import Mapping
from types import MappingProxyType

from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from dashboard.features.network.forms import ListForm
from dashboard.features.network.rules.lists import Difference, RangeList, difference
from dashboard.features.network.rules.ranges import read
from dashboard.features.network.services import history, review
from dashboard.features.network.services.restrictions import State, read_restrictions
from dashboard.features.network.services.review import Outcome, Plan
from dashboard.features.network.views.restrictions import editor, list_form
from dashboard.jobs.settlement import is_being_checked, observe
from dashboard.jobs.unsettled import Unsettled
from dashboard.tokens.access import WorkspaceRequest, with_workspace
from dashboard.tokens.project_names import project_name
from dashboard.web import notices
from dashboard.web.answers import REFUSALS, done, page, repeat
from dashboard.web.confirm import UNTICKED, on_production
from dashboard.web.idempotency import once
from dashboard.web.parallel import side_by_side
from dashboard.web.places import draft_view
from dashboard.web.problems import sentence
from dashboard.web.requests import client_address

CHANGED = (
    "The list on the service changed since this plan was made. Nothing was sent; the plan below is made from the list of now."
)


@require_http_methods(["GET", "POST"])
@with_workspace
@draft_view
def plan(request: WorkspaceRequest, ref: str) -> HttpResponse:
    """POST plans the text of the editor; GET the saved list, the one in force, or a kept one (`?of=`)."""
    workspace = request.workspace
    if request.method == "GET" and "of" not in request.GET:
        return redirect("network:restrictions", ref)
    state, name = side_by_side(lambda: read_restrictions(workspace, ref), lambda: project_name(workspace, ref))
    observe(workspace, ref, state, "M25")
    if request.method == "GET":
        text = _text_of(ref, state, request.GET["of"])
        form = list_form(ref, state, text=text)
        draft = read(text, has_v6=state.saved.has_v6)
        if state.is_disallowed or not draft.can_be_sent:
            return editor(request, ref, state, name, form, status=422)
        return _planned(request, ref, name, review.plan_of(ref, state, draft, client_address(request)))
    form = _posted(request, ref, state)
    if not form.is_valid() or form.draft is None or state.is_disallowed or "edit" in request.POST:
        return editor(request, ref, state, name, form, status=200 if "edit" in request.POST else 422)
    made = review.plan_of(ref, state, form.draft, client_address(request))
    return _planned(request, ref, name, made, moved=_moved(form, state))


@require_http_methods(["GET", "POST"])
@with_workspace
@draft_view
def apply(request: WorkspaceRequest, ref: str) -> HttpResponse:
    """Send the list of a plan. The restrictions are read anew first; a GET, from a card that looks again, leads to them."""
    if request.method == "GET":
        return redirect("network:restrictions", ref)
    return once(request, lambda: _apply(request, ref), lambda outcome: repeat(request, outcome))


def _apply(request: WorkspaceRequest, ref: str) -> HttpResponse:
    workspace = request.workspace
    state = read_restrictions(workspace, ref)
    form = _posted(request, ref, state)
    if not form.is_valid() or form.draft is None or state.is_disallowed:
        return editor(request, ref, state, project_name(workspace, ref), form, status=422)
    made = review.plan_of(ref, state, form.draft, client_address(request))

    def refuse(problem: str, at: str = "top") -> HttpResponse:
        moved = _moved(form, state)
        return _planned(request, ref, project_name(workspace, ref), made, moved=moved, problems={at: problem}, status=422)

    if form.cleaned_data["fingerprint"] != state.saved.fingerprint:
        return refuse(CHANGED)
    if made.is_nothing:
        history.keep_text(ref, made.draft.text)
        return done(request, "Comments and order are kept. Nothing was sent.", to=_home(ref))
    if missing := _missing(request, ref, made):
        return refuse(*missing)
    try:
        return _told(request, ref, review.apply_list(workspace, ref, made))
    except Unsettled as waiting:
        problem = str(waiting)
    except REFUSALS as refusal:
        problem = sentence(refusal)
    return refuse(problem)


def _missing(request: WorkspaceRequest, ref: str, made: Plan) -> tuple[str, str] | None:
    """What has to be typed or ticked first, and where; None where nothing is left to ask."""
    if made.consent and request.POST.get("typed", "") != ref:
        return f"Type {ref} to go on. Nothing was sent.", "consent"
    if on_production(request) and not request.POST.get("production"):
        return UNTICKED, "production"
    return None


def _told(request: WorkspaceRequest, ref: str, outcome: Outcome) -> HttpResponse:
    if not outcome.as_sent:
        text = "The service took the list, but answered with another one than was sent. Compare before you go on."
        notices.say(request, notices.Notice(text, tone="danger"))
    if outcome.state.is_applied:
        return done(request, f"The list is in force. {outcome.state.sentence}", to=_home(ref))
    return done(request, "The list is saved. The service puts it in force now.", to=_home(ref))


def _planned(
    request: WorkspaceRequest,
    ref: str,
    name: str,
    made: Plan,
    *,
    moved: Difference | None = None,
    problems: Mapping[str, str] = MappingProxyType({}),
    status: int = 200,
) -> HttpResponse:
    """The page of a plan. `moved`: what somebody else changed since the text was begun. `problems`: by their place."""
    context = {
        "ref": ref,
        "name": name,
        "plan": made,
        "moved": moved,
        "problems": problems,
        "checking": is_being_checked(ref, review.TARGET),
        "production": on_production(request),
        "typed_now": request.POST.get("typed", ""),
        "comments_changed": history.comments_changed(ref, made.draft, made.state.saved),
        "plan_url": reverse("network:plan", args=[ref]),
        "apply_url": reverse("network:apply", args=[ref]),
        "back": _home(ref),
    }
    return page(request, "network/plan.html", context, status=status)


def _posted(request: WorkspaceRequest, ref: str, state: State) -> ListForm:
    return ListForm(request.POST, has_v6=state.saved.has_v6, lint_url=reverse("network:lint", args=[ref]))


def _moved(form: ListForm, state: State) -> Difference | None:
    """What became of the service's list since the form was shown; None where it is the same."""
    if form.cleaned_data["fingerprint"] in ("", state.saved.fingerprint):
        return None
    return difference(RangeList.read(form.cleaned_data["seen"]), state.saved)


def _text_of(ref: str, state: State, asked: str) -> str:
    """The text to plan; raises Http404 for a list that is not kept."""
    if asked == "saved":
        return history.text_for(ref, state.saved)
    if asked == "in-force" and state.in_force is not None:
        return history.text_for(ref, state.in_force)
    return history.text_of_set(ref, asked)


def _home(ref: str) -> str:
    return reverse("network:restrictions", args=[ref])
