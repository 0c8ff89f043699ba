"""Where a typed path or a pasted address leads."""

from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from dashboard.catalog.keys import PLACEHOLDER, folder, folder_of, name_of
from dashboard.catalog.walk import list_rows
from dashboard.features.objects.services.browse import Query
from dashboard.tokens import spaces
from dashboard.tokens.workspace import Workspace

OFFERS = 30
# What stands between the storage's address and the bucket in addresses of objects.
WAYS = (
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
class Place:
    """A list in some bucket of the space."""

    bucket: str
    query: Query


def is_address(text: str) -> bool:
    """Was an address pasted, rather than a path typed? Such a text may hold the token of a signed link."""
    text = text.strip()
    return "://" in text or text.startswith(("/object/", "/render/"))


def find(workspace: Workspace, space: str, bucket: str, text: str) -> Place | None:
    """The folder or object meant; None where there is none. An address is read without asking, a path by S13."""
    if is_address(text):
        return _of_address(workspace, space, text.strip())
    path = text.lstrip("/")
    if not path or path.endswith("/"):
        return Place(bucket, Query(path=path))
    # Few buckets have keys that begin with a slash; most people who type one in front mean the root.
    ways = dict.fromkeys([text, path])
    return next((place for way in ways if (place := _of_path(workspace, space, bucket, way))), None)


def _of_path(workspace: Workspace, space: str, bucket: str, path: str) -> Place | None:
    found = list_rows(workspace.storage(space), bucket, folder_of(path), search=name_of(path), limit=100)
    if any(shown == path and not entry.is_folder for shown, entry in found):
        return Place(bucket, Query(path=folder_of(path), open=path))
    # Of folders that differ in case alone the service shows one; the page of each tells of the others.
    folders = [shown for shown, entry in found if entry.is_folder and shown.lower() == folder(path).lower()]
    return Place(bucket, Query(path=folder(path))) if folders else None


def offers(workspace: Workspace, space: str, bucket: str, text: str) -> list[str]:
    """S13: paths that begin like this one, folders (with their slash) first; nothing for an address."""
    if is_address(text):
        return []
    path = text.lstrip("/")
    inside = folder_of(path)
    found = list_rows(workspace.storage(space), bucket, inside, search=name_of(path), limit=OFFERS)
    found.sort(key=lambda row: not row[1].is_folder)
    named = [shown for shown, entry in found if name_of(shown) != PLACEHOLDER or entry.size]
    return [shown for shown in named if shown.removesuffix("/") != inside.removesuffix("/")]


def _of_address(workspace: Workspace, space: str, address: str) -> Place | None:
    rest = _below(address, {spaces.address(space), workspace.storage_public_url(space) or ""})
    way = next((way for way in WAYS if rest.startswith(way)), None)
    if way is None:
        return None
    bucket, _, key = rest.removeprefix(way).partition("/")
    bucket, key = unquote(bucket), unquote(key)
    if not bucket or "/" in bucket or bucket in {".", ".."}:
        return None
    return Place(bucket, Query(path=folder_of(key), open=key if name_of(key) else ""))


def _below(address: str, bases: set[str]) -> str:
    """The path of an address below the storage's own, without its query; "" for another place."""
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
