"""Wait for a project that was asked for: M1, read again and again, ever more slowly, and not for ever."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from django.http import Http404
from django.urls import reverse
from django.utils.http import urlencode

from dashboard.features.projects.services.create import target_of
from dashboard.features.projects.services.projects import STATES
from dashboard.interfaces.errors import Broken, InterfaceError, SlowDown, TimedOut, Unexpected, Unreachable
from dashboard.interfaces.management.projects import Project
from dashboard.jobs.settlement import is_being_checked, observe
from dashboard.journal.models import Entry
from dashboard.tokens.workspace import Workspace

# Looking again helps against these.
PASSING = (Broken, SlowDown, TimedOut, Unexpected, Unreachable)
HEALTHY = "ACTIVE_HEALTHY"
FINAL = {HEALTHY, "INACTIVE", "REMOVED", "INIT_FAILED", "RESTORE_FAILED", "PAUSE_FAILED"}
# Seconds until the next look, from that look on: a minute quickly, five more slowly, then only when asked.
PAUSES = ((0, 5), (12, 15), (32, 0))
# So many looks that showed nothing say that an unconfirmed project was not created.
ENOUGH = 10
MOST = 40


@dataclass(frozen=True, slots=True)
class Arrival:
    """How far a new project is. `pause` is in seconds, 0: nothing more is to be expected, or it was looked for long enough.

    `word` is ours, `raw` the service's; both are empty where the list does not show the project yet.
    """

    ref: str
    name: str
    word: str
    raw: str
    tone: str
    is_healthy: bool
    is_final: bool
    pause: int
    href: str
    failure: InterfaceError | None = None


@dataclass(frozen=True, slots=True)
class Search:
    """Whether an unconfirmed project has appeared. `given_up`: it was looked for often enough."""

    found: tuple[Project, ...]
    given_up: bool
    pause: int
    looks: int
    tries: int
    failure: InterfaceError | None = None


def follow(workspace: Workspace, ref: str, *, look: int) -> Arrival:
    """How far the project is (M1). One that the list does not show yet counts only if this person created it; else 404."""
    failure: InterfaceError | None = None
    project: Project | None = None
    try:
        project = next((found for found in workspace.management.projects.all() if found.ref == ref), None)
    except PASSING as error:
        failure = error
    if project is None and not _asked_for(workspace, ref):
        if failure:
            raise failure
        raise Http404("There is no such project, or your token does not reach it.")
    return arrival_of(ref, project, look=look, failure=failure)


def arrival_of(ref: str, project: Project | None, *, look: int, failure: InterfaceError | None = None) -> Arrival:
    """`project` is None where the list does not show it (yet), or could not be read (`failure`)."""
    raw = _state(project) if project else ""
    word, tone = STATES.get(raw, (raw, "neutral" if project else "waiting"))
    final = raw in FINAL
    pause = 0 if final else max(pause_after(look), 30 if isinstance(failure, SlowDown) else 0)
    return Arrival(
        ref=ref,
        name=project.name if project else "",
        word=word,
        raw=raw,
        tone=tone,
        is_healthy=raw == HEALTHY,
        is_final=final,
        pause=pause,
        href=f"{reverse('projects:arrival', args=[ref])}?{urlencode({'look': look + 1})}",
        failure=failure,
    )


def is_arriving(project: Project) -> bool:
    """Whether the project is still on its way to being usable."""
    return _state(project) in {"COMING_UP", "UNKNOWN", "RESTORING"}


def look_for(workspace: Workspace, *, name: str, organization_id: str, known: Collection[str], looks: int, tries: int) -> Search:
    """Whether a project of that name has appeared in that organization, besides those `known` before (M1).

    It is taken as not created when its outcome is not being checked any more, and enough looks did not show it.
    """
    try:
        projects: Sequence[Project] = workspace.management.projects.all()
    except PASSING as failure:
        pause = 0 if tries >= MOST else (30 if isinstance(failure, SlowDown) else 10)
        return Search(found=(), given_up=False, pause=pause, looks=looks, tries=tries + 1, failure=failure)
    observe(workspace, "", projects, "M2")
    found = tuple(
        project
        for project in projects
        if project.organization_id == organization_id and project.name == name and project.ref not in known
    )
    checking = is_being_checked("", target_of(name))
    given_up = not found and not checking and looks + 1 >= ENOUGH
    pause = 0 if found or given_up else 5 if looks < ENOUGH else 15
    return Search(found=found, given_up=given_up, pause=pause, looks=looks + 1, tries=tries + 1)


def pause_after(look: int) -> int:
    return next(pause for start, pause in reversed(PAUSES) if look >= start)


def _state(project: Project) -> str:
    """What newer services say; of older ones only that there is a database can be known."""
    if project.status:
        return project.status
    return HEALTHY if project.database else "COMING_UP"


def _asked_for(workspace: Workspace, ref: str) -> bool:
    return Entry.objects.filter(person=workspace.person, operation="M2", after__ref=ref).exists()
