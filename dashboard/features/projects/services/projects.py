"""List and find projects, and what is known around one: M1, M3."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Q
from django.http import Http404

from dashboard.facts import memory
from dashboard.interfaces.errors import InterfaceError
from dashboard.interfaces.management.organizations import Organization
from dashboard.interfaces.management.projects import Project
from dashboard.journal import queries
from dashboard.labels.services import ProjectLabel
from dashboard.tokens.models import Kind, StoredToken
from dashboard.tokens.workspace import Workspace

CHANGES_MAX = 6
NO_LABEL = ProjectLabel()


@dataclass(frozen=True, slots=True)
class Organizations:
    """Names by id (M3). `failure` says why they are missing; projects are listed without them."""

    names: dict[str, str]
    failure: InterfaceError | None = None

    def name(self, organization_id: str) -> str:
        return self.names.get(organization_id, organization_id)


@dataclass(frozen=True, slots=True)
class Reach:
    """Fingerprints of the tokens used at a project, empty if there are none, and who gave access through theirs."""

    management: str
    storage: str
    management_giver: str = ""
    storage_giver: str = ""


def list_projects(workspace: Workspace) -> list[Project]:
    """Return every project that the token has access to (M1), unsorted."""
    return workspace.management.projects.all()


def list_organizations(workspace: Workspace) -> Organizations:
    """Return the names of the organizations (M3), or the failure."""
    try:
        found: Sequence[Organization] = workspace.management.organizations.all()
    except InterfaceError as failure:
        return Organizations(names={}, failure=failure)
    return Organizations(names={organization.id: organization.name for organization in found})


def find_project(projects: Sequence[Project], ref: str) -> Project:
    """Return the project with that ref. Raises `Http404` if the token shows none."""
    for project in projects:
        if project.id == ref:
            return project
    raise Http404("There is no such project, or your token can't see it.")


def other_tokens(workspace: Workspace, ref: str) -> list[StoredToken]:
    """Return other people's stored tokens that reach this project. Only owners of the team see them."""
    if not workspace.person.is_owner:
        return []
    others = StoredToken.objects.exclude(person=workspace.person).filter(person__is_active=True).select_related("person")
    of_storage, of_management = Q(kind=Kind.STORAGE, space=ref), Q(kind=Kind.MANAGEMENT, fingerprint__in=memory.readers(ref))
    return list(others.filter(of_storage | of_management).order_by("person__name", "person__email", "kind"))


def latest_changes(workspace: Workspace, ref: str) -> list[queries.Row]:
    """Return the latest changes of this project that the person may see: owners all, others their own."""
    found = queries.joined(queries.visible(workspace.person).filter(place=ref).listed())
    return queries.rows(found.select_related("person", "through")[:CHANGES_MAX], name=workspace.known_name, joins=True)


def reach_of(workspace: Workspace, ref: str) -> Reach:
    management, storage = (workspace.grant_at(kind, ref) for kind in (Kind.MANAGEMENT, Kind.STORAGE))
    return Reach(
        management=workspace.fingerprint("management", ref),
        storage=workspace.fingerprint("storage", ref),
        management_giver=str(management.grant.giver) if management else "",
        storage_giver=str(storage.grant.giver) if storage else "",
    )
