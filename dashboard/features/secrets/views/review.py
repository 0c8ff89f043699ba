"""The review of a draft: fix it, compare it with the project, save what is ticked, and see how that ended."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from dashboard.features.secrets.forms.text import Choice
from dashboard.features.secrets.records import UNREAD, Named, Result
from dashboard.features.secrets.rules.draft import MOST_SHOWN, Draft
from dashboard.features.secrets.rules.names import ABOUT_MOST
from dashboard.features.secrets.services import secrets
from dashboard.features.secrets.services.changes import apply, verify
from dashboard.features.secrets.services.plan import Plan, plan_of
from dashboard.features.secrets.services.secrets import purpose_of
from dashboard.interfaces.errors import Effect, InterfaceError
from dashboard.interfaces.management.secrets import Secret
from dashboard.journal.models import Outcome
from dashboard.journal.recorder import correct
from dashboard.reviews import reviews
from dashboard.reviews.models import Review, State
from dashboard.tokens.access import WorkspaceRequest, with_workspace
from dashboard.tokens.project_names import project_name
from dashboard.web.answers import done, page
from dashboard.web.parallel import side_by_side
from dashboard.web.problems import effect_of, sentence

# How long a request without an answer may still be running.
RUNS_FOR = timedelta(minutes=10)
INTERRUPTED = "Pilothouse was interrupted while it saved these secrets."
CHANGED = (
    "The secrets of this project or the draft changed since you opened this page. Nothing was saved. "
    "Below is the new comparison; whatever replaces or deletes is unticked."
)


@require_http_methods(["GET", "POST"])
@never_cache
@with_workspace
def review(request: WorkspaceRequest, ref: str, review_id: UUID) -> HttpResponse:
    """GET: the review in whatever state it is. POST: one of ACTS."""
    found = reviews.find(request.workspace, purpose_of(ref), review_id)
    if request.method == "POST":
        act = ACTS.get(request.POST.get("act", ""))
        return act(request, ref, found) if act else _again(ref, found)
    payload = found.payload
    if found.state == State.UNKNOWN:
        return _unknown(request, ref, found, payload)
    if found.state == State.OPEN and payload:
        draft = Draft.of(payload)
        return _problems(request, ref, found, draft) if draft.problems or not draft.entries else _plan(request, ref, found, draft)
    return _result(request, ref, found, Result.of(found.outcome or {}))


def _save(request: WorkspaceRequest, ref: str, review: Review) -> HttpResponse:
    """Save what is ticked. The list is read again first: if it changed, nothing is sent and the new comparison is shown."""
    payload = review.payload
    if review.state != State.OPEN or payload is None:
        return _again(ref, review)
    draft, choice = Draft.of(payload), Choice.of(request.POST)
    if draft.problems:
        return _again(ref, review)
    known, name = _read(request, ref)
    plan = plan_of(draft.values, known, draft.warnings)

    def refuse(problem: str, *, status: int = 422, wary: bool = False) -> HttpResponse:
        return _compared(request, ref, review, draft, choice.on(plan, wary=wary), name=name, problem=problem, status=status)

    if request.POST.get("seen") != draft.stamp(plan.basis):
        return refuse(CHANGED, status=409, wary=True)
    if problem := choice.problem(plan, ref):
        return refuse(problem)
    write = {line.name: draft.values[line.name] for line in plan.to_send if line.key in choice.write}
    delete = [row.name for row in plan.only if row.key in choice.delete]

    def perform() -> reviews.Outcome:
        result = apply(request.workspace, ref, write, delete, {secret.name: secret for secret in known})
        facts = {**result.facts(), "unchosen": len(plan.to_send) - len(write)}
        return reviews.Outcome(facts, is_known=result.is_known)

    try:
        reviews.apply(review, perform)
    except InterfaceError as refusal:
        if effect_of(refusal) is Effect.UNKNOWN:
            raise
        return refuse(f"{sentence(refusal)} Nothing was changed.")
    return _again(ref, review)


def _fix(request: WorkspaceRequest, ref: str, review: Review) -> HttpResponse:
    if review.state == State.OPEN and (payload := review.payload):
        reviews.revise(review, Draft.of(payload).fixed(request.POST.get("fix", "")).payload())
    return _again(ref, review)


def _discard(request: WorkspaceRequest, ref: str, review: Review) -> HttpResponse:
    if not reviews.discard(review):
        return _again(ref, review)
    return done(request, "Draft discarded. Nothing was changed.", to=reverse("secrets:index", args=[ref]))


def _reopen(_: WorkspaceRequest, ref: str, review: Review) -> HttpResponse:
    """Review again what was not applied, unless the request may still be running."""
    result = Result.of(review.outcome or {})
    if not _runs_until(review, result) and reviews.reopen(review):
        for entry in result.entries:
            correct(entry, Outcome.NOT_APPLIED)
    return _again(ref, review)


ACTS: dict[str, Callable[[WorkspaceRequest, str, Review], HttpResponse]] = {
    "save": _save,
    "fix": _fix,
    "discard": _discard,
    "reopen": _reopen,
}


def _plan(request: WorkspaceRequest, ref: str, review: Review, draft: Draft) -> HttpResponse:
    known, name = _read(request, ref)
    return _compared(request, ref, review, draft, plan_of(draft.values, known, draft.warnings), name=name)


def _compared(
    request: WorkspaceRequest,
    ref: str,
    review: Review,
    draft: Draft,
    plan: Plan,
    *,
    name: str,
    problem: str = "",
    status: int = 200,
) -> HttpResponse:
    context = {
        "ref": ref,
        "name": name,
        "review": review,
        "plan": plan,
        "seen": draft.stamp(plan.basis),
        "problem": problem,
        "over": max(0, len(plan.new) - plan.room),
        "about_most": ABOUT_MOST,
    }
    return page(request, "secrets/review.html", context, status=status)


def _problems(request: WorkspaceRequest, ref: str, review: Review, draft: Draft) -> HttpResponse:
    """What has to be fixed first. The service is asked for nothing but the project's name."""
    context = {
        "ref": ref,
        "name": project_name(request.workspace, ref),
        "review": review,
        "findings": draft.findings[:MOST_SHOWN],
        "unshown": max(0, len(draft.findings) - MOST_SHOWN),
        "stops": len(draft.problems),
        "fixes": draft.fixes,
        "entries": len(draft.entries),
    }
    return page(request, "secrets/problems.html", context)


def _unknown(request: WorkspaceRequest, ref: str, review: Review, payload: dict[str, object] | None) -> HttpResponse:
    """Read the list again, and settle the outcome where it shows that everything was applied."""
    result = Result.of(review.outcome or {})
    if payload:
        values = Draft.of(payload).values
        if not result.named:
            # Nobody wrote down what was ticked: an error of ours, or the process was killed.
            result = replace(result, failure=result.failure or INTERRUPTED, named=tuple(Named(name, UNREAD) for name in values))
        result = verify(request.workspace, ref, values, result)
        if result.is_good:
            reviews.settle(review, result.facts())
    return _result(request, ref, review, result)


def _result(request: WorkspaceRequest, ref: str, review: Review, result: Result) -> HttpResponse:
    until = _runs_until(review, result)
    context = {
        "ref": ref,
        "name": project_name(request.workspace, ref),
        "review": review,
        "result": result,
        "until": until,
        "can_reopen": review.state == State.UNKNOWN and not until and review.payload is not None,
    }
    return page(request, "secrets/result.html", context)


def _runs_until(review: Review, result: Result) -> datetime | None:
    """Until when the request may still be running on the service; None where it has ended."""
    interrupted = not (review.outcome or {}).get("named")
    if review.state != State.UNKNOWN or review.applied_at is None or not (result.may_still_run or interrupted):
        return None
    until = review.applied_at + RUNS_FOR
    return until if until > timezone.now() else None


def _read(request: WorkspaceRequest, ref: str) -> tuple[list[Secret], str]:
    """The secrets (M5) and the project's name (M1)."""
    workspace = request.workspace
    return side_by_side(lambda: secrets.list_secrets(workspace, ref), lambda: project_name(workspace, ref))


def _again(ref: str, review: Review) -> HttpResponse:
    return redirect("secrets:review", ref, review.pk)
