"""Names of projects for pages."""

from collections.abc import Sequence

from django.http import HttpRequest

from dashboard.interfaces.errors import InterfaceError
from dashboard.interfaces.management.projects import Project
from dashboard.team.models import Person
from dashboard.tokens import names, spaces
from dashboard.tokens.last_known import recall
from dashboard.tokens.models import Kind
from dashboard.tokens.workspace import Workspace


def known_name(request: HttpRequest, ref: str) -> str:
    """Return the cached name of a project or space; empty if no token has reached it."""
    if not isinstance(request.user, Person):
        return ""
    if spaces.mode() == "single" and ref == spaces.SHARED:
        return spaces.SHARED_TITLE
    workspace = Workspace(request.user)
    learn_projects(workspace)
    request.known_name = workspace.known_name  # type: ignore[attr-defined] # as `with_workspace` sets it
    return workspace.known_name(ref)


def confirmation_of(workspace: Workspace, ref: str) -> str:
    """Return what to type to confirm a change of a project: its name, with single spaces, as pages show it.

    `organization/name` if another project that the person sees has that name (M3). The ref if the name is unknown, can't be
    typed, or is still not unique.
    """
    name = _typed(workspace.project_name(ref))
    alike = [project for project in workspace.projects() if _typed(project.name).casefold() == name.casefold()]
    if len(alike) > 1:
        name = _with_organization(workspace, ref, alike)
    return name if name.isprintable() and name else ref


def name_for(place: str, person_id: int | None) -> str:
    """Return a place's name for a message: as the person's own credentials last read it, else as anybody's did."""
    people = Person.objects.filter(is_active=True).order_by("pk")
    for person in people.filter(pk=person_id) if person_id else people:
        workspace = Workspace(person)
        lists = (recall(fingerprint, "M1", list[Project]) for fingerprint in workspace.listing_fingerprints)
        named = {project.id: project.name for known in lists if known for project in known[0]}
        own = person.stored_tokens.filter(kind=Kind.STORAGE, space=place).first()
        name = named.get(place) or (str(own.reach.get("project", "")) if own else "") or workspace.known_name(place)
        if name not in ("", place):
            return name
    return ""


def learn_projects(workspace: Workspace) -> None:
    """Load the last known projects of each credential into `names` if this process has none."""
    for fingerprint in workspace.listing_fingerprints:
        if not names.knows(fingerprint) and (known := recall(fingerprint, "M1", list[Project])):
            names.learn(fingerprint, known[0], is_fresh=False)


def _typed(name: str) -> str:
    return " ".join(name.split())


def _with_organization(workspace: Workspace, ref: str, alike: Sequence[Project]) -> str:
    """Return `organization/name` of one of several projects (M3); empty if that is unknown or not unique."""
    try:
        organizations = {found.id: _typed(found.name) for found in workspace.management.organizations.all()}
    except InterfaceError:
        return ""
    owners = {project.id: organizations.get(project.organization_id, "") for project in alike}
    own = owners.get(ref, "")
    if not own or sum(owner.casefold() == own.casefold() for owner in owners.values()) > 1:
        return ""
    return f"{own}/{_typed(workspace.project_name(ref))}"
