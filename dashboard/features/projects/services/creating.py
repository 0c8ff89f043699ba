"""Create a project: operation M2, which may cost money and is sent once, with M1 and M3 around it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from dashboard.features.projects.services.organizations import UNCONFIRMED
from dashboard.interfaces.errors import Rejected
from dashboard.interfaces.management.organizations import Organization
from dashboard.interfaces.management.projects import Project
from dashboard.journal.recording import digest
from dashboard.tokens.workspace import Workspace

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


def create_project(workspace: Workspace, wish: Wish, password: str) -> Project | None:
    """Create the project (M2), journaled. None: no confirmation came, so nobody knows yet whether there is one more."""
    try:
        with workspace.record("M2", target=f"project {wish.name}") as change:
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
    except UNCONFIRMED:
        return None
    return made


def refusal_of(rejected: Rejected) -> Refusal:
    """The service's "field: reason" at the form's field; too many free projects at the plan."""
    if FREE_LIMIT in rejected.text.casefold():
        return Refusal("plan", f"The service refused one more free project: “{rejected.text}”")
    member, colon, reason = rejected.text.partition(": ")
    field = FIELDS.get(member.partition(".")[0]) if colon else None
    return Refusal(field, f"The service refused this: “{reason if field else rejected.text}”")
