"""What people call a project."""

from dashboard.interfaces.errors import InterfaceError
from dashboard.tokens.workspace import Workspace


def project_name(workspace: Workspace, ref: str) -> str:
    """The project's name (M1); its ref where the service does not say. For pool threads, too."""
    try:
        return next((project.name for project in workspace.management.projects.all() if project.ref == ref), ref)
    except InterfaceError:
        return ref
