"""What the stored tokens can see."""

from dashboard.tokens.formats import is_service_key
from dashboard.tokens.models import Kind
from dashboard.tokens.workspace import Workspace


def sees_all(workspace: Workspace, space: str) -> bool:
    """Return whether the key that acts there is above all row policies, so that what it doesn't find is missing."""
    return is_service_key(workspace.credential(Kind.STORAGE, space).open())
