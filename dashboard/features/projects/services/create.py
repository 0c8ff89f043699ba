"""Create a project (M2), which may cost money, and follow it until it is ready (M1)."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from django.core.exceptions import ValidationError
from django.http import Http404

from dashboard.interfaces.errors import Broken, InterfaceError, Rejected, SlowDown, TimedOut, Unexpected, Unreachable
from dashboard.interfaces.management.organizations import Organization
from dashboard.interfaces.management.projects import Project
from dashboard.jobs.settlement import Rule, Wanted, observe, runs_until, settle
from dashboard.journal.models import Entry
from dashboard.journal.recorder import digest
from dashboard.tokens.states import STATES
from dashboard.tokens.workspace import Workspace

# The service's field names for those of the form.
FIELDS = {
    "name": "name",
    "organization_id": "organization",
    "organization_slug": "organization",
    "region": "region",
    "region_selection": "region",
    "plan": "plan",
    "db_pass": "password",
}
FREE_LIMIT = "free project limit"
# Failures after which another try may succeed.
PASSING = (Broken, SlowDown, TimedOut, Unexpected, Unreachable)
HEALTHY = "ACTIVE_HEALTHY"
FINAL = {HEALTHY, "INACTIVE", "REMOVED", "INIT_FAILED", "RESTORE_FAILED", "PAUSE_FAILED"}
STARTING = {"COMING_UP", "UNKNOWN", "RESTORING"}
# Seconds until the next check, from the n-th check on: quickly for a minute, slowly for five, then only on request.
PAUSES_SECONDS = ((0, 5), (12, 15), (32, 0))
SEARCH_SECONDS, SLOW_SECONDS = 10, 30


@dataclass(frozen=True, slots=True)
class Wish:
    """A project to be created. `region` is a code, `plan` "free" or "pro"."""

    name: str
    organization: Organization
    region: str
    plan: str


@dataclass(frozen=True, slots=True)
class Startup:
    """The state of a new project. `word` is ours, `raw` the service's; both are empty until the list shows it.

    `pause` is the seconds until the next check; 0 if the state is final, or after enough checks.
    """

    ref: str
    name: str
    word: str
    raw: str
    tone: str
    is_healthy: bool
    is_final: bool
    pause: int
    next_check: int
    failure: InterfaceError | None = None


@dataclass(frozen=True, slots=True)
class Search:
    """Projects that an unconfirmed M2 may have created. `is_over`: there are none, and the request can't be running any more."""

    found: tuple[Project, ...] = ()
    is_over: bool = False
    pause: int = 0
    failure: InterfaceError | None = None


def namesakes(projects: Sequence[Project], *, name: str, organization_id: str) -> list[Project]:
    """Return the organization's projects with that name, in any case. The service accepts duplicates."""
    wanted = name.casefold()
    return [project for project in projects if project.organization_id == organization_id and project.name.casefold() == wanted]


def create_project(workspace: Workspace, wish: Wish, password: str, *, known: Collection[str]) -> str:
    """Create the project (M2) and return its ref. `known` are the refs of namesakes, to settle a lost answer.

    Raises `ValidationError`, with the field if the service named it, for values that it refused.
    """
    try:
        return _create(workspace, wish, password, known)
    except Rejected as rejected:
        raise refusal_of(rejected) from None


def _create(workspace: Workspace, wish: Wish, password: str, known: Collection[str]) -> str:
    wanted = {"name": wish.name, "organization": wish.organization.id, "known": list(known)}
    with settle(workspace, "M2", target=target_of(wish.name), wanted=wanted) as change:
        made = workspace.management.projects.create(
            wish.name,
            organization_id=wish.organization.id,
            organization_slug=wish.organization.slug,
            db_pass=password,
            region=wish.region,
            plan=wish.plan,
        )
        change.after = {
            "ref": made.ref,
            "organization": wish.organization.id,
            "region": wish.region,
            "plan": wish.plan,
            "database password": digest(password),
        }
        return made.ref
    return next(project.ref for project in change.found if _is_wanted(project, wanted))


def refusal_of(rejected: Rejected) -> ValidationError:
    """Return the error for the field named in the service's "field: reason"; for the plan if there are too many free projects."""
    if FREE_LIMIT in rejected.text.casefold():
        return ValidationError({"plan": f"The service refused another free project: “{rejected.text}”"})
    member, colon, reason = rejected.text.partition(": ")
    field = FIELDS.get(member.partition(".")[0]) if colon else None
    if field is None:
        return ValidationError(f"The service refused this: “{rejected.text}”")
    return ValidationError({field: f"The service refused this: “{reason}”"})


def target_of(name: str) -> str:
    """Return the name of a new project in the journal and for settlement."""
    return f"project {name}"


def read_state(workspace: Workspace, _place: str, _wanted: Wanted) -> list[Project]:
    return workspace.management.projects.all()


def is_created(projects: Sequence[Project], wanted: Wanted) -> bool:
    return any(_is_wanted(project, wanted) for project in projects)


def find_created(workspace: Workspace, *, name: str, organization_id: str, known: Collection[str]) -> Search:
    """Look for a project whose creation was not confirmed, among those not in `known` (M1)."""
    try:
        projects: Sequence[Project] = workspace.management.projects.all()
    except PASSING as failure:
        return Search(pause=SLOW_SECONDS if isinstance(failure, SlowDown) else SEARCH_SECONDS, failure=failure)
    observe(workspace, "", projects, "M2")
    wanted = {"name": name, "organization": organization_id, "known": known}
    found = tuple(project for project in projects if _is_wanted(project, wanted))
    is_over = not found and not runs_until("", target_of(name))
    return Search(found=found, is_over=is_over, pause=0 if found or is_over else SEARCH_SECONDS)


def follow_startup(workspace: Workspace, ref: str, *, check: int) -> Startup:
    """Return the state of a new project (M1). Raises `Http404` for all but its creator until the list shows it."""
    failure: InterfaceError | None = None
    project: Project | None = None
    try:
        project = next((found for found in workspace.management.projects.all() if found.ref == ref), None)
    except PASSING as error:
        failure = error
    if project is None and not _has_created(workspace, ref):
        if failure:
            raise failure
        raise Http404("There is no such project, or your token can't see it.")
    return startup_of(ref, project, check=check, failure=failure)


def startup_of(ref: str, project: Project | None, *, check: int, failure: InterfaceError | None = None) -> Startup:
    """Return the state. `project` is None if the list doesn't show it yet, or could not be read (`failure`)."""
    raw = _state(project) if project else ""
    word, tone = STATES.get(raw, (raw, "neutral" if project else "waiting"))
    is_final = raw in FINAL
    pause = 0 if is_final else max(pause_after(check), SLOW_SECONDS if isinstance(failure, SlowDown) else 0)
    return Startup(
        ref=ref,
        name=project.name if project else "",
        word=word,
        raw=raw,
        tone=tone,
        is_healthy=raw == HEALTHY,
        is_final=is_final,
        pause=pause,
        next_check=check + 1,
        failure=failure,
    )


def is_starting(project: Project) -> bool:
    return _state(project) in STARTING


def pause_after(check: int) -> int:
    return next(pause for start, pause in reversed(PAUSES_SECONDS) if check >= start)


def _is_wanted(project: Project, wanted: Wanted) -> bool:
    is_same = project.organization_id == wanted["organization"] and project.name == wanted["name"]
    return is_same and project.ref not in wanted["known"]


def _state(project: Project) -> str:
    """Return the state that newer services report. Older ones only show a database once it is ready."""
    if project.status:
        return project.status
    return HEALTHY if project.database else "COMING_UP"


def _has_created(workspace: Workspace, ref: str) -> bool:
    return Entry.objects.filter(person=workspace.person, operation="M2", after__ref=ref).exists()


RULES = (Rule("M2", read_state, is_created),)
