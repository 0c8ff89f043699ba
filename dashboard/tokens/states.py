"""States of projects (M1): their names and tones on pages, and what follows while a project is paused or coming up."""

from dataclasses import replace
from typing import Any

from django.http import HttpRequest

from dashboard.interfaces.errors import Broken, InterfaceError, NotFound, Paused, Rejected
from dashboard.interfaces.management.projects import REMOVED
from dashboard.tokens.workspace import Workspace
from dashboard.web.failures.cards import AGAIN, Problem
from dashboard.web.failures.local_problems import HOME
from dashboard.web.failures.problems import PROBLEMS

# Label and tone of states that newer services report. Others are shown as they are.
STATES = {
    "ACTIVE_HEALTHY": ("Healthy", "good"),
    "ACTIVE_UNHEALTHY": ("Unhealthy", "attention"),
    "COMING_UP": ("Coming up", "waiting"),
    "GOING_DOWN": ("Going down", "waiting"),
    "INACTIVE": ("Paused", "neutral"),
    "INIT_FAILED": ("Start failed", "danger"),
    "PAUSE_FAILED": ("Pause failed", "danger"),
    "PAUSING": ("Pausing", "waiting"),
    "REMOVED": ("Removed", "neutral"),
    "RESIZING": ("Resizing", "waiting"),
    "RESTARTING": ("Restarting", "waiting"),
    "RESTORE_FAILED": ("Restore failed", "danger"),
    "RESTORING": ("Restoring", "waiting"),
    "UNKNOWN": ("Unknown", "neutral"),
    "UPGRADING": ("Upgrading", "waiting"),
}
# Title and cause of the failure of a page whose project isn't there.
GONE = ("The project was removed", "Nothing of it can be read any more.")
UNLISTED = ("The project isn't listed", "It was removed, or your token can't see it.")
# States that explain no failure.
SILENT = frozenset({"UNKNOWN", REMOVED})


def is_down(status: str) -> bool:
    """Whether a project in this state has no answers to give, or may have none. Older services report none ("")."""
    return bool(status) and STATES.get(status, (status, "neutral"))[1] in ("waiting", "neutral")


def down_sentence(status: str) -> str:
    """Return "The project is coming up."; "" where the state explains no failure."""
    return f"The project is {STATES[status][0].lower()}." if status in STATES and is_down(status) and status not in SILENT else ""


def explained(request: HttpRequest, error: InterfaceError, problem: Problem) -> Problem:
    """Return what the state of the page's project says of a failure, instead of what the service said."""
    workspace: Workspace | None = getattr(request, "workspace", None)
    names = request.resolver_match.kwargs if request.resolver_match else {}
    ref = str(names.get("ref") or names.get("space") or "")
    states = workspace.known_states() if workspace and error.status is not None else {}
    status = states.get(ref, "")
    if isinstance(error, NotFound) and states and "ref" in names and (status == REMOVED or ref not in states):
        title, cause = GONE if status == REMOVED else UNLISTED
        return _instead(problem, error, title, cause=cause, step=HOME, icon="search-x")
    if isinstance(error, Rejected | Broken) and (sentence := down_sentence(status)):
        paused = PROBLEMS[Paused]
        is_waiting = STATES[status][1] == "waiting"
        how = {"cause": "This usually takes a few minutes.", "step": AGAIN, "icon": "hourglass"} if is_waiting else {}
        how = how or {"cause": paused.cause, "step": paused.step, "icon": paused.icon}
        return _instead(problem, error, sentence.removesuffix("."), **how)
    return problem


def _instead(problem: Problem, error: InterfaceError, title: str, **how: Any) -> Problem:
    result = problem.result.replace(str(error), f"{title}.")
    return replace(problem, title=title, result=result, words="", tone="attention", **how)
