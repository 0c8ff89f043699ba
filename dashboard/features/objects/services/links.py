"""Presigned links: for a download that starts at once, and to give away."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from urllib.parse import urlsplit

from dashboard.catalog.keys import name_of
from dashboard.links.signed import note_raw, signed_address
from dashboard.tokens.workspace import Workspace

DOWNLOAD_SECONDS = 60
AT_ONCE = 1000


@dataclass(frozen=True, slots=True)
class GivenLink:
    """One link to hand out: its absolute address, or the words in which the service refused it ("" otherwise)."""

    key: str
    address: str = field(repr=False)
    refusal: str


@dataclass(frozen=True, slots=True)
class Given:
    """The links of one request and the instant at which they end."""

    links: list[GivenLink]
    ends_at: datetime

    @property
    def good(self) -> list[GivenLink]:
        return [link for link in self.links if link.address]

    @property
    def refused(self) -> list[GivenLink]:
        return [link for link in self.links if link.refusal]


def download_address(workspace: Workspace, space: str, bucket: str, key: str) -> str | None:
    """Where the browser gets the bytes for the next 60 seconds, saved under the key's last name. None: stream it instead."""
    base = workspace.storage_public_url(space)
    if base is None:
        return None
    storage = workspace.storage(space)
    return signed_address(storage, base, bucket, key, seconds=DOWNLOAD_SECONDS, download=name_of(key) or True)


def open_address(workspace: Workspace, space: str, bucket: str, key: str, *, host: str) -> str | None:
    """Where the browser shows the object for the next 60 seconds. None where that can't be reached, or is on our own `host`."""
    base = workspace.storage_public_url(space)
    if base is None or is_ours(base, host):
        return None
    return signed_address(workspace.storage(space), base, bucket, key, seconds=DOWNLOAD_SECONDS)


def is_ours(base: str, host: str) -> bool:
    """Do browsers reach the storage below our own host? Then nothing of a stranger may be shown there."""
    return urlsplit(base).netloc.casefold() == host.casefold()


def give_links(workspace: Workspace, space: str, bucket: str, keys: Sequence[str], *, ends_at: datetime, base: str) -> Given:
    """S15 once for at most 1,000 keys: every object has its link or its refusal, none fails the others."""
    seconds = max(1, round((ends_at - datetime.now(UTC)).total_seconds()))
    target = f"object {bucket}/{keys[0]}" if len(keys) == 1 else f"{len(keys)} objects in {bucket}"
    with workspace.record("S15", target=target, place=space) as change:
        items = workspace.storage(space).signing.sign_many(bucket, keys, expires_in=seconds)
        links = [
            GivenLink(key, item.link.address(base) if item.link else "", "" if item.link else item.error or "No link came back.")
            for key, item in zip(keys, items, strict=True)
        ]
        ends = [item.link.expires_at for item in items if item.link and item.link.expires_at]
        said = max(ends, default=datetime.now(UTC) + timedelta(seconds=seconds))
        change.after = {"ends_at": said.isoformat(), "keys": [link.key for link in links if link.address]}
    note_raw(workspace, space, bucket, [link.key for link in links if link.address], said)
    return Given(links=links, ends_at=said)
