"""Search a whole bucket by its index, and start the crawl that builds it."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from urllib.parse import urlencode

from django.http import HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.text import slugify
from django.views.decorators.http import require_POST, require_safe
from django_htmx.http import reswap, retarget, trigger_client_event

from dashboard.catalog import crawl as bucket_crawl
from dashboard.catalog import queries
from dashboard.catalog.keys import folder_of, name_of, printable
from dashboard.catalog.queries import Found, Known
from dashboard.catalog.query import EVERYTHING, Filter
from dashboard.catalog.walk import Entry
from dashboard.features.search.forms import FieldsForm, read_query, text_of
from dashboard.features.search.records import Query
from dashboard.snapshots.sight import sees
from dashboard.team.rights import needs
from dashboard.tokens.access import WorkspaceRequest, with_workspace
from dashboard.tokens.models import Kind
from dashboard.tokens.sight import emptiness
from dashboard.web.files import spreadsheet
from dashboard.web.files.downloads import attach
from dashboard.web.pages.answers import done, page
from dashboard.web.pages.finder import Hit
from dashboard.web.pages.htmx import wants_part
from dashboard.web.pages.navigation import inner_address
from dashboard.web.pages.sort_order import Sort, column
from dashboard.web.text import bytes_text, counted, halves, relative

MORE = "search-more-"
STATE = "search-state"
NAMELESS = "(no name)"
PALETTE_ROWS = 6
PAGE = 100
MOST_FOLDERS = 8
SHARE = "share"
LABELS = {"name": "Name", "path": "Path", "size": "Size", "type": "Type", "changed": "Changed", "created": "Created"}
KINDS = {"size": "size", "changed": "time", "created": "time"}
CSV_COLUMNS = ("key", "bytes", "type", "changed", "created", "etag")


@dataclass(frozen=True, slots=True)
class Row:
    """One result, preformatted because lists are long. `href` opens it in its folder, `folder_href` only the folder."""

    key: str
    name: str
    head: str
    tail: str
    href: str
    folder: str
    folder_href: str
    bytes: int
    size: str
    type: str
    time: str
    time_at: str


@require_safe
@with_workspace
def index(request: WorkspaceRequest, space: str, bucket: str) -> HttpResponse:
    """Show results from the index. Calls the service only for the project's name (M1, cached)."""
    request.workspace.require(Kind.STORAGE, space)
    home = _address("index", space, bucket)
    if "fields" in request.GET:
        return redirect(home + Query(q=text_of(request.GET)).text())
    query = read_query(request.GET)
    known = queries.state(request.workspace, space, bucket)
    target = (request.htmx.target or "") if request.htmx else ""
    context = _place(request, space, bucket) | _state(known, query, home)
    was = request.GET.get("was", "")
    if target == STATE and not (was == "unknown" and known):
        response = page(request, "search/_state.html", context)
        ended = was == "crawling" and not (known and known.crawling)
        return trigger_client_event(response, "index:changed") if ended else response
    below = f"{MORE}{query.offset}"
    everything = "search/_search.html"
    response = page(
        request,
        "search/index.html",
        context | _results(request, space, bucket, known, query),
        parts={"search": everything, STATE: everything, "search-results": "search/_results.html", below: "search/_rows.html"},
    )
    if target == below:
        # Keep the requesting row in its block, so that a failure replaces only that row.
        retarget(reswap(response, "afterend"), f"tbody:has(> #{below})")
    elif target == STATE:
        # The search box and the list appear with the first results.
        retarget(response, "#search")
    return response


def found(request: WorkspaceRequest, query: str) -> Iterator[Hit]:
    """Yield objects from all indexes of the person's tokens, for the command palette."""
    for found in queries.by_name(request.workspace, query, limit=PALETTE_ROWS) if query else ():
        folder = folder_of(found.key)
        yield Hit(
            name=printable(name_of(found.key)),
            href=inner_address("bucket", found.space, found.bucket, path=folder, open=found.key),
            icon="file",
            note=f"{found.bucket}/{printable(folder)}",
        )


def shareable(request: WorkspaceRequest, query: str) -> Iterator[Hit]:
    """Yield where to share the objects that "share contract.pdf" names, for the command palette."""
    verb, _, name = query.partition(" ")
    wanted = name.strip() if verb.casefold() == SHARE else ""
    for found in queries.by_name(request.workspace, wanted, limit=PALETTE_ROWS) if wanted else ():
        yield Hit(
            name=f"Share {printable(name_of(found.key))}",
            href=f"{reverse('sharing:new', args=(found.space, found.bucket))}?{urlencode({'key': found.key})}",
            icon="share-2",
            note=f"{found.bucket}/{printable(folder_of(found.key))}",
        )


@require_POST
@with_workspace
def crawl(request: WorkspaceRequest, space: str, bucket: str) -> HttpResponse:
    """Start counting the bucket, or join a running crawl with the same token."""
    home = _address("index", space, bucket)
    begun = bucket_crawl.begin(request.workspace, space, bucket, back=home)
    mine = begun.job.owner_id == request.user.pk
    link = ("Show job", reverse("jobs:show", args=[begun.job.pk])) if mine or request.user.is_owner else None
    message = f"Counting {bucket}."
    if begun.joined:
        message = f"{bucket} is already being counted{'' if mine else f' by {begun.job.owner}'}."
    return done(request, message, changed=("index", "jobs"), to=home, link=link)


@require_safe
@with_workspace
@needs("list exported")
def export(request: WorkspaceRequest, space: str, bucket: str) -> HttpResponseBase:
    """Export all results as CSV."""
    request.workspace.require(Kind.STORAGE, space)
    query = read_query(request.GET)
    asked = Filter.parse(query.q)
    if asked.problems or queries.state(request.workspace, space, bucket) is None:
        return redirect(_address("index", space, bucket) + query.text())
    lines = _csv_lines(queries.keys(request.workspace, space, bucket, asked))
    name = f"{slugify(bucket)[:60] or 'bucket'}-objects-{timezone.now():%Y-%m-%d}"
    return attach(lines, filename=f"{name}.csv", kind=spreadsheet.TYPE)


def _address(verb: str, space: str, bucket: str) -> str:
    return reverse(f"search:{verb}", kwargs={"space": space, "bucket": bucket})


def _place(request: WorkspaceRequest, space: str, bucket: str) -> dict[str, object]:
    return {
        "space": space,
        "bucket": bucket,
        "name": printable(bucket),
        "space_title": space if wants_part(request) else request.workspace.title(space),
        "base": inner_address("bucket", space, bucket),
        "home": _address("index", space, bucket),
        "crawl_url": _address("crawl", space, bucket),
    }


def _state(known: Known | None, query: Query, home: str) -> dict[str, object]:
    """Return the state's context. `state_url` contains the state shown, so that the list refreshes when the crawl ends."""
    here = home + query.text(offset=0)
    was = "unknown" if known is None else "crawling" if known.crawling else ""
    return {
        "known": known,
        "query": query,
        "here": here,
        "state_url": f"{here}{'&' if '?' in here else '?'}was={was}" if was else here,
        "job_url": reverse("jobs:show", args=[known.job_id]) if known and known.job_id else "",
    }


def _results(request: WorkspaceRequest, space: str, bucket: str, known: Known | None, query: Query) -> dict[str, object]:
    asked = Filter.parse(query.q)
    home = _address("index", space, bucket)
    context: dict[str, object] = {"asked": asked, "problems": asked.problems, "form": FieldsForm.showing(asked)}
    found = queries.search(
        request.workspace, space, bucket, asked, sort=query.sort.column, order=query.sort.order, offset=query.offset, limit=PAGE
    )
    if known is None or found is None or asked.problems:
        return context
    end = query.offset + len(found.rows)
    path = asked.folders[0] if asked.folders else ""
    is_folder = asked.is_one_folder and not query.offset
    folders = queries.largest(request.workspace, space, bucket, path, limit=MOST_FOLDERS) if is_folder else []
    total = counted(found.total, "object")

    def address(order: Sort) -> str:
        return home + query.text(sort=order, offset=0)

    return context | {
        "found": found,
        "rows": list(_rows(found, query, partial(inner_address, "bucket", space, bucket))),
        "columns": {
            name: column(name, label, query.sort, kind=KINDS.get(name, "text"), address=address) for name, label in LABELS.items()
        },
        "count": f"{total}, {bytes_text(found.bytes)}" if found.total else "No objects",
        "more": home + query.text(offset=end) if end < found.total and found.rows else "",
        "more_id": f"{MORE}{end}",
        "first": home + query.text(offset=0) if query.offset else "",
        "deleted": _deleted(request, space, bucket, asked) if not query.offset else "",
        "folders": [(large, printable(large.path[len(path) :]), large.bytes / (known.bytes or 1)) for large in folders],
        "path": path,
        "filter": query.q or EVERYTHING,
        "export_url": _address("export", space, bucket) + Query(q=query.q).text(),
        "empty": None if found.total else emptiness(request.workspace, space, bucket, certain="No objects"),
        "all_label": f"All {total} in the bucket" if asked.finds_all else f"All {counted(found.total, 'match', 'matches')}",
    }


def _deleted(request: WorkspaceRequest, space: str, bucket: str, asked: Filter) -> str:
    """The address of the deleted files that match, if there may be some."""
    is_asked = not asked.finds_all and sees(request.workspace, space)
    return reverse("snapshots:deleted", args=[space, bucket], query={"q": asked.text}) if is_asked else ""


def _rows(found: Found, query: Query, address: Callable[..., str]) -> Iterator[Row]:
    """`address` is that of the bucket's browser, with a query."""
    created = query.sort.column == "created"
    for entry in found.rows:
        name = printable(name_of(entry.key)) or NAMELESS
        path = folder_of(entry.key)
        head, tail = halves(name)
        moment = entry.created_at if created else entry.updated_at
        yield Row(
            key=entry.key,
            name=name,
            head=head,
            tail=tail,
            href=address(path=path, open=entry.key),
            folder=printable(path) or "(root)",
            folder_href=address(path=path),
            bytes=entry.size or 0,
            size=bytes_text(entry.size),
            type=entry.mimetype or "Unknown",
            time=relative(moment) if moment else "",
            time_at=moment.isoformat(timespec="seconds") if moment else "",
        )


def _csv_lines(entries: Iterable[Entry]) -> Iterator[str]:
    yield spreadsheet.line(CSV_COLUMNS)
    for entry in entries:
        times = (moment.isoformat() if moment else "" for moment in (entry.updated_at, entry.created_at))
        yield spreadsheet.line((entry.key, entry.size, entry.mimetype, *times, entry.etag))
