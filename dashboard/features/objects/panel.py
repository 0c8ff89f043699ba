"""The details of one object, each line ready to print."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from urllib.parse import quote

from dashboard.features.objects import rows
from dashboard.features.objects.rows import Member
from dashboard.index.places import folder_of, name_of, printable
from dashboard.interfaces.errors import InterfaceError
from dashboard.interfaces.paths import LITERAL
from dashboard.interfaces.storage.buckets import Bucket
from dashboard.interfaces.storage.records import ObjectInfo, StoredObject
from dashboard.tokens.workspace import Workspace
from dashboard.web.text import bytes_text, exact_bytes

KEY_LITERAL = f"{LITERAL}/"


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """One object beside its list. `public_address` is "" where there is none, `gone` where the object is not there (any more)."""

    key: str
    name: str
    folder: str
    folder_href: str
    gone: bool = False
    facts: list[Member] = field(default_factory=list)
    metadata: list[Member] = field(default_factory=list)
    others: list[Member] = field(default_factory=list)
    public_address: str = ""
    download: str = ""
    links: str = ""
    deletion: str = ""


def panel(
    workspace: Workspace,
    space: str,
    bucket: str,
    key: str,
    *,
    found: Bucket | InterfaceError,
    info: ObjectInfo | None,
    entry: StoredObject | None,
) -> Panel:
    """`info` is S19's word (None: gone), `entry` the list's, which alone knows of the last access and of further members."""
    folder = folder_of(key)
    base = rows.bucket_address(space, bucket)
    title, inside = printable(name_of(key)) or rows.NAMELESS, printable(folder)
    href = f"{base}?path={quote(folder, safe='')}" if folder else base
    if info is None:
        return Panel(key=key, name=title, folder=inside, folder_href=href, gone=True)
    query = f"?key={quote(key, safe='')}"
    storage = workspace.storage_public_url(space)
    public = isinstance(found, Bucket) and found.is_public and storage is not None
    return Panel(
        key=key,
        name=title,
        folder=inside,
        folder_href=href,
        facts=list(_facts(info, entry)),
        metadata=[Member(name, str(value)) for name, value in sorted((info.metadata or {}).items())],
        others=rows.other_members(entry),
        public_address=f"{storage}/object/public/{quote(bucket, safe=LITERAL)}/{quote(key, safe=KEY_LITERAL)}" if public else "",
        download=rows.verb_address("download", space, bucket) + query,
        links=rows.verb_address("links", space, bucket) + query,
        deletion=rows.verb_address("deletion", space, bucket) + query,
    )


def _facts(info: ObjectInfo, entry: StoredObject | None) -> Iterator[Member]:
    size = info.size if info.size is not None else (entry.size if entry else None)
    yield Member("Size", bytes_text(size), exact_bytes(size))
    yield Member("Type", info.content_type or (entry.mimetype if entry else None) or "not said")
    yield from rows.moment("Created", info.created_at or (entry.created_at if entry else None))
    yield from rows.moment("Changed", info.last_modified or (entry.updated_at if entry else None))
    yield from rows.moment("Last accessed", entry.last_accessed_at if entry else None)
    if info.etag:
        yield Member("ETag", info.etag.strip('"'), copy=True)
    yield Member("Cache control", info.cache_control or "none")
    if info.version:
        yield Member("Version", info.version, copy=True)
    if info.id:
        yield Member("Id", info.id, copy=True)
