"""Review changes of secrets, save them, and see the outcome."""

from collections.abc import Callable, Sequence
from uuid import UUID

from django.core.exceptions import ValidationError
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from dashboard.features.secrets.records import Result
from dashboard.features.secrets.rules.comparison import Plan, plan_of
from dashboard.features.secrets.rules.draft import Draft, Item
from dashboard.features.secrets.rules.names import SECRETS_LIMIT
from dashboard.features.secrets.services import secrets
from dashboard.features.secrets.services.review import apply, verify
from dashboard.features.secrets.services.secrets import purpose_of, touched
from dashboard.interfaces.management.secrets import Secret
from dashboard.jobs import review_outcome
from dashboard.jobs.resend import reviews_again
from dashboard.jobs.settlement import Wanted, runs_until
from dashboard.journal.models import Outcome
from dashboard.reviews import reviews
from dashboard.reviews.models import Review, State
from dashboard.tokens.access import WorkspaceRequest, require_secret_values, with_workspace
from dashboard.tokens.project_names import confirmation_of
from dashboard.tokens.workspace import Workspace
from dashboard.web.failures.operations import sends
from dashboard.web.input.forms import STALE, status_of
from dashboard.web.pages.answers import done, page
from dashboard.web.pages.confirm import mismatch
from dashboard.web.process.parallel import side_by_side
from dashboard.web.text import counted

CHANGED = (
    "The secrets or the draft changed since you opened this page. Nothing was saved. "
    "Below is the new comparison, with replacements and deletions unticked."
)


@require_http_methods(["GET", "POST"])
@never_cache
@with_workspace
@sends("M6", "M7")
def review(request: WorkspaceRequest, ref: str, review_id: UUID) -> HttpResponse:
    """GET: the review, or its outcome; with problems, the draft. POST: one of `ACTIONS`."""
    found = reviews.find(request.workspace, purpose_of(ref), review_id)
    if request.method == "POST":
        action = ACTIONS.get(request.POST.get("act", ""))
        return action(request, ref, found) if action else redirect(review_address(ref, found))
    payload = found.payload
    if found.state == State.UNKNOWN:
        return _unknown(request, ref, found, payload)
    if found.state != State.OPEN or not payload:
        return _result(request, ref, found, Result.of(found.outcome or {}))
    draft = Draft.of(payload)
    if draft.problems or not draft.entries:
        return redirect(rows_address(ref, found))
    require_secret_values(request)
    known, name = read(request, ref)
    return _plan(request, ref, found, draft, plan_of(draft, known), name=name)


@reviews_again("M6")
def save_anew(workspace: Workspace, ref: str, kept: Wanted, _known: Sequence[Secret]) -> str:
    """Start a review of values that could not be sent again, and return its address."""
    items = (Item(at, name=name, value=value, place="row") for at, (name, value) in enumerate(kept["secrets"].items(), 1))
    return review_address(ref, reviews.create(workspace, purpose_of(ref), Draft(tuple(items)).payload()))


@reviews_again("M7")
def delete_anew(_workspace: Workspace, ref: str, kept: Wanted, _known: Sequence[Secret]) -> str:
    """Return the address where what could not be deleted again is deleted: the form of one, or the list."""
    names = kept["names"]
    return reverse("secrets:delete", args=[ref], query={"name": names[0]}) if len(names) == 1 else _home(ref)


def _save(request: WorkspaceRequest, ref: str, review: Review) -> HttpResponse:
    """Save what is ticked. The list is read again first: if it changed, nothing is sent and the new comparison is shown."""
    payload = review.payload
    draft = Draft.of(payload) if review.state == State.OPEN and payload else None
    if draft is None or draft.problems:
        return redirect(review_address(ref, review))
    known, name = read(request, ref)
    if not reviews.is_open(review):
        return redirect(review_address(ref, review))
    plan = plan_of(draft, known).ticked([*request.POST.getlist("write"), *request.POST.getlist("delete")])
    if request.POST.get("seen") != draft.stamp(plan.basis):
        return _plan(request, ref, review, draft, plan.cautious(), name=name, problem=ValidationError(CHANGED, code=STALE))
    typed = confirmation_of(request.workspace, ref) if plan.to_delete else None
    problem = ValidationError(plan.problem) if plan.problem else mismatch(request, typed=typed, count=None, production=False)
    if problem:
        return _plan(request, ref, review, draft, plan, name=name, problem=problem)

    def perform() -> reviews.Outcome:
        write = {name: draft.values[name] for name in plan.to_save}
        result = apply(request.workspace, ref, write, plan.to_delete, {secret.name: secret for secret in known})
        kept = draft.only(result.waiting)
        rest = str(reviews.create(request.workspace, purpose_of(ref), kept.payload()).pk) if kept.items else ""
        facts = {**result.facts(), "unchosen": len(plan.to_send) - len(write), "rest": rest}
        return reviews.Outcome(facts, is_known=result.is_known)

    if problem := review_outcome.apply(review, perform):
        return _plan(request, ref, review, draft, plan, name=name, problem=problem)
    return _saved(request, ref, review)


def _saved(request: WorkspaceRequest, ref: str, review: Review) -> HttpResponse:
    """Lead to the list where all was saved, else to the outcome."""
    result = Result.of(review.outcome or {})
    if review.state == State.DONE and result.is_good and not result.waiting:
        return done(request, f"{result.title}.", to=_home(ref), link=("Details", review_address(ref, review)))
    return redirect(review_address(ref, review))


def _discard(request: WorkspaceRequest, ref: str, review: Review) -> HttpResponse:
    if not reviews.discard(review):
        return redirect(review_address(ref, review))
    return done(request, "Draft discarded. Nothing was changed.", to=_home(ref))


def _reopen(_: WorkspaceRequest, ref: str, review: Review) -> HttpResponse:
    """Review again what was not applied, unless the request may still be running."""
    if _can_reopen(review, ref):
        reviews.reopen(review)
    return redirect(review_address(ref, review))


ACTIONS: dict[str, Callable[[WorkspaceRequest, str, Review], HttpResponse]] = {
    "save": _save,
    "discard": _discard,
    "reopen": _reopen,
}


def _plan(
    request: WorkspaceRequest,
    ref: str,
    review: Review,
    draft: Draft,
    plan: Plan,
    *,
    name: str,
    problem: ValidationError | None = None,
) -> HttpResponse:
    context = {
        "ref": ref,
        "name": name,
        "review": review,
        "title": f"Review {counted(len(plan.to_send), 'change')}" if plan.to_send else "No changes",
        "plan": plan,
        "typed": confirmation_of(request.workspace, ref) if plan.only else None,
        "seen": draft.stamp(plan.basis),
        "problem": problem,
        "limit": SECRETS_LIMIT,
    }
    return page(request, "secrets/review.html", context, status=status_of(problem))


def _unknown(request: WorkspaceRequest, ref: str, review: Review, payload: dict[str, object] | None) -> HttpResponse:
    """Read the list again, and settle the outcome where it shows that everything was applied."""
    result = Result.of(review.outcome or {})
    if payload:
        result = verify(request.workspace, ref, Draft.of(payload).values, result)
        # After an interruption, the entry may be that of the first of two requests.
        if review.outcome is not None or result.is_good:
            review_outcome.conclude(review, ref, result.facts())
    return _result(request, ref, review, result)


def _result(request: WorkspaceRequest, ref: str, review: Review, result: Result) -> HttpResponse:
    entry = review_outcome.entry_of(review, ref)
    until = runs_until(ref, *_touches(review)) if review.state == State.UNKNOWN else None
    is_unknown = entry is None or entry.outcome in {Outcome.UNKNOWN, Outcome.OPEN}
    context = {
        "ref": ref,
        "name": request.workspace.project_name(ref),
        "review": review,
        "title": _title(review, result, is_unknown=is_unknown or until is not None),
        "result": result,
        "until": until,
        "as_of": entry.settled_at if entry else None,
        "is_unknown": is_unknown,
        "can_reopen": _can_reopen(review, ref),
    }
    return page(request, "secrets/outcome.html", context)


def _title(review: Review, result: Result, *, is_unknown: bool) -> str:
    match review.state:
        case State.APPLYING:
            return "Saving secrets"
        case State.OPEN | State.EXPIRED:
            return "Draft expired"
        case State.UNKNOWN if is_unknown:
            return f"Outcome unknown: {result.progress}"
        case State.UNKNOWN:
            return f"Partly applied: {result.progress}" if result.found else "Not applied"
    return result.title


def _can_reopen(review: Review, ref: str) -> bool:
    """Whether it can be reviewed again. After an interruption, the entry may be that of the first of two requests."""
    touches = _touches(review)
    if review.outcome is not None:
        return review_outcome.can_reopen(review, ref, *touches)
    return review.state == State.UNKNOWN and review.payload is not None and not review_outcome.may_run(review, ref, *touches)


def _touches(review: Review) -> list[str]:
    names = [one.name for one in Result.of(review.outcome or {}).outcomes]
    return touched(names or Draft.of(review.payload or {}).values)


def read(request: WorkspaceRequest, ref: str) -> tuple[list[Secret], str]:
    """The secrets (M5) and the project's name (M1)."""
    workspace = request.workspace
    return side_by_side(lambda: secrets.list_secrets(workspace, ref), lambda: workspace.project_name(ref))


def _home(ref: str) -> str:
    return reverse("secrets:index", args=[ref])


def review_address(ref: str, draft: Review) -> str:
    return reverse("secrets:review", args=[ref, draft.pk])


def rows_address(ref: str, draft: Review) -> str:
    return reverse("secrets:rows", args=[ref, draft.pk])
