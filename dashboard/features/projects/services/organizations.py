"""List and create organizations: M3, M4."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dashboard.interfaces.errors import InterfaceError
from dashboard.interfaces.management.organizations import Organization
from dashboard.jobs.settlement import Rule, Wanted, settle
from dashboard.tokens.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Counts:
    """Number of projects by organization id (M1). `failure` says why it is unknown."""

    projects: Mapping[str, int]
    failure: InterfaceError | None = None


def all_organizations(workspace: Workspace) -> list[Organization]:
    """Return the organizations of the token's owner (M3), by name."""
    return sorted(workspace.management.organizations.all(), key=lambda found: (found.name.casefold(), found.id))


def count_projects(workspace: Workspace) -> Counts:
    """Return the number of projects of each organization (M1), or the failure."""
    try:
        return Counts(projects=Counter(project.organization_id for project in workspace.management.projects.all()))
    except InterfaceError as failure:
        return Counts(projects={}, failure=failure)


def create_organization(workspace: Workspace, name: str, *, known: Sequence[Organization]) -> None:
    """Create an organization (M4). If the answer is lost, M3 shows whether there is one that was not `known`."""
    wanted = {"name": name, "known": [found.id for found in known if found.name == name]}
    with settle(workspace, "M4", target=f"organization {name}", wanted=wanted) as change:
        made = workspace.management.organizations.create(name)
        change.after = {"id": made.id}


def read_state(workspace: Workspace, _place: str, _wanted: Wanted) -> list[Organization]:
    return workspace.management.organizations.all()


def is_created(organizations: Sequence[Organization], wanted: Wanted) -> bool:
    return any(found.name == wanted["name"] and found.id not in wanted["known"] for found in organizations)


RULES = (Rule("M4", read_state, is_created),)
