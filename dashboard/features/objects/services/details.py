"""Read one object and its bucket for the details panel."""

from dashboard.catalog.lookup import find_row
from dashboard.interfaces.errors import InterfaceError, NotFound, TokenRefused
from dashboard.interfaces.storage.buckets import Bucket
from dashboard.interfaces.storage.records import ObjectInfo, StoredObject
from dashboard.tokens.workspace import Workspace


def read_object(workspace: Workspace, space: str, bucket: str, key: str) -> ObjectInfo | None:
    """S19; None if the object is missing or not visible."""
    try:
        return workspace.storage(space).objects.info(bucket, key)
    except NotFound:
        return None


def try_object(workspace: Workspace, space: str, bucket: str, key: str) -> ObjectInfo | InterfaceError | None:
    """S19 beside a list, which is shown even if this fails: the failure is returned, except a refused token."""
    try:
        return read_object(workspace, space, bucket, key)
    except TokenRefused:
        raise
    except InterfaceError as failure:
        return failure


def find_entry(workspace: Workspace, space: str, bucket: str, key: str) -> StoredObject | None:
    """S13: the list's record of the object, which alone has its last access; None if the list does not show it."""
    return find_row(workspace.storage(space), bucket, key)


def read_bucket(workspace: Workspace, space: str, bucket: str) -> Bucket | InterfaceError:
    """S4, or its failure, since the objects may be visible all the same. Raises `TokenRefused`."""
    try:
        return workspace.storage(space).buckets.get(bucket)
    except TokenRefused:
        raise
    except InterfaceError as failure:
        return failure
