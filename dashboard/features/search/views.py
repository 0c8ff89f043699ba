"""Search in a whole bucket, from what is known of it; and the crawl that learns it."""

from django.http import HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.text import slugify
from django.views.decorators.http import require_POST, require_safe
from django_htmx.http import reswap, retarget, trigger_client_event

from dashboard.catalog import crawl as bucket_crawl
from dashboard.catalog import queries
from dashboard.catalog.queries import Known
from dashboard.catalog.query import EVERYTHING, Filter
from dashboard.features.search import services
from dashboard.features.search.forms import FieldsForm, read_query, text_of
from dashboard.features.search.services import Query
from dashboard.tokens.access import WorkspaceRequest, with_workspace
from dashboard.tokens.models import Kind
from dashboard.tokens.spaces import SHARED
from dashboard.web import spreadsheet
from dashboard.web.answers import done, page
from dashboard.web.downloads import attach
from dashboard.web.htmx import wants_part

MORE = "search-more-"
STATE = "search-state"


@require_safe
@with_workspace
def index(request: WorkspaceRequest, space: str, bucket: str) -> HttpResponse:
    """Nothing is asked of the service but the project's name (M1, once a minute)."""
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
        context | _found(request, space, bucket, known, query),
        parts={"search": everything, STATE: everything, "search-results": "search/_results.html", below: "search/_rows.html"},
    )
    if target == below:
        # The row that asked stays with its block, so that a failure takes the place of that row alone.
        retarget(reswap(response, "afterend"), f"tbody:has(> #{below})")
    elif target == STATE:
        # The box and the list appear with the first that is known.
        retarget(response, "#search")
    return response


@require_POST
@with_workspace
def crawl(request: WorkspaceRequest, space: str, bucket: str) -> HttpResponse:
    """Begin to read the whole bucket, or join whoever does so already with the same token."""
    home = _address("index", space, bucket)
    begun = bucket_crawl.begin(request.workspace, space, bucket, back=home)
    mine = begun.job.owner_id == request.user.pk
    link = ("Show the job", reverse("jobs:show", args=[begun.job.pk])) if mine or request.user.is_owner else None
    if not begun.joined:
        said = f"{bucket} is being read. You can leave this page."
    elif mine:
        said = f"{bucket} is being read already, since you asked for it before."
    else:
        said = f"{bucket} is being read already: {begun.job.owner} began it. What is found is there for you, too."
    return done(request, said, changed=("index", "jobs"), to=home, link=link)


@require_safe
@with_workspace
def export(request: WorkspaceRequest, space: str, bucket: str) -> HttpResponseBase:
    """All that match, as CSV, sent as it is read."""
    request.workspace.require(Kind.STORAGE, space)
    query = read_query(request.GET)
    asked = Filter.parse(query.q)
    if asked.problems or queries.state(request.workspace, space, bucket) is None:
        return redirect(_address("index", space, bucket) + query.text())
    lines = services.as_csv(request.workspace, space, bucket, asked)
    name = f"{slugify(bucket)[:60] or 'bucket'}-objects-{timezone.now():%Y-%m-%d}"
    return attach(lines, filename=f"{name}.csv", kind=spreadsheet.TYPE)


def _address(verb: str, space: str, bucket: str) -> str:
    return reverse(f"search:{verb}", kwargs={"space": space, "bucket": bucket})


def _place(request: WorkspaceRequest, space: str, bucket: str) -> dict[str, object]:
    return {
        "space": space,
        "bucket": bucket,
        "space_title": space if wants_part(request) else request.workspace.title(space),
        "is_project": space != SHARED,
        "base": reverse("objects:index", kwargs={"space": space, "bucket": bucket}),
        "home": _address("index", space, bucket),
        "crawl_url": _address("crawl", space, bucket),
    }


def _state(known: Known | None, query: Query, home: str) -> dict[str, object]:
    """`state_url` remembers what was shown, so that the end of a crawl is told to the list."""
    here = home + query.text(offset=0)
    was = "unknown" if known is None else "crawling" if known.crawling else ""
    return {
        "known": services.words_of(known) if known else None,
        "query": query,
        "here": here,
        "state_url": f"{here}{'&' if '?' in here else '?'}was={was}" if was else here,
        "job_url": reverse("jobs:show", args=[known.job_id]) if known and known.job_id else "",
    }


def _found(request: WorkspaceRequest, space: str, bucket: str, known: Known | None, query: Query) -> dict[str, object]:
    asked = Filter.parse(query.q)
    home, base = _address("index", space, bucket), reverse("objects:index", kwargs={"space": space, "bucket": bucket})
    context: dict[str, object] = {"asked": asked, "problems": asked.problems, "form": FieldsForm.showing(asked)}
    found = services.find(request.workspace, space, bucket, asked, query)
    if known is None or found is None or asked.problems:
        return context
    end = query.offset + len(found.rows)
    shows_folders = asked.is_a_place and not query.offset
    path = asked.folders[0] if asked.folders else ""
    return context | {
        "found": found,
        "rows": list(services.rows(found, query, base=base)),
        "columns": services.columns(query, home=home),
        "count": services.count_sentence(found, asked),
        "more": home + query.text(offset=end) if end < found.total and found.rows else "",
        "more_id": f"{MORE}{end}",
        "first": home + query.text(offset=0) if query.offset else "",
        "folders": services.folders(request.workspace, space, bucket, known, path, home=home, base=base) if shows_folders else [],
        "path": path,
        "filter": query.q or EVERYTHING,
        "export_url": _address("export", space, bucket) + Query(q=query.q).text(),
        "all_label": f"All {found.total:,} that match" if not asked.finds_all else f"All {found.total:,} objects of the bucket",
    }
