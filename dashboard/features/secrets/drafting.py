"""Many secrets at once: the draft as text or rows, its plan, and what came of it."""

from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from dashboard.features.secrets import services
from dashboard.features.secrets.applying import Applied, apply
from dashboard.features.secrets.draft_forms import PLAN, ROWS, TEXT, Choice, Sent, rows_of, sent_draft
from dashboard.features.secrets.drafts import Kept, keep, seal, text_of, unseal
from dashboard.features.secrets.names import ABOUT_MOST
from dashboard.features.secrets.pieces import Finding
from dashboard.features.secrets.plans import Plan, plan_of
from dashboard.interfaces.management.secrets import Secret
from dashboard.tokens.access import WorkspaceRequest, with_workspace
from dashboard.tokens.naming import project_name
from dashboard.web.answers import done, page
from dashboard.web.once import once
from dashboard.web.pool import side_by_side
from dashboard.web.problems import sentence

DESK, FINDINGS, PLAN_PLACE = "draft", "draft-findings", "draft-plan"
GONE = "The plan was kept for half an hour, which has passed. Nothing was sent. Paste the text again."
CHANGED = (
    "The secrets of this project changed since the plan was made. Nothing was sent. "
    "This is the new plan: what replaces or deletes is unticked, so look at it again."
)


@require_http_methods(["GET", "POST"])
@never_cache
@with_workspace
def draft(request: WorkspaceRequest, ref: str) -> HttpResponse:
    """GET: an empty draft. POST: the draft as sent, drawn anew, looked through, or (act=plan) compared with the service."""
    if request.method == "GET":
        known, name = _read(request, ref)
        mode = ROWS if request.GET.get("mode") == ROWS else TEXT
        return _desk(request, ref, Sent((), (), mode, ""), name=name, total=len(known))
    redrawn = request.htmx.target not in (FINDINGS, PLAN_PLACE)
    sent = sent_draft(request.POST, owner=request.user.pk, ref=ref, redrawn=redrawn)
    if sent.act == PLAN and not sent.stops:
        known, name = _read(request, ref)
        plan = plan_of(sent.values, known)
        return _plan(request, ref, plan, keep(sent.pieces, basis=plan.basis), name=name)
    name = "" if request.htmx else project_name(request.workspace, ref)
    return _desk(request, ref, sent, name=name, status=422 if sent.act == PLAN else 200)


@require_http_methods(["GET", "POST"])
@never_cache
@with_workspace
def applied(request: WorkspaceRequest, ref: str) -> HttpResponse:
    """Send what is ticked of a plan. The list is read again first: if it changed, nothing is sent and the new plan is shown."""
    if request.method == "GET":
        return redirect("secrets:draft", ref)
    kept = unseal(request.POST.get("sealed", ""), owner=request.user.pk, ref=ref)
    if kept is None:
        return _gone(request, ref)
    values = {piece.name: piece.value for piece in kept.pieces if piece.name is not None}
    known, name = _read(request, ref)
    plan, choice = plan_of(values, known), Choice.of(request.POST)
    if kept.basis != plan.basis:
        new = keep(kept.pieces, basis=plan.basis)
        return _plan(request, ref, choice.on(plan, wary=True), new, name=name, problem=CHANGED, status=409)
    if problem := choice.problem(plan, ref):
        return _plan(request, ref, choice.on(plan), kept, name=name, problem=problem, status=422)

    def act() -> HttpResponse:
        write = {line.name: values[line.name] for line in plan.to_send if line.key in choice.write}
        delete = [row.name for row in plan.only if row.key in choice.delete]
        result = apply(request.workspace, ref, write, delete, {secret.name: secret for secret in known})
        if result.refusal and not result.sent:
            problem = f"{sentence(result.refusal)} Nothing was changed."
            return _plan(request, ref, choice.on(plan), kept, name=name, problem=problem, status=422)
        return _result(request, ref, result, name=name, unchosen=len(plan.to_send) - len(write))

    return once(request, act, lambda _: done(request, "This plan was applied already.", to=reverse("secrets:index", args=[ref])))


def _read(request: WorkspaceRequest, ref: str) -> tuple[list[Secret], str]:
    """The secrets (M5) and, for a whole page, the project's name (M1)."""
    workspace = request.workspace
    if request.htmx:
        return services.list_secrets(workspace, ref), ""
    return side_by_side(lambda: services.list_secrets(workspace, ref), lambda: project_name(workspace, ref))


def _desk(
    request: WorkspaceRequest, ref: str, sent: Sent, *, name: str, total: int | None = None, status: int = 200
) -> HttpResponse:
    kept = keep(sent.pieces)
    context = {
        "ref": ref,
        "name": name,
        "total": total,
        "mode": sent.mode,
        "text": text_of(kept),
        "rows": rows_of(kept) if sent.mode == ROWS else [],
        "sealed": seal(kept, owner=request.user.pk, ref=ref) if kept.pieces else "",
        "findings": sent.shown,
        "unshown": len(sent.findings) - len(sent.shown),
        "stops": sent.stops,
        "unread": sum(bool(piece.why) for piece in sent.pieces),
        "entries": sum(piece.name is not None for piece in sent.pieces),
        "place": "Row" if sent.mode == ROWS else "Line",
        "about_most": ABOUT_MOST,
    }
    parts = {DESK: "secrets/_draft.html", FINDINGS: "secrets/_findings.html", PLAN_PLACE: "secrets/_findings.html"}
    response = page(request, "secrets/draft.html", context, parts=parts, status=status)
    if request.htmx.target == PLAN_PLACE:
        response["HX-Retarget"], response["HX-Reswap"] = f"#{FINDINGS}", "outerHTML"
    return response


def _plan(
    request: WorkspaceRequest, ref: str, plan: Plan, kept: Kept, *, name: str, problem: str = "", status: int = 200
) -> HttpResponse:
    context = {
        "ref": ref,
        "name": name,
        "plan": plan,
        "sealed": seal(kept, owner=request.user.pk, ref=ref),
        "problem": problem,
        "over": max(0, len(plan.new) - plan.room),
        "about_most": ABOUT_MOST,
    }
    return page(request, "secrets/plan.html", context, parts={PLAN_PLACE: "secrets/_plan.html"}, status=status)


def _result(request: WorkspaceRequest, ref: str, result: Applied, *, name: str, unchosen: int) -> HttpResponse:
    context = {
        "ref": ref,
        "name": name,
        "result": result,
        "unchosen": unchosen,
        "refusal": sentence(result.refusal) if result.refusal else "",
        "unread": sentence(result.unread) if result.unread else "",
    }
    response = page(request, "secrets/result.html", context, parts={PLAN_PLACE: "secrets/_result.html"})
    if request.htmx:
        # The draft goes with it: what was typed is not kept in the page any longer.
        response["HX-Retarget"], response["HX-Reswap"] = f"#{DESK}", "outerHTML"
    return response


def _gone(request: WorkspaceRequest, ref: str) -> HttpResponse:
    if request.htmx.target == PLAN_PLACE:
        return page(request, "secrets/_gone.html", {"text": GONE}, status=422)
    name = project_name(request.workspace, ref)
    return _desk(request, ref, Sent((), (Finding(1, GONE),), TEXT, ""), name=name, status=422)
