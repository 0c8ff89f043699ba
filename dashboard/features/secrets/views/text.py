"""Many secrets at once: the draft as text, and as rows. Both lead to its review."""

from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods
from django_htmx.http import HttpResponseClientRedirect

from dashboard.features.secrets.forms.text import MOST_ROWS, rows_of, typed_rows, typed_text
from dashboard.features.secrets.rules.draft import MOST_SHOWN, Draft
from dashboard.features.secrets.rules.entries import Finding
from dashboard.features.secrets.rules.names import ABOUT_MOST
from dashboard.features.secrets.services import secrets
from dashboard.features.secrets.services.secrets import purpose_of
from dashboard.reviews import reviews
from dashboard.reviews.models import Review, State
from dashboard.tokens.access import WorkspaceRequest, with_workspace
from dashboard.tokens.project_names import project_name
from dashboard.web.answers import page
from dashboard.web.parallel import side_by_side

DRAFT, FINDINGS = "draft", "draft-findings"
# What buttons say: go to the review, or go on in rows. Fields that look through what is being typed say nothing.
REVIEW, ROWS = "review", "rows"
NOTHING = Finding(1, "There is nothing to review yet.")
TOO_MANY = Finding(1, f"At most {MOST_ROWS} rows can be edited here. Shorten the text and paste it again.")
ELSEWHERE = Finding(1, "This draft was changed elsewhere, perhaps in another tab, so these rows were not saved. Here it is now.")


@require_http_methods(["GET", "POST"])
@never_cache
@with_workspace
def draft(request: WorkspaceRequest, ref: str) -> HttpResponse:
    """Text to be read. What was typed is sealed in a review before the service is asked for anything."""
    request.workspace.require("management")
    if request.method == "GET":
        return _text(request, ref)
    act, fix = request.POST.get("act", ""), request.POST.get("fix", "")
    typed = typed_text(request.POST).fixed(fix)
    if request.htmx and act not in (REVIEW, ROWS) and not fix:
        return _findings(request, ref, typed)
    if not typed.pieces and act != ROWS:
        return _findings(request, ref, typed, NOTHING, status=422)
    if typed.problems and request.htmx and not fix and act != ROWS:
        # With a script the text is still there, and can be corrected where it was typed.
        return _findings(request, ref, typed, status=422)
    review = reviews.create(request.workspace, purpose_of(ref), typed.payload())
    return _go(request, _edit(ref, review) if act == ROWS else _review(ref, review))


@require_http_methods(["GET", "POST"])
@never_cache
@with_workspace
def rows(request: WorkspaceRequest, ref: str, review_id: UUID) -> HttpResponse:
    """The entries of a draft as rows. Values are not shown; what is typed replaces them."""
    review = reviews.find(request.workspace, purpose_of(ref), review_id)
    payload = review.payload
    if review.state != State.OPEN or payload is None:
        return redirect(_review(ref, review))
    stored = Draft.of(payload)
    if request.method == "GET":
        return _rows(request, ref, review, stored)
    if request.POST.get("seen") != stored.stamp():
        return _rows(request, ref, review, stored, ELSEWHERE, status=409)
    typed, act = typed_rows(request.POST, stored), request.POST.get("act", "")
    if request.htmx and act not in (REVIEW, ROWS) and "remove" not in request.POST:
        return _findings(request, ref, typed, place=ROWS)
    reviews.revise(review, typed.payload())
    if act == REVIEW and not typed.entries:
        return _rows(request, ref, review, typed, NOTHING, status=422)
    return redirect(_review(ref, review) if act == REVIEW else _edit(ref, review))


def _text(request: WorkspaceRequest, ref: str, *findings: Finding, status: int = 200) -> HttpResponse:
    workspace = request.workspace
    known, name = side_by_side(lambda: secrets.list_secrets(workspace, ref), lambda: project_name(workspace, ref))
    context = {
        **_findings_of(Draft(), *findings),
        "ref": ref,
        "name": name,
        "here": reverse("secrets:draft", args=[ref]),
        "total": len(known),
        "about_most": ABOUT_MOST,
        "unfinished": reviews.find_unfinished(workspace, purpose_of(ref)),
    }
    return page(request, "secrets/draft.html", context, parts={DRAFT: "secrets/_draft.html"}, status=status)


def _rows(
    request: WorkspaceRequest, ref: str, review: Review, draft: Draft, *findings: Finding, status: int = 200
) -> HttpResponse:
    if len(draft.entries) > MOST_ROWS:
        draft, findings = Draft(), (*findings, TOO_MANY)
    context = {
        **_findings_of(draft.in_rows(), *findings, place=ROWS),
        "ref": ref,
        "name": project_name(request.workspace, ref),
        "review": review,
        "here": _edit(ref, review),
        "review_href": _review(ref, review),
        "rows": rows_of(draft),
        "seen": draft.stamp(),
    }
    return page(request, "secrets/rows.html", context, parts={DRAFT: "secrets/_rows.html"}, status=status)


def _findings(
    request: WorkspaceRequest, ref: str, draft: Draft, *findings: Finding, place: str = "text", status: int = 200
) -> HttpResponse:
    """What is to be said about the draft, beside what stays in the browser."""
    if not request.htmx:
        return _text(request, ref, *findings, status=status)
    context = {**_findings_of(draft, *findings, place=place), "ref": ref}
    response = page(request, "secrets/_findings.html", context, status=status)
    response["HX-Retarget"], response["HX-Reswap"] = f"#{FINDINGS}", "outerHTML"
    return response


def _findings_of(draft: Draft, *more: Finding, place: str = "text") -> dict[str, object]:
    found = [*more, *draft.findings]
    return {
        "findings": found[:MOST_SHOWN],
        "unshown": max(0, len(found) - MOST_SHOWN),
        "stops": len(draft.problems),
        "fixes": draft.fixes if place != ROWS else [],
        "entries": len(draft.entries),
        "place": place,
    }


def _review(ref: str, review: Review) -> str:
    return reverse("secrets:review", args=[ref, review.pk])


def _edit(ref: str, review: Review) -> str:
    return reverse("secrets:rows", args=[ref, review.pk])


def _go(request: WorkspaceRequest, href: str) -> HttpResponse:
    return HttpResponseClientRedirect(href) if request.htmx else redirect(href)
