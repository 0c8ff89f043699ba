"""Organizations of the person: operations M3 and M4."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.urls import reverse
from django.utils.http import urlencode

from dashboard.interfaces.errors import InterfaceError
from dashboard.interfaces.management.organizations import Organization
from dashboard.jobs.settlement import Wanted, settle
from dashboard.tokens.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Counts:
    """How many projects each organization has, by its id (M1). `failure` says why that is not known."""

    projects: Mapping[str, int]
    failure: InterfaceError | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """One organization, ready to print. `projects` is None where nobody knows how many it has."""

    id: str
    name: str
    projects: int | None
    projects_href: str
    new_href: str


def all_organizations(workspace: Workspace) -> list[Organization]:
    """Every organization that the token's owner belongs to (M3), by name."""
    return sorted(workspace.management.organizations.all(), key=lambda found: (found.name.casefold(), found.id))


def count_projects(workspace: Workspace) -> Counts:
    """Projects of each organization (M1). A failure here stops nobody."""
    try:
        return Counts(projects=Counter(project.organization_id for project in workspace.management.projects.all()))
    except InterfaceError as failure:
        return Counts(projects={}, failure=failure)


def rows_of(organizations: Sequence[Organization], counts: Counts) -> list[Row]:
    projects, new = reverse("projects:index"), reverse("projects:new")
    return [
        Row(
            id=found.id,
            name=found.name,
            projects=None if counts.failure else counts.projects.get(found.id, 0),
            projects_href=f"{projects}?{urlencode({'organization': found.id})}",
            new_href=f"{new}?{urlencode({'organization': found.id})}",
        )
        for found in organizations
    ]


def create_organization(workspace: Workspace, name: str, *, known: Sequence[Organization]) -> None:
    """Create an organization (M4), sent once. Without an answer M3 tells whether there is one that was not `known`."""
    wanted = {"name": name, "known": [found.id for found in known if found.name == name]}
    with settle(workspace, "M4", target=f"organization {name}", wanted=wanted) as change:
        made = workspace.management.organizations.create(name)
        change.after = {"id": made.id}


def read_back(workspace: Workspace, _place: str, _wanted: Wanted) -> list[Organization]:
    return workspace.management.organizations.all()


def is_created(organizations: Sequence[Organization], wanted: Wanted) -> bool:
    """Whether there is one of that name that was not known before."""
    return any(found.name == wanted["name"] and found.id not in wanted["known"] for found in organizations)
