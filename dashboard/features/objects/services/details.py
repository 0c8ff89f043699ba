"""Read one object and its bucket for the details panel."""

from dashboard.catalog.lookup import find_row
from dashboard.interfaces.errors import InterfaceError, NotFound, TokenRefused
from dashboard.interfaces.storage.buckets import Bucket
from dashboard.interfaces.storage.records import ObjectInfo, StoredObject
from dashboard.tokens.workspace import Workspace


def read_object(workspace: Workspace, space: str, bucket: str, key: str) -> ObjectInfo | None:
    """Return an object's details (S19); None if it is missing or not visible."""
    try:
        return workspace.storage(space).objects.info(bucket, key)
    except NotFound:
        return None


def try_object(workspace: Workspace, space: str, bucket: str, key: str) -> ObjectInfo | InterfaceError | None:
    """Return an object's details beside a list (S19), or the failure, except a refused token, since the list is shown anyway."""
    try:
        return read_object(workspace, space, bucket, key)
    except TokenRefused:
        raise
    except InterfaceError as failure:
        return failure


def find_entry(workspace: Workspace, space: str, bucket: str, key: str) -> StoredObject | None:
    """Return the list's record of the object, the only one with its last access (S13); None if the list does not show it."""
    return find_row(workspace.storage(space), bucket, key)


def read_bucket(workspace: Workspace, space: str, bucket: str) -> Bucket | InterfaceError:
    """Return the bucket (S4) or the failure, since the objects may still be visible. Raises `TokenRefused`."""
    try:
        return workspace.storage(space).buckets.get(bucket)
    except TokenRefused:
        raise
    except InterfaceError as failure:
        return failure
