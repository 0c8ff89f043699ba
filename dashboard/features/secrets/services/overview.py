"""Facts about a project's secrets: when they were last changed here."""

from collections.abc import Mapping

from django.db.models import Max

from dashboard.facts.registry import PROJECT, Fact, Shown
from dashboard.journal import queries
from dashboard.journal.models import Outcome
from dashboard.tokens.workspace import Workspace
from dashboard.web.text import exact, relative


def _show(workspace: Workspace, places: Mapping[str, None]) -> dict[str, Shown]:
    """Return the last changes whose entries the person may see. Overviews don't read the secrets themselves."""
    seen = queries.visible(workspace.person).filter(operation__in=("M6", "M7"), outcome=Outcome.DONE, place__in=places)
    latest = seen.order_by().values_list("place").annotate(at=Max("started_at"))
    unread = {ref: Shown("Not read", detail="Open them to see how many there are.") for ref in places}
    return unread | {
        ref: Shown(relative(at), number=at.timestamp(), detail=f"Secrets were last changed {exact(at)}.")
        for ref, at in latest
        if ref in places
    }


FACT = Fact("secrets", "Secrets", "secrets:index", 60, _show, tabs=(PROJECT,))
