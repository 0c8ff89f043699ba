"""Facts about a project's secrets: how many the token last read (M5), and when they were changed."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db.models import Max
from django.utils import timezone

from dashboard.facts.overview import FRESH_FOR
from dashboard.facts.registry import PROJECT, Fact, Shown
from dashboard.features.secrets.services.secrets import SAME_CHANGE
from dashboard.interfaces.management.secrets import Secret
from dashboard.journal import queries
from dashboard.journal.models import Entry, Outcome
from dashboard.tokens.workspace import Workspace
from dashboard.web.text import counted, relative

Counts = Mapping[str, Any]


def _summarize(secrets: Sequence[Secret]) -> Counts:
    changed_at = max((secret.updated_at for secret in secrets if secret.updated_at), default=None)
    return {
        "all": len(secrets),
        "changed_at": changed_at.isoformat() if changed_at else "",
        "as_of": timezone.now().isoformat(),
    }


def _show(workspace: Workspace, found: Mapping[str, Counts | None]) -> dict[str, Shown]:
    """Return what is known without a call: overviews don't read the secrets themselves."""
    seen = queries.visible(workspace.person).filter(operation__in=("M6", "M7"), outcome=Outcome.DONE, place__in=found)
    latest = seen.order_by().values("place").annotate(latest=Max("pk")).values("latest")
    entries = {entry.place: entry for entry in Entry.objects.filter(pk__in=latest).select_related("person")}
    return {place: _shown(counts, entries.get(place)) for place, counts in found.items()}


def _shown(counts: Counts | None, entry: Entry | None) -> Shown:
    if counts is None:
        changed = _changed(entry.started_at, entry) if entry else ""
        return Shown("Not counted", detail=" ".join(filter(None, ("Not opened with your token yet.", changed))))
    as_of = datetime.fromisoformat(counts["as_of"])
    found = datetime.fromisoformat(counts["changed_at"]) if counts["changed_at"] else None
    changed_at = max(filter(None, (found, entry.started_at if entry else None)), default=None)
    details = (
        _changed(changed_at, entry) if changed_at else "",
        f"As of {relative(as_of)}." if as_of < timezone.now() - FRESH_FOR else "",
    )
    return Shown(counted(counts["all"], "secret"), number=counts["all"], detail=" ".join(filter(None, details)))


def _changed(at: datetime, entry: Entry | None) -> str:
    """Say when they were last changed, and by whom if that entry is of this change."""
    by = f" by {entry.person}" if entry and at - entry.started_at < SAME_CHANGE else ""
    return f"Changed {relative(at)}{by}."


FACT = Fact(
    "secrets",
    "Secrets",
    "secrets:index",
    60,
    _show,
    operation="M5",
    summarize=_summarize,
    tabs=(PROJECT,),
    icon="lock",
)
