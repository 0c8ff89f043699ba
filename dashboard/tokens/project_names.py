"""What people call a project."""

from django.http import HttpRequest

from dashboard.team.models import Person
from dashboard.tokens import spaces
from dashboard.tokens.last_known import learn_projects
from dashboard.tokens.models import Kind
from dashboard.tokens.workspace import Workspace


def known_name(request: HttpRequest, ref: str) -> str:
    """Return the name of a project or space that the person's tokens reached before; empty for others. Asks nobody."""
    if not isinstance(request.user, Person):
        return ""
    if spaces.mode() == "single" and ref == spaces.SHARED:
        return spaces.SHARED_TITLE
    workspace = Workspace(request.user)
    learn_projects(workspace.fingerprint(Kind.MANAGEMENT))
    request.known_name = workspace.known_name  # type: ignore[attr-defined] # as `with_workspace` sets it
    return workspace.known_name(ref)


def project_name(workspace: Workspace, ref: str) -> str:
    """The project's name as the token last read it; its ref where it never did. Waits a second at most, for pool threads, too."""
    return workspace.project_name(ref)
