"""Organizations of the person: operations M3 and M4."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.urls import reverse
from django.utils.http import urlencode

from dashboard.interfaces.errors import Broken, InterfaceError, Unexpected, UnknownOutcome
from dashboard.interfaces.management.organizations import Organization
from dashboard.tokens.workspace import Workspace

# After these nobody knows whether the service did what it was asked.
UNCONFIRMED = (UnknownOutcome, Broken, Unexpected)


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


@dataclass(frozen=True, slots=True)
class Made:
    """How the creation ended: `confirmed` by the service, or else `there` (or not) when the list was read again."""

    confirmed: bool
    there: bool


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


def create_organization(workspace: Workspace, name: str, *, known: Sequence[Organization]) -> Made:
    """Create an organization (M4), sent once. Without a confirmation M3 is read again: is there one that was not `known`?"""
    try:
        with workspace.record("M4", target=f"organization {name}") as change:
            made = workspace.management.organizations.create(name)
            change.after = {"id": made.id}
    except UNCONFIRMED:
        before = {found.id for found in known}
        there = any(found.name == name and found.id not in before for found in workspace.management.organizations.all())
        return Made(confirmed=False, there=there)
    return Made(confirmed=True, there=True)
