"""Pages about writes whose answer was lost: the outcome of one, sending it again, and the strip of those being checked."""

import json
from collections.abc import Iterable

from django.db.models import QuerySet
from django.http import Http404, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods

from dashboard.interfaces.errors import InterfaceError
from dashboard.interfaces.operations import WRITES
from dashboard.jobs import resend, settlement
from dashboard.jobs.resend import Resent
from dashboard.jobs.settlement_queue import operations, rule_of
from dashboard.jobs.unsettled import MOST_SEEN, may_resend, outcome_of, resend_url, strip_of
from dashboard.journal.models import Entry, Outcome
from dashboard.team.access import PersonRequest, signed_in
from dashboard.team.gate import fresh_sign_in
from dashboard.team.rights import needs, require
from dashboard.tokens.access import WorkspaceRequest, with_workspace
from dashboard.web.failures.operations import words
from dashboard.web.failures.problems import said
from dashboard.web.http.requests import read_number
from dashboard.web.pages import notices
from dashboard.web.pages.answers import dialog, done, page
from dashboard.web.pages.confirm import confirm
from dashboard.web.pages.errors import OUTCOME_CHANGED
from dashboard.web.pages.pagination import part_of
from dashboard.web.pages.places import known_name


@require_GET
@with_workspace
def outcome(request: WorkspaceRequest, entry_id: int) -> HttpResponse:
    """Check a write now, and show its outcome if known."""
    entry = _find(request, entry_id)
    failure = ""
    try:
        settlement.check_now(request.workspace, entry)
    except InterfaceError as error:
        failure = said(error)
    entry.refresh_from_db()
    context = {
        "title": "Outcome of your request",
        "lead": f"{'You' if entry.person_id == request.user.pk else entry.person} asked to {words(entry.operation)}.",
        "entry": entry,
        "failure": failure,
        "resend": resend_url(entry) if may_resend(entry) else "",
        "is_mine": entry.person_id == request.user.pk,
        "back": reverse("journal:show", args=[entry.pk]) if entry.person_id == request.user.pk else reverse("jobs:doubts"),
    }
    response = dialog(request, "jobs/_outcome.html", context)
    if entry.outcome != Outcome.UNKNOWN:
        response["HX-Trigger"] = json.dumps({OUTCOME_CHANGED: True} | _changes([entry]))
    return response


@require_http_methods(["GET", "POST"])
@never_cache
@with_workspace
@needs()
def again(request: WorkspaceRequest, entry_id: int, ref: str) -> HttpResponseBase:
    """Send a write in doubt again. `ref` names its project, whose production mark counts."""
    entry = _find(request, entry_id)
    if entry.place != ref:
        raise Http404("There is no such write at this project.")
    require(request.user, entry.operation)
    how = rule_of(entry.operation).resend
    if how is None:
        raise Http404("This can't be sent again.")
    if request.method == "GET" and not may_resend(entry):
        return redirect("jobs:outcome", entry.pk)
    return (fresh_sign_in(_ask) if how.is_gated else _ask)(request, entry)


@require_GET
@signed_in
def unsettled(request: PersonRequest) -> HttpResponse:
    """Refresh the strip, with notices and refreshed lists for writes settled since it was shown."""
    strip = strip_of(request.user.pk)
    seen = filter(None, map(read_number, request.GET.get("seen", "").split(",")[:MOST_SEEN]))
    settled = list(_mine(request).filter(pk__in=seen).exclude(outcome=Outcome.UNKNOWN))
    response = page(request, "jobs/_unsettled.html", {"unsettled": strip})
    for entry in settled:
        tone = {Outcome.DONE: "good", Outcome.PARTLY: "attention"}.get(Outcome(entry.outcome), "danger")
        response.write(notices.fragment(request, notices.Notice(outcome_of(entry), tone=tone)))
    if settled:
        response["HX-Trigger"] = json.dumps(_changes(settled))
    return response


@require_GET
@signed_in
def doubts(request: PersonRequest) -> HttpResponse:
    """Show all of the person's changes that are being checked."""
    found = strip_of(request.user.pk).rows
    shown = part_of(request, found)
    rows = [(row, known_name(request, row.place) or row.place) for row in shown.rows]
    context = {"rows": rows, "page": shown, "total": len(found)}
    return page(request, "jobs/doubts.html", context, parts={"doubts": "jobs/_doubts.html"})


def _ask(request: WorkspaceRequest, entry: Entry) -> HttpResponse:
    return confirm(
        request,
        title="Send it again?",
        button="Send again",
        items=[" ".join(filter(None, (words(entry.operation).capitalize(), entry.target and f"({entry.target})")))],
        consequences=[
            "It is sent only if the state is still the one before the first request.",
            "The first request may still be carried out. Both do the same.",
        ],
        perform=lambda: resend.send_again(request.workspace, entry),
        then=lambda sent: _resent(request, entry, sent),
        back=reverse("jobs:doubts"),
    )


def _resent(request: WorkspaceRequest, entry: Entry, sent: Resent) -> HttpResponse:
    target = entry.target or words(entry.operation)
    if sent.review:
        return done(request, f"{resend.CHANGED} Review it again.", to=sent.review, tone="info")
    if not sent.is_sent:
        message, tone = f"Verified: {target}. It was done already, so nothing was sent.", "good"
    elif sent.is_shown is None:
        message, tone = f"Sent again and accepted: {target}. It couldn't be verified.", "info"
    elif sent.is_shown:
        message, tone = f"Sent again and verified: {target}.", "good"
    else:
        message, tone = f"{target}: {resend.NOT_SHOWN}", "danger"
    changed = [thing for thing in ("outcome", WRITES[entry.operation].settlement.changes) if thing]
    return done(request, message, changed=changed, to=reverse("jobs:doubts"), tone=tone)


def _find(request: WorkspaceRequest, entry_id: int) -> Entry:
    """Return a write of one's own, or one that the person may send again. Raises `Http404` for others."""
    entry = Entry.objects.filter(pk=entry_id, operation__in=operations()).select_related("person").first()
    if entry is None or not (entry.person_id == request.user.pk or resend.is_shown_to(request.workspace, entry)):
        raise Http404("There is no such write, or it is not yours.")
    return entry


def _mine(request: PersonRequest) -> QuerySet[Entry]:
    return Entry.objects.filter(person=request.user, operation__in=operations())


def _changes(settled: Iterable[Entry]) -> dict[str, bool]:
    things = {WRITES[entry.operation].settlement.changes for entry in settled} - {""}
    return {f"{thing}:changed": True for thing in sorted(things)}
