"""The spaces, and the buckets of one."""

from collections.abc import Sequence

from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_GET

from dashboard.catalog import queries
from dashboard.features.buckets.forms.buckets import Filter
from dashboard.features.buckets.services import buckets as buckets_service
from dashboard.features.buckets.services import settings
from dashboard.features.buckets.views.rows import rows_of, space_rows
from dashboard.interfaces.storage.buckets import Bucket
from dashboard.links.ledger import counts
from dashboard.tokens.access import WorkspaceRequest, with_workspace
from dashboard.tokens.spaces import SHARED, mode
from dashboard.web.answers import page
from dashboard.web.pagination import part_of, patient
from dashboard.web.parallel import in_time, side_by_side

LIST = "bucket-list"
SPACES = "space-list"
PATIENCE_SECONDS = 1.5


@require_GET
@with_workspace
def spaces(request: WorkspaceRequest) -> HttpResponse:
    if mode() == "none":
        raise Http404("There is no storage here.")
    workspace = request.workspace
    if request.htmx.target == SPACES or "wait" in request.GET:
        found = buckets_service.list_spaces(workspace)
    elif read := in_time(lambda: buckets_service.list_spaces(workspace), seconds=PATIENCE_SECONDS):
        found = read[0]
    else:
        found = None
    if found is not None and len(found) == 1:
        return redirect(reverse("buckets:index", args=[found[0].name]))
    search = request.GET.get("q", "").strip()
    shown = workspace.known_spaces() if found is None else found
    context = {
        "rows": space_rows(shown, search=search),
        "total": len(shown),
        "search": search,
        "here": request.get_full_path(),
        "late": patient(request) if found is None else "",
    }
    return page(request, "buckets/spaces.html", context, parts={SPACES: "buckets/_spaces.html"})


@require_GET
@with_workspace
def index(request: WorkspaceRequest, space: str) -> HttpResponse:
    workspace = request.workspace
    workspace.storage(space)  # a missing key is said before anything is asked
    if request.htmx.target == LIST:
        return page(request, "buckets/_list.html", _listing(request, space, buckets_service.list_buckets(workspace, space)))
    buckets, title = side_by_side(lambda: buckets_service.list_buckets(workspace, space), lambda: workspace.title(space))
    context = {**_listing(request, space, buckets), "space_title": title, "is_project": space != SHARED}
    return page(request, "buckets/index.html", context)


def _listing(request: WorkspaceRequest, space: str, buckets: Sequence[Bucket]) -> dict[str, object]:
    asked = Filter.read(request.GET)
    settings.observe_list(request.workspace, space, buckets)
    states = queries.states(request.workspace, space)
    role = buckets_service.role_of(request.workspace, space)
    named = buckets_service.list_named(request.workspace, space, buckets)
    buckets = [*buckets, *named]
    found = buckets_service.arrange(buckets, states, search=asked.search, sort=asked.sort, descending=asked.descending)
    shown = part_of(request, found)
    return {
        "space": space,
        "rows": rows_of(
            shown.rows,
            states,
            counts(space, [bucket.id for bucket in shown.rows]),
            space,
            named={bucket.id for bucket in named},
        ),
        "page": shown,
        "found": len(found),
        "total": len(buckets),
        "asked": asked,
        "sort": request.GET.get("sort", ""),
        "role": "" if buckets else role,
        "named_url": "" if role == "service_role" else reverse("buckets:named", args=[space]),
        "here": request.get_full_path(),
        "new_url": reverse("buckets:new", args=[space]),
        "token_url": f"{reverse('account:token_new')}?kind=storage&space={space}",
    }
