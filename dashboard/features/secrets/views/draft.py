"""Prepare a change of secrets: paste text, edit rows, or type a new value."""

from uuid import UUID

from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from dashboard.features.secrets.forms import RowForm, typed_rows, typed_text, with_typed_values
from dashboard.features.secrets.rules.draft import FINDINGS_SHOWN, MAX_ROWS, Draft, Finding, Item
from dashboard.features.secrets.rules.names import SECRETS_LIMIT, is_reserved
from dashboard.features.secrets.services import secrets
from dashboard.features.secrets.services.secrets import purpose_of
from dashboard.features.secrets.views.review import read, review_address, rows_address
from dashboard.reviews import reviews
from dashboard.reviews.models import Review, State
from dashboard.tokens.access import WorkspaceRequest, with_workspace
from dashboard.web.failures.operations import sends
from dashboard.web.input.forms import STALE_STATUS, posted, status_of
from dashboard.web.pages.answers import lead, page

FINDINGS = "draft-findings"
# Values of the buttons. Fields that are checked while they are typed send none.
REVIEW, ROWS = "review", "rows"
NOTHING = Finding(1, "There is nothing to review yet.")
TOO_MANY = Finding(1, f"At most {MAX_ROWS} rows can be edited here. Shorten the text and paste it again.")
ELSEWHERE = Finding(1, "This draft was changed in another tab. Review changes shows it, with the values you typed here added.")
ADDED = Finding(1, "This draft was changed in another tab. The values you typed were added to it; other changes weren't saved.")


@require_http_methods(["GET", "POST"])
@never_cache
@with_workspace
@sends("M6", "M7")
def draft(request: WorkspaceRequest, ref: str) -> HttpResponse:
    """Paste text. It is sealed in a review before the service is called."""
    request.workspace.require("management")
    if request.method == "GET":
        return _text(request, ref)
    act, fix = request.POST.get("act", ""), request.POST.get("fix", "")
    typed = typed_text(request.POST).fixed(fix)
    if request.htmx and act not in (REVIEW, ROWS) and not fix:
        return _findings(request, ref, typed)
    if not typed.items and act != ROWS:
        return _findings(request, ref, typed, NOTHING, status=422)
    if typed.problems and request.htmx and not fix and act != ROWS:
        # With script the text is still in its field and can be corrected there.
        return _findings(request, ref, typed, status=422)
    review = reviews.create(request.workspace, purpose_of(ref), typed.payload())
    return lead(request, rows_address(ref, review) if act == ROWS else review_address(ref, review))


@require_http_methods(["GET", "POST"])
@never_cache
@with_workspace
@sends("M6")
def replacement(request: WorkspaceRequest, ref: str) -> HttpResponse:
    """Type a new value for one secret, on its row or on a page. It is sealed in a review before the service is called."""
    workspace, name = request.workspace, request.GET.get("name", "")
    workspace.require("management")
    if is_reserved(name):
        raise Http404("Reserved secrets are read-only.")
    form = RowForm(posted(request), name=name)
    if form.is_bound and form.is_valid():
        typed = Draft((Item(1, name=name, value=form.cleaned_data["value"], place="row"),), is_replacement=True)
        return lead(request, review_address(ref, reviews.create(workspace, purpose_of(ref), typed.payload())))
    row = secrets.row_of(secrets.find_secret(workspace, ref, name))
    context = {"ref": ref, "name": workspace.known_name(ref) or ref, "row": row, "form": form, "here": request.get_full_path()}
    status = status_of(form)
    return page(request, "secrets/replacement.html", context, parts={row.id: "secrets/_replacement.html"}, status=status)


@require_http_methods(["GET", "POST"])
@never_cache
@with_workspace
@sends("M6", "M7")
def rows(request: WorkspaceRequest, ref: str, review_id: UUID) -> HttpResponse:
    """Edit a draft as rows. Stored values are not shown; typing replaces them."""
    review = reviews.find(request.workspace, purpose_of(ref), review_id)
    payload = review.payload
    if review.state != State.OPEN or payload is None:
        return redirect(review_address(ref, review))
    stored = Draft.of(payload)
    if request.method == "GET":
        return _rows(request, ref, review, stored)
    act, fix = request.POST.get("act", ""), request.POST.get("fix", "")
    is_stale = request.POST.get("seen") != stored.stamp()
    typed = with_typed_values(request.POST, stored) if is_stale else typed_rows(request.POST, stored).fixed(fix)
    if request.htmx and act not in (REVIEW, ROWS) and "remove" not in request.POST:
        told, status = ([ELSEWHERE], STALE_STATUS) if is_stale else ([], 200)
        return _findings(request, ref, typed, *told, place=ROWS, status=status)
    reviews.revise(review, typed.payload())
    if is_stale:
        return _rows(request, ref, review, typed, ADDED, status=STALE_STATUS)
    if act == REVIEW and not typed.entries:
        return _rows(request, ref, review, typed, NOTHING, status=422)
    return lead(request, review_address(ref, review) if act == REVIEW or fix else rows_address(ref, review))


def _text(request: WorkspaceRequest, ref: str, *findings: Finding, status: int = 200) -> HttpResponse:
    known, name = read(request, ref)
    context = {
        **_findings_of(Draft(), *findings),
        "ref": ref,
        "name": name,
        "here": reverse("secrets:draft", args=[ref]),
        "total": len(known),
        "limit": SECRETS_LIMIT,
        "unfinished": reviews.find_unfinished(request.workspace, purpose_of(ref)),
    }
    return page(request, "secrets/draft.html", context, status=status)


def _rows(
    request: WorkspaceRequest, ref: str, review: Review, draft: Draft, *findings: Finding, status: int = 200
) -> HttpResponse:
    seen, draft = draft.stamp(), draft.in_rows()
    rows = [] if draft.is_too_long else draft.entries
    empty = 0 if draft.is_too_long else 1 if rows else 3
    context = {
        **_findings_of(draft, *findings, *([TOO_MANY] if draft.is_too_long else []), place=ROWS),
        "ref": ref,
        "name": request.workspace.project_name(ref),
        "review": review,
        "here": rows_address(ref, review),
        "rows": rows,
        "empty_rows": [Item(len(rows) + number, place="row") for number in range(1, empty + 1)],
        "seen": seen,
    }
    return page(request, "secrets/rows.html", context, status=status)


def _findings(
    request: WorkspaceRequest, ref: str, draft: Draft, *findings: Finding, place: str = "text", status: int = 200
) -> HttpResponse:
    """The findings alone; the text stays in the browser."""
    if not request.htmx:
        return _text(request, ref, *findings, status=status)
    context = {**_findings_of(draft, *findings, place=place), "ref": ref}
    response = page(request, "secrets/_findings.html", context, status=status)
    response["HX-Retarget"], response["HX-Reswap"] = f"#{FINDINGS}", "outerHTML"
    return response


def _findings_of(draft: Draft, *more: Finding, place: str = "text") -> dict[str, object]:
    found = [*more, *draft.findings]
    return {
        "findings": found[:FINDINGS_SHOWN],
        "hidden_findings": max(0, len(found) - FINDINGS_SHOWN),
        "problems": len(draft.problems),
        "fixes": draft.fixes,
        "entries": len(draft.entries),
        "place": place,
    }
