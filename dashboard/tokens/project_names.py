"""Names of projects for pages."""

from django.http import HttpRequest

from dashboard.team.models import Person
from dashboard.tokens import spaces
from dashboard.tokens.workspace import Workspace, learn_projects


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
