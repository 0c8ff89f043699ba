"""Create a project: operation M2, which may cost money and is sent once, with M1 and M3 around it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from dashboard.interfaces.errors import Rejected
from dashboard.interfaces.management.organizations import Organization
from dashboard.interfaces.management.projects import Project
from dashboard.jobs.settlement import Wanted, settle
from dashboard.journal.recorder import digest
from dashboard.tokens.workspace import Workspace
from dashboard.web.errors import Unconfirmed

# Names of the service for what the form calls otherwise.
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


@dataclass(frozen=True, slots=True)
class Wish:
    """A project as somebody wants it. `region` is a code, `plan` "free" or "pro"."""

    name: str
    organization: Organization
    region: str
    plan: str


class Refusal(NamedTuple):
    """Where in the form a refusal belongs (None: above it), and what it says."""

    field: str | None
    words: str


def namesakes(projects: Sequence[Project], *, name: str, organization_id: str) -> list[Project]:
    """Projects of that name, whatever its case, in that organization: the service refuses no second one."""
    wanted = name.casefold()
    return [project for project in projects if project.organization_id == organization_id and project.name.casefold() == wanted]


def create_project(workspace: Workspace, wish: Wish, password: str, *, known: Sequence[Project]) -> Project | None:
    """Create the project (M2), journaled. None: the answer was lost, and M1 shows none yet that was not `known`."""
    wanted = {"name": wish.name, "organization": wish.organization.id, "known": [project.ref for project in known]}
    try:
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
            return made
    except Unconfirmed:
        return None
    return next(project for project in change.found if _is_wanted(project, wanted))


def target_of(name: str) -> str:
    """How the journal calls a project that is created."""
    return f"project {name}"


def read_back(workspace: Workspace, _place: str, _wanted: Wanted) -> list[Project]:
    return workspace.management.projects.all()


def is_created(projects: Sequence[Project], wanted: Wanted) -> bool:
    """Whether there is one of that name in the organization that was not known before."""
    return any(_is_wanted(project, wanted) for project in projects)


def _is_wanted(project: Project, wanted: Wanted) -> bool:
    same = project.organization_id == wanted["organization"] and project.name == wanted["name"]
    return same and project.ref not in wanted["known"]


def refusal_of(rejected: Rejected) -> Refusal:
    """The service's "field: reason" at the form's field; too many free projects at the plan."""
    if FREE_LIMIT in rejected.text.casefold():
        return Refusal("plan", f"The service refused one more free project: “{rejected.text}”")
    member, colon, reason = rejected.text.partition(": ")
    field = FIELDS.get(member.partition(".")[0]) if colon else None
    return Refusal(field, f"The service refused this: “{reason if field else rejected.text}”")
