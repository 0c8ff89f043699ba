"""Facts about a project's secrets: when they were last changed here."""

from collections.abc import Mapping

from dashboard.facts.registry import PROJECT, Fact, Shown
from dashboard.journal import queries
from dashboard.journal.models import Outcome
from dashboard.tokens.workspace import Workspace
from dashboard.web.text import relative


def _show(workspace: Workspace, places: Mapping[str, None]) -> dict[str, Shown]:
    """Return the last changes whose entries the person may see. Overviews don't read the secrets themselves."""
    seen = queries.visible(workspace.person).filter(operation__in=("M6", "M7"), outcome=Outcome.DONE).select_related("person")
    shown = {}
    for ref in places:
        latest = seen.filter(place=ref).order_by("-pk").first()
        if latest:
            text, words = f"Changed {relative(latest.started_at)}", f"{latest.target}, by {latest.person}"
            shown[ref] = Shown(text, number=latest.started_at.timestamp(), detail=words)
        else:
            shown[ref] = Shown("Not read", detail="Open them to see how many there are.")
    return shown


FACT = Fact("secrets", "Secrets", "secrets:index", 60, _show, tabs=(PROJECT,), icon="lock")
