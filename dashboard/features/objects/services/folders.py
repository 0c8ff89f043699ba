"""Resolve a typed path or a pasted address; create a folder."""

from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from dashboard.catalog import leases, receipts, writes
from dashboard.catalog.keys import PLACEHOLDER, folder, folder_of, name_of
from dashboard.catalog.uploads import UNKNOWN_TYPE, recorded
from dashboard.catalog.walk import list_rows, separate
from dashboard.features.objects.records import Query
from dashboard.tokens import spaces
from dashboard.tokens.workspace import Workspace

MOST_SUGGESTIONS = 30
# Paths between the storage's address and the bucket name.
PREFIXES = (
    "object/public/",
    "object/sign/",
    "object/authenticated/",
    "object/info/public/",
    "object/info/authenticated/",
    "object/info/",
    "render/image/public/",
    "render/image/sign/",
    "render/image/authenticated/",
    "object/",
)


@dataclass(frozen=True, slots=True)
class Location:
    """A folder or object in some bucket of the space."""

    bucket: str
    query: Query


def is_address(text: str) -> bool:
    """Whether this is a pasted address, which may contain a signed link's token, rather than a path."""
    text = text.strip()
    return "://" in text or text.startswith(("/object/", "/render/"))


def find(workspace: Workspace, space: str, bucket: str, text: str) -> Location | None:
    """Return the folder or object; None if there is none. S13 for a path; an address is only parsed."""
    if is_address(text):
        return _of_address(workspace, space, text.strip())
    path = text.lstrip("/")
    if not path or path.endswith("/"):
        return Location(bucket, Query(path=path))
    # A leading slash usually means the root, since few keys begin with one.
    candidates = dict.fromkeys([text, path])
    return next((place for one in candidates if (place := _of_path(workspace, space, bucket, one))), None)


def create_folder(workspace: Workspace, space: str, bucket: str, path: str) -> None:
    """Store the placeholder of an empty folder (S9). Raises `Conflict` if there is one."""
    key = path + PLACEHOLDER
    wanted = receipts.wanted(bucket, receipts.begun(key, 0), UNKNOWN_TYPE)
    with leases.lease(workspace, space, bucket, key), recorded(workspace, "S9", space, wanted):
        workspace.storage(space).objects.upload(bucket, key, b"", content_type=UNKNOWN_TYPE)
    writes.stored(workspace, space, bucket, key, size=0, mimetype=UNKNOWN_TYPE)


def _of_path(workspace: Workspace, space: str, bucket: str, path: str) -> Location | None:
    found = list_rows(workspace.storage(space), bucket, folder_of(path), search=name_of(path), limit=100)
    if any(shown == path and not entry.is_folder for shown, entry in found):
        return Location(bucket, Query(path=folder_of(path), open=path))
    # If several folders differ only in case, the service shows one; that one's page names the others.
    folders = [shown for shown, entry in found if entry.is_folder and shown.lower() == folder(path).lower()]
    return Location(bucket, Query(path=folder(path))) if folders else None


def suggestions(workspace: Workspace, space: str, bucket: str, text: str) -> list[str]:
    """Return paths that begin with this text, folders (ending in a slash) first; none for an address. S13."""
    if is_address(text):
        return []
    path = text.lstrip("/")
    inside = folder_of(path)
    storage = workspace.storage(space)
    merged = list_rows(storage, bucket, inside, search=name_of(path), limit=MOST_SUGGESTIONS)
    found = separate(storage, bucket, inside, merged).rows
    found.sort(key=lambda row: not row[1].is_folder)
    named = [shown for shown, entry in found if name_of(shown) != PLACEHOLDER or entry.size]
    return [shown for shown in named if shown.removesuffix("/") != inside.removesuffix("/")]


def _of_address(workspace: Workspace, space: str, address: str) -> Location | None:
    rest = _below(address, {spaces.address(space), workspace.storage_public_url(space) or ""})
    prefix = next((prefix for prefix in PREFIXES if rest.startswith(prefix)), None)
    if prefix is None:
        return None
    bucket, _, key = rest.removeprefix(prefix).partition("/")
    bucket, key = unquote(bucket), unquote(key)
    if not bucket or "/" in bucket or bucket in {".", ".."}:
        return None
    return Location(bucket, Query(path=folder_of(key), open=key if name_of(key) else ""))


def _below(address: str, bases: set[str]) -> str:
    """Return an address's path relative to the storage's own, without its query; "" if it is elsewhere."""
    try:
        asked = urlsplit(address)
    except ValueError:
        return ""
    if not asked.netloc:
        return asked.path.lstrip("/")
    for base in filter(None, bases):
        known = urlsplit(base)
        if asked.netloc.casefold() == known.netloc.casefold() and asked.path.startswith(f"{known.path.rstrip('/')}/"):
            return asked.path.removeprefix(known.path.rstrip("/")).lstrip("/")
    return ""
