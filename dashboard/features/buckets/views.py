"""Pages of the spaces and of the buckets in one."""

from collections.abc import Sequence

from django.http import Http404, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.html import format_html
from django.views.decorators.http import require_GET, require_http_methods

from dashboard.features.buckets import services
from dashboard.features.buckets.forms import EditBucketForm, Filter, NewBucketForm, name_advice
from dashboard.interfaces.names import bucket_name_problem
from dashboard.interfaces.storage.buckets import Bucket
from dashboard.tokens.access import WorkspaceRequest, with_workspace
from dashboard.tokens.spaces import SHARED, mode
from dashboard.web.answers import done, page, submit
from dashboard.web.confirm import confirm, sought
from dashboard.web.paging import part_of, patient
from dashboard.web.pool import in_time, side_by_side

LIST = "bucket-list"
SPACES = "space-list"
PATIENCE_SECONDS = 1.5
# A longer name would not fit on a button.
LONG = 40


@require_GET
@with_workspace
def spaces(request: WorkspaceRequest) -> HttpResponse:
    if mode() == "none":
        raise Http404("There is no storage here.")
    workspace = request.workspace
    if request.htmx.target == SPACES or "wait" in request.GET:
        found = services.list_spaces(workspace)
    elif read := in_time(lambda: services.list_spaces(workspace), seconds=PATIENCE_SECONDS):
        found = read[0]
    else:
        found = None
    if found is not None and len(found) == 1:
        return redirect(_home(found[0].name))
    search = request.GET.get("q", "").strip()
    shown = workspace.known_spaces() if found is None else found
    context = {
        "rows": services.space_rows(shown, search=search),
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
        return page(request, "buckets/_list.html", _listing(request, space, services.list_buckets(workspace, space)))
    buckets, title = side_by_side(lambda: services.list_buckets(workspace, space), lambda: workspace.title(space))
    context = {**_listing(request, space, buckets), "space_title": title, "is_project": space != SHARED}
    return page(request, "buckets/index.html", context)


@require_http_methods(["GET", "POST"])
@with_workspace
def new(request: WorkspaceRequest, space: str) -> HttpResponse:
    workspace = request.workspace
    workspace.storage(space)
    form = NewBucketForm(_typed(request), advice_url=reverse("buckets:advice", args=[space]))

    def perform() -> None:
        services.create_bucket(workspace, space, form.cleaned_data["name"], form.chosen())

    def then(_: None) -> HttpResponse:
        name = form.cleaned_data["name"]
        link = ("Open it", reverse("objects:index", args=[space, name]))
        return done(request, f"Bucket {name} created.", changed="buckets", to=_home(space), link=link)

    context = {"title": "New bucket", "back": _home(space)}
    return submit(request, form, "buckets/_form.html", perform=perform, then=then, context=context)


@require_GET
@with_workspace
def advice(request: WorkspaceRequest, space: str) -> HttpResponse:  # noqa: ARG001 - the address belongs to the space
    """What to say about a name while it is being typed. Asks no service."""
    name = request.GET.get("name", "").strip()
    context = {"problem": bucket_name_problem(name) if name else None, "advice": name_advice(name)}
    return page(request, "buckets/_advice.html", context)


@require_http_methods(["GET", "POST"])
@with_workspace
def edit(request: WorkspaceRequest, space: str, bucket: str) -> HttpResponse:
    workspace = request.workspace
    found = services.get_bucket(workspace, space, bucket)
    form = EditBucketForm(_typed(request), current=services.settings_of(found))
    publishing = form.is_bound and not form.is_valid() and "publish" in form.fields

    def perform() -> None:
        services.update_bucket(workspace, space, found, form.chosen())

    def then(_: None) -> HttpResponse:
        message = f"{found.name} is public now." if form.publishes else f"Settings of {found.name} saved."
        return done(request, message, changed="buckets", to=_home(space))

    context = {
        "title": f"Settings of {found.name}",
        "space": space,
        "back": _home(space),
        "button": _publish_button(found.name) if publishing else "Save settings",
        "publishing": publishing,
        "sample": services.sample_of(workspace, space, found.id) if publishing else None,
        "was_public": bool(found.public),
    }
    return submit(request, form, "buckets/_edit.html", perform=perform, then=then, context=context)


@require_http_methods(["GET", "POST"])
@with_workspace
def delete(request: WorkspaceRequest, space: str, bucket: str) -> HttpResponse:
    workspace = request.workspace
    read = sought(
        request,
        lambda: side_by_side(
            lambda: services.get_bucket(workspace, space, bucket), lambda: services.sample_of(workspace, space, bucket)
        ),
    )
    if read is None:
        return done(request, f"Bucket {bucket} is gone already.", changed="buckets", to=_home(space))
    found, sample = read
    consequences = ["The bucket and its settings are gone; a new one of the same name starts with none of them."]
    if sample.names:
        more = " and more" if sample.has_more else ""
        consequences.insert(
            0,
            format_html(
                'It is not empty: it holds {}{}. The service deletes only empty buckets. <a href="{}">Look at its contents</a>',
                ", ".join(sample.names),
                more,
                reverse("objects:index", args=[space, found.id]),
            ),
        )
    return confirm(
        request,
        title=f"Delete {found.name}?",
        button=f"Delete {found.name}" if len(found.name) <= LONG else "Delete this bucket",
        typed=found.name,
        consequences=consequences,
        perform=lambda: services.delete_bucket(workspace, space, found),
        then=lambda: done(request, f"Bucket {found.name} deleted.", changed="buckets", to=_home(space)),
        back=_home(space),
    )


def _listing(request: WorkspaceRequest, space: str, buckets: Sequence[Bucket]) -> dict[str, object]:
    asked = Filter.read(request.GET)
    found = services.arrange(buckets, search=asked.search, sort=asked.sort, descending=asked.descending)
    shown = part_of(request, found)
    return {
        "space": space,
        "rows": services.rows_of(shown.rows, space),
        "page": shown,
        "found": len(found),
        "total": len(buckets),
        "asked": asked,
        "sort": request.GET.get("sort", ""),
        "role": "" if buckets else services.role_of(request.workspace, space),
        "here": request.get_full_path(),
        "new_url": reverse("buckets:new", args=[space]),
        "token_url": f"{reverse('account:token_new')}?kind=storage&space={space}",
    }


def _publish_button(name: str) -> str:
    return f"Make {name} public" if len(name) <= LONG else "Make this bucket public"


def _typed(request: WorkspaceRequest) -> QueryDict | None:
    """What was posted, even when every field of it is empty."""
    return request.POST if request.method == "POST" else None


def _home(space: str) -> str:
    return reverse("buckets:index", args=[space])
