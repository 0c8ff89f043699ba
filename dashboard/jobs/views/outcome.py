"""Pages about writes whose answer was lost: the outcome of one, and the strip of those being checked."""

import json
from collections.abc import Iterable

from django.db.models import QuerySet
from django.http import Http404, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_GET

from dashboard.interfaces.errors import InterfaceError
from dashboard.jobs import settlement
from dashboard.jobs.settlement_queue import operations, rule_of
from dashboard.jobs.unsettled import outcome_of, strip_of
from dashboard.journal.models import Entry, Outcome
from dashboard.team.access import PersonRequest, signed_in
from dashboard.tokens.access import WorkspaceRequest, with_workspace
from dashboard.web import notices
from dashboard.web.answers import dialog, page
from dashboard.web.errors import OUTCOME_CHANGED
from dashboard.web.operations import words
from dashboard.web.problems import said
from dashboard.web.requests import read_number

MOST_SEEN = 20


@require_GET
@with_workspace
def outcome(request: WorkspaceRequest, entry_id: int) -> HttpResponse:
    """Check one's own write now, and show what is known."""
    entry = _mine(request).filter(pk=entry_id).first()
    if entry is None:
        raise Http404("There is no such write, or it is not yours.")
    failure = ""
    try:
        settlement.check_now(request.workspace, entry)
    except InterfaceError as error:
        failure = said(error)
    entry.refresh_from_db()
    context = {
        "title": "Outcome of your request",
        "lead": f"You asked to {words(entry.operation)}.",
        "entry": entry,
        "failure": failure,
        "back": reverse("journal:show", args=[entry.pk]),
    }
    response = dialog(request, "jobs/_outcome.html", context)
    if entry.outcome != Outcome.UNKNOWN:
        response["HX-Trigger"] = json.dumps({OUTCOME_CHANGED: True} | _changes([entry]))
    return response


@require_GET
@signed_in
def unsettled(request: PersonRequest) -> HttpResponse:
    """Refresh the strip, with notices for what was settled since it was shown; lists then refresh, too."""
    strip = strip_of(request.user.pk, request.GET.get("place", ""))
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
    """All changes of the person at a project or space that are being checked."""
    return page(request, "jobs/doubts.html", {"unsettled": strip_of(request.user.pk, request.GET.get("place", ""))})


def _mine(request: PersonRequest) -> QuerySet[Entry]:
    return Entry.objects.filter(person=request.user, operation__in=operations())


def _changes(settled: Iterable[Entry]) -> dict[str, bool]:
    things = {rule_of(entry.operation).changes for entry in settled} - {""}
    return {f"{thing}:changed": True for thing in sorted(things)}
