"""Facts about a project's secrets: when they were last changed here."""

from collections.abc import Mapping

from django.db.models import Max

from dashboard.facts.registry import PROJECT, Fact, Shown
from dashboard.journal import queries
from dashboard.journal.models import Entry, Outcome
from dashboard.tokens.workspace import Workspace
from dashboard.web.text import relative


def _show(workspace: Workspace, places: Mapping[str, None]) -> dict[str, Shown]:
    """Return the last changes whose entries the person may see. Overviews don't read the secrets themselves."""
    seen = queries.visible(workspace.person).filter(operation__in=("M6", "M7"), outcome=Outcome.DONE, place__in=places)
    latest = seen.order_by().values("place").annotate(latest=Max("pk")).values("latest")
    unread = dict.fromkeys(places, Shown("Not read", detail="Open them to see how many there are."))
    return unread | {entry.place: _shown(entry) for entry in Entry.objects.filter(pk__in=latest).select_related("person")}


def _shown(entry: Entry) -> Shown:
    text, words = f"Changed {relative(entry.started_at)}", f"{entry.target}, by {entry.person}"
    return Shown(text, number=entry.started_at.timestamp(), detail=words)


FACT = Fact("secrets", "Secrets", "secrets:index", 60, _show, tabs=(PROJECT,), icon="lock")
