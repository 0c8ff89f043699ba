"""What people call a project."""

from dashboard.tokens.workspace import Workspace


def project_name(workspace: Workspace, ref: str) -> str:
    """The project's name as the token last read it; its ref where it never did. Waits a second at most, for pool threads, too."""
    return workspace.project_name(ref)
