"""Signed links: sign one object, and record which links were handed out, since the service keeps no list of them."""

import re
from collections.abc import Sequence
from datetime import datetime
from typing import Literal, NamedTuple
from urllib.parse import urlsplit

from dashboard.facts import memory
from dashboard.interfaces.errors import NotFound
from dashboard.interfaces.management.hostname import HostnameStatus
from dashboard.interfaces.storage import StorageInterface
from dashboard.links.models import RawLink
from dashboard.tokens.models import Kind
from dashboard.tokens.workspace import Workspace

# A record names this many keys and only counts the rest.
MOST_NAMED = 10_000
_HOST = re.compile(r"[a-z0-9-]+(\.[a-z0-9-]+)+", re.ASCII | re.IGNORECASE)


class CustomHost(NamedTuple):
    """A project's active custom hostname, and when it was last seen to be active."""

    name: str
    read_at: datetime

    def replace_in(self, base: str) -> str:
        """Return the storage address with this host, for links only: we never call it."""
        return urlsplit(base)._replace(scheme="https", netloc=self.name).geturl()


def custom_host(workspace: Workspace, space: str, base: str) -> CustomHost | None:
    """Return the custom hostname for the host of `base`, as this token last read it (M15). Calls no service.

    None if the host is not the project's own.
    """
    if space not in (urlsplit(base).hostname or "").split("."):
        return None
    kept = memory.load([space], memory.tokens_of(workspace, [space])).get((space, "hostname"))
    if kept is None or kept.read_at is None or kept.value["status"] != HostnameStatus.SERVICES_RECONFIGURED.value:
        return None
    name = kept.value["hostname"]
    return CustomHost(name, kept.read_at) if _HOST.fullmatch(name) else None


def signed_address(
    storage: StorageInterface, base: str, bucket: str, key: str, *, seconds: int, download: str | Literal[True] | None = None
) -> str:
    """Return an absolute address that reads `key` for some seconds: S14, or S15 where a name has "?", which S14 can't carry.

    Raises `NotFound` if the object is missing or not visible.
    """
    if "?" not in f"{bucket}/{key}":
        return storage.signing.sign(bucket, key, expires_in=seconds).address(base, download=download)
    item = storage.signing.sign_many(bucket, [key], expires_in=seconds)[0]
    if item.link is None:
        raise NotFound(operation="S15", service="storage", status=404, text=item.error or "")
    return item.link.address(base, download=download)


def download_of(name: str | None, key: str, number: int = 0) -> str | Literal[True] | None:
    """Return what `SignedLink.address` takes for one of several links. `name` as in `OpensForm.download`."""
    return None if name is None else saved_as(name, key, number) if name else True


def saved_as(name: str, key: str, number: int = 0) -> str:
    """Return the file name of a download: `name`, with the key's ending if it has none, and with a number other than 0."""
    own = key.rpartition("/")[2]
    stem, dot, ending = (name if "." in name else own).rpartition(".")
    stem = stem if "." in name else name
    return f"{stem}{f' {number}' if number else ''}{dot}{ending if dot else ''}"


def note_raw(workspace: Workspace, space: str, bucket: str, keys: Sequence[str], ends_at: datetime) -> RawLink | None:
    """Record that this person was given signed links to these objects; never the links themselves."""
    if not keys:
        return None
    named, granted = list(keys[:MOST_NAMED]), workspace.grant_at(Kind.STORAGE, space)
    return RawLink.objects.create(
        person_id=workspace.person.pk,
        grant_id=granted.grant.pk if granted else None,
        space=space,
        bucket=bucket,
        keys=named,
        count=len(keys),
        ends_at=ends_at,
    )


def note_more(raw_id: int, keys: Sequence[str], ends_at: datetime) -> None:
    """Add links to a record. Call it in the transaction that stores the links."""
    raw = RawLink.objects.select_for_update().get(pk=raw_id)
    raw.keys = [*raw.keys, *keys][:MOST_NAMED]
    raw.count += len(keys)
    raw.ends_at = max(raw.ends_at, ends_at)
    raw.save(update_fields=("keys", "count", "ends_at"))
