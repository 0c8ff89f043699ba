"""Facts about a project itself: its state (M1)."""

from collections.abc import Mapping

from dashboard.facts.registry import HOSTNAMES, NETWORK, PROJECT, PROJECTS, STORAGE, Fact, Need, Problem, Shown
from dashboard.interfaces.management.projects import REMOVED
from dashboard.tokens import names
from dashboard.tokens.states import STATES
from dashboard.tokens.workspace import Workspace

NEEDS_ATTENTION = frozenset({"attention", "danger"})


def _show(workspace: Workspace, places: Mapping[str, None]) -> dict[str, Shown]:
    lists = [names.known(fingerprint) for fingerprint in workspace.listing_fingerprints]
    return {project.ref: _shown(project.status or "") for listed in lists for project in listed if project.ref in places}


def _shown(status: str) -> Shown:
    """Return the state to show; older services report none."""
    if not status:
        return Shown("")
    word, tone = STATES.get(status, (status, "neutral"))
    problem = Problem(status.lower(), word.lower(), urgent=tone == "danger")
    need = Need(problem, f"State: {word}", "Open project", "projects:show") if tone in NEEDS_ATTENTION else None
    number = list(STATES).index(status) if status in STATES else 99
    return Shown(word, tone=tone, number=number, detail=status, need=need, is_gone=status == REMOVED)


FACT = Fact("state", "State", "projects:show", 10, _show, tabs=(PROJECT, PROJECTS, STORAGE, NETWORK, HOSTNAMES))
