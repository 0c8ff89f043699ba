"""Browse a folder, with one object open beside it."""

from collections.abc import Callable
from concurrent.futures import Future
from functools import partial

from django.http import HttpResponse
from django.views.decorators.http import require_safe
from django_htmx.http import reselect, reswap, retarget

from dashboard.catalog import named_buckets, queries
from dashboard.catalog.keys import printable
from dashboard.features.objects.forms import read_query
from dashboard.features.objects.records import Query
from dashboard.features.objects.services.browse import (
    Containing,
    Folder,
    Sizes,
    find_in_index,
    find_in_rows,
    read_folder,
    read_sizes,
    with_containing,
)
from dashboard.features.objects.services.details import read_bucket, try_object
from dashboard.features.objects.views import rows, thumbnails
from dashboard.features.objects.views.details import DETAILS, panel, show, title_of
from dashboard.interfaces.errors import InterfaceError, NotAllowed, NotFound, TimedOut
from dashboard.interfaces.storage.buckets import Bucket
from dashboard.snapshots import schedule
from dashboard.snapshots.sight import sees
from dashboard.tokens.access import WorkspaceRequest, with_workspace
from dashboard.tokens.sight import emptiness
from dashboard.tokens.workspace import Workspace
from dashboard.web.failures.retries import retry_of
from dashboard.web.pages.answers import page
from dashboard.web.pages.htmx import wants_part
from dashboard.web.process.database import give_back
from dashboard.web.process.parallel import later

LIST = "objects-list"
MORE = "objects-more-"
# A list is not delayed longer than this for its bucket's settings.
PATIENCE_SECONDS = 1.0
VERBS = ("folder", "upload", "plan", "download", "preview", "deletion", "selection", "going", "paths")


@require_safe
@with_workspace
def index(request: WorkspaceRequest, space: str, bucket: str) -> HttpResponse:
    """S13 and S4, and S19 for an open object, in parallel; M1 for the project's name (cached). For rows alone only S13."""
    query = read_query(request.GET)
    target = (request.htmx.target or "") if wants_part(request) else ""
    if target == DETAILS:
        return show(request, space, bucket, query)
    here = (request.workspace, space, bucket)
    below = f"{MORE}{query.offset}"
    alone = target in (LIST, below)
    # Start the slow calls first; read the database while they run.
    listed = later(partial(read_folder, *here, query, below=target == below))
    asked = None if alone else later(partial(read_bucket, *here))
    told = later(partial(try_object, *here, query.open)) if asked and query.open else None
    title = title_of(request, space)
    known = queries.state(*here)
    containing = containing_of(request, space, bucket, query, known) if query.search else None
    context = {"space_title": title, **_before(*here, query), "plan": schedule.find(*here) if asked else None}
    give_back()
    folder = listed.result()
    if containing:
        folder = with_containing(folder, containing())
    if not folder.entries:
        _refuse_hidden(*here, asked.result if asked else partial(read_bucket, *here))
        title = "This folder is empty" if query.path else "This bucket is empty"
        context["empty"] = emptiness(*here, query.path, certain=title)
    found = _in_time(asked) if asked else None
    if told:
        entry = next((one for one in folder.entries if query.path + one.name == query.open and not one.is_folder), None)
        opened = panel(
            *here,
            query.open,
            found=found,
            info=told.result(),
            entry=entry,
            host=request.get_host(),
            query=query,
            rest=request.get_full_path(),
        )
        context |= {"panel": opened, "retry": retry_of(request, opened.failed) if opened.failed else None}
    context["alone"] = target == LIST
    thumbnail = thumbnails.addresses(request, space, bucket)
    context |= _after(rows.bucket_address(space, bucket), folder, found, read_sizes(*here, folder, known), thumbnail)
    parts = {"objects": "objects/_browser.html", LIST: "objects/_list.html", below: "objects/_more_rows.html"}
    response = page(request, "objects/index.html", context, parts=parts)
    if target == below:
        # The row that asked stays in its block, so that a failure replaces that row alone.
        reselect(retarget(reswap(response, "afterend"), f"tbody:has(> #{below})"), "tbody")
    return response


def containing_of(
    request: WorkspaceRequest, space: str, bucket: str, query: Query, known: queries.Known | None
) -> Callable[[], Containing]:
    """Names that contain the text of the filter: from the index, else from rows that are read beside the list."""
    here = (request.workspace, space, bucket, query)
    if known and known.complete:
        found = find_in_index(*here, known.as_of)
        return lambda: found
    return later(partial(find_in_rows, *here)).result


def _refuse_hidden(workspace: Workspace, space: str, bucket: str, asked: Callable[[], Bucket | InterfaceError]) -> None:
    """S13 answers an empty list for a missing or forbidden bucket: raise S4's failure instead of showing it as empty.

    A bucket that was opened by its name is shown all the same: its files may be hidden from a token that can add some.
    """
    if not isinstance(found := asked(), InterfaceError):
        return
    if not isinstance(found, NotFound | NotAllowed) or bucket not in named_buckets.names(workspace, space):
        raise found


def _in_time(asked: Future[Bucket | InterfaceError]) -> Bucket | InterfaceError:
    try:
        return asked.result(timeout=PATIENCE_SECONDS)
    except TimeoutError:
        return TimedOut(operation="S4", service="storage")


def _before(workspace: Workspace, space: str, bucket: str, query: Query) -> dict[str, object]:
    """The context that needs no answer of the service."""
    base = rows.bucket_address(space, bucket)
    steps = rows.steps(query, base=base, bucket=bucket)
    return {
        "space": space,
        "bucket": bucket,
        "base": base,
        "query": query,
        "steps": steps,
        "columns": rows.columns(query, base=base),
        "time_column": rows.time_column(query, base=base),
        "by_size": rows.by_size(query, space, bucket),
        "here": base + query.text(open=""),
        "again": base + query.text(),
        "clear": base + query.text(search="", offset=0, open=""),
        "close": base + query.text(open=""),
        "first": base + query.text(offset=0, open="") if query.offset else "",
        "nothing": f"No names contain “{printable(query.search)}”",
        "other_view": base + query.text(view="list" if query.view == "grid" else "grid", open=""),
        "whole_bucket": rows.whole_bucket(query, space, bucket),
        "verbs": {verb: rows.verb_address(verb, space, bucket) for verb in VERBS},
        "title": steps[-1].name,
        "keeps_snapshots": sees(workspace, space),
    }


def _after(
    base: str, folder: Folder, found: Bucket | InterfaceError | None, sizes: Sizes | None, thumbnail: rows.Thumbnail
) -> dict[str, object]:
    following = base + folder.query.text(offset=folder.next_offset, open="")
    return {
        "settings": rows.settings_of(found),
        "blocks": rows.blocks(folder, sizes, thumbnail),
        "count": rows.count_sentence(folder),
        "twins": rows.twins(folder, base=base),
        "order": rows.order(folder),
        "searched": rows.searched(folder),
        "contents": rows.contents(folder, sizes),
        "as_of": sizes.as_of if sizes else None,
        "whole": folder.whole and not folder.query.search,
        "beyond": rows.beyond(folder, sizes),
        "grown": f"Up to entry {folder.next_offset:,}{'' if folder.more else ', the last one'}",
        "more": following if folder.grows else "",
        "more_id": f"{MORE}{folder.next_offset}",
        "jump": following if folder.more and not folder.grows else "",
        "jump_from": f"{folder.next_offset + 1:,}",
    }
