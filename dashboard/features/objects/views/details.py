"""The details of one object beside its list, and the test of its public access."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from urllib.parse import quote

from django.http import HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from dashboard.catalog.keys import folder_of, name_of, printable
from dashboard.catalog.types import mark_of, type_text
from dashboard.features.objects.records import Query
from dashboard.features.objects.services.details import find_entry, read_bucket, read_object
from dashboard.features.objects.services.links import is_ours
from dashboard.features.objects.views import rows
from dashboard.features.objects.views.rows import Member
from dashboard.interfaces.errors import InterfaceError
from dashboard.interfaces.paths import LITERAL
from dashboard.interfaces.storage.buckets import Bucket
from dashboard.interfaces.storage.records import ObjectInfo, StoredObject
from dashboard.links.ledger import Row, of_object
from dashboard.snapshots.sight import sees
from dashboard.tokens.access import WorkspaceRequest, with_workspace
from dashboard.tokens.workspace import Workspace
from dashboard.viewer.looks import Kind, Look, look_of
from dashboard.web.failures.cards import Problem
from dashboard.web.failures.problems import problem_of
from dashboard.web.pages.answers import page
from dashboard.web.pages.htmx import wants_part
from dashboard.web.process.parallel import side_by_side
from dashboard.web.text import bytes_text, exact_bytes

DETAILS = "objects-details"
KEY_LITERAL = f"{LITERAL}/"
VERBS = ("download", "deletion", "preview", "bytes", "document", "publicity", "details")


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """One object. `gone`: missing or not visible; `failed`: why it could not be read; `is_public`: None if unknown.

    `rest`: the address of the complete panel, if members are still to be read. `look`: how it is shown; `bytes`: the address of
    an image, sound or video; `first`: that of the first page or lines of others; `view`: that of the viewer; `document`: that of
    a PDF, "" where browsers can't reach the storage. `kind`, `size` and `changed` stand below the name, `facts` under Technical.
    `mark` is what its icon shows. `earlier`: the address of its earlier versions, if there may be some.
    """

    key: str
    name: str
    folder: str
    folder_href: str
    gone: bool = False
    failed: Problem | None = None
    rest: str = ""
    kind: str = ""
    mark: tuple[str, str] = ("", "")
    size: str = ""
    changed: datetime | None = None
    facts: list[Member] = field(default_factory=list)
    metadata: list[Member] = field(default_factory=list)
    others: list[Member] = field(default_factory=list)
    shares: list[Row] = field(default_factory=list)
    is_public: bool | None = None
    public_address: str = ""
    look: Look = field(default_factory=lambda: Look(Kind.NONE))
    view: str = ""
    first: str = ""
    bytes: str = ""
    document: str = ""
    query: str = ""
    earlier: str = ""
    verbs: dict[str, str] = field(default_factory=dict)


def panel(
    workspace: Workspace,
    space: str,
    bucket: str,
    key: str,
    *,
    found: Bucket | InterfaceError | None,
    info: ObjectInfo | InterfaceError | None,
    entry: StoredObject | None,
    host: str,
    query: Query,
    rest: str = "",
) -> Panel:
    """`info`: the answer of S19 (None: missing) or its failure. `entry`: the list's record, which alone has the last access;
    `rest`: the address that reads it, if the list on the page does not hold it. `host`: our own; `query`: the list.
    """
    folder = folder_of(key)
    base = rows.bucket_address(space, bucket)
    title, inside = printable(name_of(key)) or rows.NAMELESS, printable(folder)
    href = f"{base}?path={quote(folder, safe='')}" if folder else base
    named = f"?key={quote(key, safe='')}"
    earlier = reverse("snapshots:versions", args=[space, bucket]) + named if sees(workspace, space) else ""
    if info is None:
        return Panel(key=key, name=title, folder=inside, folder_href=href, gone=True, earlier=earlier)
    if isinstance(info, InterfaceError):
        return Panel(key=key, name=title, folder=inside, folder_href=href, failed=problem_of(info))
    storage = workspace.storage_public_url(space)
    public = found.is_public if isinstance(found, Bucket) else None
    look = look_of(key, info.content_type or (entry.mimetype if entry else None))
    verbs = {verb: rows.verb_address(verb, space, bucket) + named for verb in VERBS}
    reachable = workspace.redirect_url(space) is not None and not is_ours(storage or "", host)
    return Panel(
        key=key,
        name=title,
        folder=inside,
        folder_href=href,
        rest="" if entry else rest,
        kind=type_text(key, info.content_type or (entry.mimetype if entry else None)),
        mark=mark_of(key, info.content_type or (entry.mimetype if entry else None)),
        size=bytes_text(_size(info, entry)),
        changed=info.last_modified or (entry.updated_at if entry else None),
        facts=list(_facts(info, entry)),
        metadata=[Member(name, _text(value), copy=True) for name, value in sorted((info.metadata or {}).items())],
        others=rows.other_members(entry) + [Member(name, _text(value)) for name, value in sorted((info.others or {}).items())],
        shares=of_object(workspace, space, bucket, key),
        is_public=public,
        public_address=f"{storage}/object/public/{quote(bucket, safe=LITERAL)}/{quote(key, safe=KEY_LITERAL)}"
        if public and storage
        else "",
        look=look,
        view=rows.view_address(query, space, bucket, key),
        first=verbs["preview"] if look.kind in (Kind.TEXT, Kind.PDF) else "",
        bytes=verbs["bytes"] if look.type else "",
        document=verbs["document"] if look.kind is Kind.PDF and reachable else "",
        query=named[1:],
        earlier=earlier,
        verbs=verbs,
    )


def _facts(info: ObjectInfo, entry: StoredObject | None) -> Iterator[Member]:
    size = _size(info, entry)
    changed, listed = info.last_modified, entry.updated_at if entry else None
    yield Member("Size", bytes_text(size), exact_bytes(size))
    yield Member("Type", info.content_type or (entry.mimetype if entry else None) or "unknown")
    yield from rows.moment("Created", info.created_at or (entry.created_at if entry else None))
    yield from rows.moment("Changed", changed or listed)
    if changed and listed and abs(changed - listed) >= timedelta(seconds=1):
        yield from rows.moment("Record changed", listed)
    etag = info.etag or (entry.etag if entry else None)
    if etag:
        yield Member("ETag", etag.strip('"'), copy=True)
    yield Member("Cache control", info.cache_control or (entry.cache_control if entry else None) or "none")
    if info.version:
        yield Member("Version", info.version, copy=True)
    if identity := info.id or (entry.id if entry else None):
        yield Member("Id", identity, copy=True)
    if owner := entry.owner if entry else None:
        yield Member("Owner", owner, copy=True)
    if info.bucket_id:
        yield Member("Bucket", info.bucket_id)


def _size(info: ObjectInfo, entry: StoredObject | None) -> int | None:
    return info.size if info.size is not None else (entry.size if entry else None)


def _text(value: object) -> str:
    """Text as it is, everything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


@require_safe
@with_workspace
def details(request: WorkspaceRequest, space: str, bucket: str) -> HttpResponse:
    """Show the details of an object as a page."""
    return show(request, space, bucket, Query(open=request.GET.get("key", "")))


def show(request: WorkspaceRequest, space: str, bucket: str, query: Query) -> HttpResponse:
    """S19, S13 and S4: the panel alone, empty if no object is open."""
    base = rows.bucket_address(space, bucket)
    title = space
    context: dict[str, object] = {"space": space, "bucket": bucket, "base": base, "close": base + query.text(open="")}
    status = 200
    if query.open:
        here = (request.workspace, space, bucket)
        info, found, entry, title = side_by_side(
            partial(read_object, *here, query.open),
            partial(read_bucket, *here),
            partial(find_entry, *here, query.open),
            partial(title_of, request, space),
        )
        opened = panel(*here, query.open, found=found, info=info, entry=entry, host=request.get_host(), query=query)
        context["panel"] = opened
        status = 404 if opened.gone and not request.htmx else 200
    context["space_title"] = title
    return page(request, "objects/details.html", context, parts={DETAILS: "objects/_details.html"}, status=status)


def title_of(request: WorkspaceRequest, space: str) -> str:
    """The space's title, which only whole pages show."""
    return space if wants_part(request) else request.workspace.title(space)
