"""What is known of one object."""

from dashboard.interfaces.errors import InterfaceError, NotFound, TokenRefused
from dashboard.interfaces.storage.records import ObjectInfo
from dashboard.tokens.workspace import Workspace


def read_object(workspace: Workspace, space: str, bucket: str, key: str) -> ObjectInfo | None:
    """S19; None where it is gone or not visible, which is a state of the panel and no failure of the page."""
    try:
        return workspace.storage(space).objects.info(bucket, key)
    except NotFound:
        return None


def try_object(workspace: Workspace, space: str, bucket: str, key: str) -> ObjectInfo | InterfaceError | None:
    """The same beside a list, which is worth showing without it: a failure is an answer, too. A refused token still goes up."""
    try:
        return read_object(workspace, space, bucket, key)
    except TokenRefused:
        raise
    except InterfaceError as failure:
        return failure
