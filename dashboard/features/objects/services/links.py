"""Create signed links: for a download that starts at once, or to hand out."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from urllib.parse import urlsplit

from dashboard.catalog.uploads import original_name
from dashboard.interfaces.errors import InterfaceError
from dashboard.links.signed import download_of, note_raw, signed_address
from dashboard.tokens.workspace import Workspace

DOWNLOAD_SECONDS = 60
AT_ONCE = 1000


@dataclass(frozen=True, slots=True)
class CreatedLink:
    """A signed link: its absolute address, or the service's refusal."""

    key: str
    address: str = field(repr=False)
    refusal: str


@dataclass(frozen=True, slots=True)
class Created:
    """The links of one request and when they expire."""

    links: list[CreatedLink]
    ends_at: datetime

    @property
    def good(self) -> list[CreatedLink]:
        return [link for link in self.links if link.address]

    @property
    def refused(self) -> list[CreatedLink]:
        return [link for link in self.links if link.refusal]


def download_address(workspace: Workspace, space: str, bucket: str, key: str, *, name: str) -> str | None:
    """Return a signed link of 60 seconds that saves the object under a name. None if browsers can't reach the storage."""
    base = workspace.redirect_url(space)
    if base is None:
        return None
    storage = workspace.storage(space)
    return signed_address(storage, base, bucket, key, seconds=DOWNLOAD_SECONDS, download=name or True)


def read_name(workspace: Workspace, space: str, bucket: str, key: str) -> str:
    """Return the name of the file that an object was uploaded from (S19); "" if unknown."""
    try:
        return original_name(workspace.storage(space).objects.info(bucket, key).metadata)
    except InterfaceError:
        return ""


def open_address(workspace: Workspace, space: str, bucket: str, key: str, *, host: str) -> str | None:
    """Return a signed link of 60 seconds that shows the object. None if browsers can't reach the storage, or only on `host`."""
    base = workspace.redirect_url(space)
    if base is None or is_ours(base, host):
        return None
    return signed_address(workspace.storage(space), base, bucket, key, seconds=DOWNLOAD_SECONDS)


def is_ours(base: str, host: str) -> bool:
    """Whether the storage has our own host, where untrusted files must not be shown."""
    return urlsplit(base).netloc.casefold() == host.casefold()


def create_links(
    workspace: Workspace,
    space: str,
    bucket: str,
    keys: Sequence[str],
    *,
    ends_at: datetime,
    base: str,
    download: str | None = None,
) -> Created:
    """Sign up to 1,000 keys (S15). Each object gets a link or a refusal. `download` as in `OpensForm`."""
    seconds = max(1, round((ends_at - datetime.now(UTC)).total_seconds()))
    target = f"object {bucket}/{keys[0]}" if len(keys) == 1 else f"{len(keys)} objects in {bucket}"
    with workspace.record("S15", target=target, place=space, right="link signed") as change:
        items = workspace.storage(space).signing.sign_many(bucket, keys, expires_in=seconds)
        links = [
            CreatedLink(
                key,
                item.link.address(base, download=download_of(download, key, number)) if item.link else "",
                "" if item.link else item.error or "No link was returned.",
            )
            for number, (key, item) in enumerate(zip(keys, items, strict=True), 1 if len(keys) > 1 else 0)
        ]
        ends = [item.link.expires_at for item in items if item.link and item.link.expires_at]
        said = max(ends, default=datetime.now(UTC) + timedelta(seconds=seconds))
        change.after = {"ends_at": said.isoformat(), "keys": [link.key for link in links if link.address]}
    note_raw(workspace, space, bucket, [link.key for link in links if link.address], said)
    return Created(links=links, ends_at=said)
