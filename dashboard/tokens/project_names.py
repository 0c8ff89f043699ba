"""Names of projects for pages."""

from django.http import HttpRequest

from dashboard.interfaces.management.projects import Project
from dashboard.team.models import Person
from dashboard.tokens import names, spaces
from dashboard.tokens.last_known import recall
from dashboard.tokens.workspace import Workspace


def known_name(request: HttpRequest, ref: str) -> str:
    """Return the cached name of a project or space; empty if no token reached it."""
    if not isinstance(request.user, Person):
        return ""
    if spaces.mode() == "single" and ref == spaces.SHARED:
        return spaces.SHARED_TITLE
    workspace = Workspace(request.user)
    learn_projects(workspace)
    request.known_name = workspace.known_name  # type: ignore[attr-defined] # as `with_workspace` sets it
    return workspace.known_name(ref)


def project_name(workspace: Workspace, ref: str) -> str:
    """Return the project's name, or its ref if unknown. Waits a second at most; safe in pool threads."""
    return workspace.project_name(ref)


def learn_projects(workspace: Workspace) -> None:
    """Load the last known projects of each credential into `names` if this process has none."""
    for fingerprint in workspace.listing_fingerprints:
        if not names.knows(fingerprint) and (known := recall(fingerprint, "M1", list[Project])):
            names.learn(fingerprint, known[0], is_fresh=False)
