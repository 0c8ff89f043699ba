"""What the stored tokens can see. Nothing is asked of a service."""

from dashboard.interfaces.management.projects import Project
from dashboard.team.models import Person, Role
from dashboard.tokens.formats import is_service_key
from dashboard.tokens.last_known import recall
from dashboard.tokens.models import Kind
from dashboard.tokens.workspace import Workspace


def sees_all(workspace: Workspace, space: str) -> bool:
    """Return whether the key that acts there is above all row policies, so that what it doesn't find is missing."""
    return is_service_key(workspace.credential(Kind.STORAGE, space).open())


def administrators_of(workspace: Workspace, ref: str, section: str) -> list[Person]:
    """Return the person who acts, and the administrators and owners whose own token or grant sees the section, too."""
    of_team = Person.objects.filter(is_active=True, role__in=(Role.ADMINISTRATOR, Role.OWNER))
    acting = workspace.fingerprint(Kind.MANAGEMENT, ref)
    others = (person for person in of_team.exclude(pk=workspace.person.pk) if _sees(Workspace(person), ref, section, acting))
    return [workspace.person, *others]


def _sees(workspace: Workspace, ref: str, section: str, acting: str) -> bool:
    """Whether a person acts there with that token or a grant, or with a token that last listed the project."""
    if granted := workspace.grant_at(Kind.MANAGEMENT, ref):
        return granted.opens and section in granted.scope.sections
    if workspace.fingerprint(Kind.MANAGEMENT, ref) == acting:
        return True
    lists = (recall(fingerprint, "M1", list[Project]) for fingerprint in workspace.listing_fingerprints)
    return any(project.id == ref for known in lists if known for project in known[0])
