"""Review a list before it is applied: what changes, and whether you keep your access."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.core.exceptions import ValidationError
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from dashboard.features.network.forms import ListForm
from dashboard.features.network.rules.lists import RangeList, difference
from dashboard.features.network.rules.ranges import read
from dashboard.features.network.services import history, restrictions
from dashboard.features.network.services.restrictions import TARGET, Plan, Restrictions, read_restrictions
from dashboard.features.network.views.origin import origin_of
from dashboard.features.network.views.restrictions import editor, lint_url
from dashboard.jobs import review_outcome
from dashboard.jobs.resend import reviews_again
from dashboard.jobs.settlement import Wanted, is_being_checked, observe, runs_until
from dashboard.reviews import reviews
from dashboard.reviews.models import Review, State
from dashboard.tokens.access import WorkspaceRequest, with_workspace
from dashboard.tokens.project_names import confirmation_of
from dashboard.tokens.workspace import Workspace
from dashboard.web.failures.operations import sends
from dashboard.web.http.requests import read_number
from dashboard.web.input.forms import STALE, status_of
from dashboard.web.pages import notices
from dashboard.web.pages.answers import done, lead, page
from dashboard.web.pages.confirm import mismatch, on_production
from dashboard.web.pages.places import draft_view
from dashboard.web.process.parallel import side_by_side

CHANGED = "The list on the service changed since you opened this review. Nothing was sent. Below is the new comparison."
NOT_APPLIED = "The list was not applied: the service still has another one."
EXPIRED = "This review has expired. Nothing was sent."


@require_http_methods(["GET", "POST"])
@with_workspace
@draft_view
@sends("M25")
def plan(request: WorkspaceRequest, ref: str) -> HttpResponse:
    """Start a review of the typed text or, with `of`, of a saved list: the latest, the one in force, or one from the history."""
    if request.method == "GET":
        return redirect("network:restrictions", ref)
    state, name = _read(request, ref)
    of = request.POST.get("of")
    form = _form(ref, state, request.POST if of is None else {"text": _text_of(ref, state, of), "seen": state.saved.line})
    if not form.is_valid() or state.is_disallowed:
        return editor(request, ref, state, name, form, status=422)
    review = reviews.create(request.workspace, _purpose(ref), _payload(form, state))
    return lead(request, reverse("network:review", args=[ref, review.pk]))


@require_http_methods(["GET", "POST"])
@never_cache
@with_workspace
@sends("M25")
def edit(request: WorkspaceRequest, ref: str, review_id: UUID) -> HttpResponse:
    """Change the list in a review."""
    review = reviews.find(request.workspace, _purpose(ref), review_id)
    payload = review.payload
    if review.state != State.OPEN or payload is None:
        return redirect("network:review", ref, review.pk)
    state, name = _read(request, ref)
    form = _form(ref, state, request.POST if request.method == "POST" else payload)
    if request.method == "POST" and form.is_valid() and not state.is_disallowed:
        reviews.revise(review, _payload(form, state))
        return lead(request, reverse("network:review", args=[ref, review.pk]))
    action, status = reverse("network:edit", args=[ref, review.pk]), 422 if request.method == "POST" else 200
    return editor(request, ref, state, name, form, status=status, action=action)


@require_http_methods(["GET", "POST"])
@never_cache
@with_workspace
@sends("M25")
def review(request: WorkspaceRequest, ref: str, review_id: UUID) -> HttpResponse:
    """GET: show what applying the list would change. POST: apply it. A finished review redirects to the restrictions."""
    found = reviews.find(request.workspace, _purpose(ref), review_id)
    payload = found.payload
    if payload is None:
        if found.state != State.DONE:
            notices.say(request, notices.Notice(EXPIRED, tone="info"))
        return redirect("network:restrictions", ref)
    state, name = _read(request, ref)
    draft = read(payload["text"], has_v6=state.saved.has_v6)
    if found.state == State.OPEN and (state.is_disallowed or not draft.can_be_sent):
        return redirect("network:edit", ref, found.pk)
    shown = _Shown(ref, name, found, restrictions.plan_draft(ref, state, draft, origin_of(request)), payload["seen"])
    if request.method == "POST":
        return _apply(request, shown)
    if review_outcome.conclude(found, ref):
        return redirect("network:restrictions", ref)
    reopened = review_outcome.reopen(found, ref, TARGET)
    return shown.answer(request, problem=ValidationError(NOT_APPLIED) if reopened else None)


@reviews_again("M25")
def apply_anew(workspace: Workspace, ref: str, kept: Wanted, state: Restrictions) -> str:
    """Start a new review of a list that could not be sent again, and return its address."""
    review = reviews.create(workspace, _purpose(ref), {"text": kept["text"], "seen": state.saved.line})
    return reverse("network:review", args=[ref, review.pk])


@dataclass(frozen=True, slots=True)
class _Shown:
    """A review and its plan. `seen` is the service's list when the draft was begun."""

    ref: str
    name: str
    review: Review
    plan: Plan
    seen: str

    @property
    def running_until(self) -> datetime | None:
        """Until when a request without an answer may still be carried out; None if it can't be any more."""
        return None if self.review.state == State.OPEN else runs_until(self.ref, TARGET)

    def typed(self, request: WorkspaceRequest) -> str | None:
        """Return what must be typed to apply it; None for a list that locks nobody out."""
        return confirmation_of(request.workspace, self.ref) if self.plan.consent else None

    def answer(self, request: WorkspaceRequest, *, problem: ValidationError | None = None) -> HttpResponse:
        saved = self.plan.state.saved
        changed = RangeList.parse(self.seen).fingerprint != saved.fingerprint
        context = {
            "ref": self.ref,
            "name": self.name,
            "review": self.review,
            "plan": self.plan,
            "changed_since": difference(RangeList.parse(self.seen), saved) if changed else None,
            "problem": problem,
            "running_until": self.running_until,
            "checking": is_being_checked(self.ref, TARGET),
            "production": on_production(request) and not self.plan.is_nothing,
            "typed": self.typed(request),
            "typed_now": request.POST.get("typed", ""),
            "comments_changed": history.has_new_comments(self.ref, self.plan.draft, saved),
        }
        return page(request, "network/review.html", context, status=status_of(problem) if request.method == "POST" else 200)


def _apply(request: WorkspaceRequest, shown: _Shown) -> HttpResponse:
    """Apply the plan once. It comes from a fresh read: if that differs from the page, nothing is sent."""
    ref, plan = shown.ref, shown.plan
    if not reviews.is_open(shown.review):
        return redirect("network:review", ref, shown.review.pk)
    if request.POST.get("seen") != plan.state.saved.fingerprint:
        return shown.answer(request, problem=ValidationError(CHANGED, code=STALE))
    production = on_production(request) and not plan.is_nothing
    if problem := mismatch(request, typed=shown.typed(request), count=None, production=production):
        return shown.answer(request, problem=problem)
    if problem := review_outcome.apply(shown.review, lambda: reviews.Outcome(_send(request, ref, plan))):
        return shown.answer(request, problem=problem)
    if shown.review.state == State.UNKNOWN:
        return redirect("network:review", ref, shown.review.pk)
    outcome = shown.review.outcome or {"message": "This list was applied already.", "tone": "info"}
    return done(request, outcome["message"], to=reverse("network:restrictions", args=[ref]), tone=outcome["tone"])


def _send(request: WorkspaceRequest, ref: str, plan: Plan) -> dict[str, str]:
    """Apply the plan and return the message for the person."""
    if plan.is_nothing:
        history.save_text(ref, plan.draft.text)
        return {"message": "Comments saved. Nothing was sent.", "tone": "good"}
    state = restrictions.apply_plan(request.workspace, ref, plan)
    if state.saved.fingerprint != plan.wanted.fingerprint:
        message = "The service accepted the list, but returned a different one. Compare them before you go on."
        return {"message": message, "tone": "danger"}
    if state.is_applied:
        return {"message": f"The list is in force. {state.summary}", "tone": "good"}
    return {"message": "The list is saved. The service is putting it in force.", "tone": "good"}


def _read(request: WorkspaceRequest, ref: str) -> tuple[Restrictions, str]:
    """Return the restrictions (M24) and the project's name (M1)."""
    workspace = request.workspace
    state, name = side_by_side(lambda: read_restrictions(workspace, ref), lambda: workspace.project_name(ref))
    observe(workspace, ref, state, "M25")
    return state, name


def _form(ref: str, state: Restrictions, data: Mapping[str, Any]) -> ListForm:
    return ListForm(data, seen=state.saved, lint_url=lint_url(ref))


def _payload(form: ListForm, state: Restrictions) -> dict[str, str]:
    return {"text": form.cleaned_data["text"], "seen": form.cleaned_data["seen"] or state.saved.line}


def _text_of(ref: str, state: Restrictions, of: str) -> str:
    """Return the text to review. Raises `Http404` for a list that is not in the history."""
    if of == "saved":
        return history.text_for(ref, state.saved)
    if of == "in-force" and state.in_force is not None:
        return history.text_for(ref, state.in_force)
    return history.text_of_applied(ref, read_number(of) or 0)


def _purpose(ref: str) -> str:
    return f"restrictions of {ref}"
