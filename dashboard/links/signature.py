"""One presigned link for one object."""

from typing import Literal

from dashboard.interfaces.errors import NotFound
from dashboard.interfaces.storage import StorageInterface


def signed_address(
    storage: StorageInterface, base: str, bucket: str, key: str, *, seconds: int, download: str | Literal[True] | None = None
) -> str:
    """The absolute address by which `key` can be read for so many seconds: S14; S15 for a "?", which no path of S14 carries.

    Raises `NotFound` where the object is not there, or not visible.
    """
    if "?" not in key:
        return storage.signing.sign(bucket, key, expires_in=seconds).address(base, download=download)
    item = storage.signing.sign_many(bucket, [key], expires_in=seconds)[0]
    if item.link is None:
        raise NotFound(operation="S15", service="storage", status=404, text=item.error or "")
    return item.link.address(base, download=download)
