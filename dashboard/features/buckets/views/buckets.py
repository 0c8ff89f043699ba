"""List buckets; create a bucket, open one by name and forget it."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.conf import settings
from django.http import HttpResponse
from django.template.loader import render_to_string
from django.urls import reverse
from django.views.decorators.http import require_GET, require_http_methods

from dashboard.catalog import named_buckets, queries
from dashboard.catalog.keys import printable
from dashboard.catalog.public_access import public_address
from dashboard.catalog.queries import Known
from dashboard.features.buckets.forms import Filter, NamedBucketForm, NewBucketForm
from dashboard.features.buckets.rules import notes, trouble
from dashboard.features.buckets.services import buckets as buckets_service
from dashboard.interfaces.names import bucket_name_problem
from dashboard.interfaces.storage.buckets import Bucket
from dashboard.links.ledger import counts
from dashboard.team.rights import needs
from dashboard.tokens import palette
from dashboard.tokens.access import WorkspaceRequest, with_workspace
from dashboard.tokens.last_known import of_buckets, remembered
from dashboard.tokens.models import Kind
from dashboard.tokens.sight import no_buckets, sees_all
from dashboard.web.failures.operations import sends
from dashboard.web.input.forms import posted
from dashboard.web.pages.answers import done, page, submit
from dashboard.web.pages.confirm import confirm
from dashboard.web.pages.finder import Group, Hit, Matches, find, matching, query_of
from dashboard.web.pages.navigation import inner_address
from dashboard.web.pages.pagination import part_of
from dashboard.web.process.parallel import side_by_side
from dashboard.web.text import bytes_text

LIST = "bucket-list"


@dataclass(frozen=True, slots=True)
class Row:
    """A bucket in the list. `state`: its index, also an incomplete one; `links`: active share links into it."""

    bucket: Bucket
    state: Known | None
    links: int
    is_named: bool

    @property
    def name(self) -> str:
        return printable(self.bucket.name)

    @property
    def known(self) -> Known | None:
        return self.state if self.state and self.state.complete else None

    @property
    def crawling(self) -> bool:
        return bool(self.state and self.state.crawling)

    @property
    def fits_an_address(self) -> bool:
        """Whether an address can carry its id."""
        return self.bucket.id not in ("", ".", "..") and "/" not in self.bucket.id

    @property
    def limits(self) -> str:
        limit = self.bucket.file_size_limit
        size = "" if limit is None else f"up to {bytes_text(limit)}"
        return "; ".join(part for part in (size, ", ".join(self.bucket.allowed_mime_types or ())) if part)


@require_GET
@with_workspace
def index(request: WorkspaceRequest, space: str) -> HttpResponse:
    workspace = request.workspace
    workspace.storage(space)  # a missing token is reported first
    if request.htmx.target == LIST:
        return page(request, "buckets/_list.html", _listing(request, space, buckets_service.list_buckets(workspace, space)))
    buckets, title = side_by_side(lambda: buckets_service.list_buckets(workspace, space), lambda: workspace.title(space))
    context = {**_listing(request, space, buckets), "space_title": title}
    return page(request, "buckets/index.html", context)


@require_http_methods(["GET", "POST"])
@with_workspace
@sends("S1")
def new(request: WorkspaceRequest, space: str) -> HttpResponse:
    workspace = request.workspace
    workspace.storage(space)
    home, data = reverse("buckets:index", args=[space]), posted(request)
    said = render_to_string("buckets/_advice.html", _advice(request, space, request.POST.get("name", "")))
    form = NewBucketForm(data, advice_url=reverse("buckets:advice", args=[space]), advice=said)

    def then(lost: str) -> HttpResponse:
        name = form.cleaned_data["name"]
        link = ("Open bucket", inner_address("bucket", space, name))
        return done(request, f"Bucket {printable(name)} created. {lost}".strip(), changed="buckets", to=home, link=link)

    return submit(
        request,
        form,
        perform=lambda: buckets_service.create_bucket(workspace, space, form.cleaned_data["name"], form.chosen()),
        then=then,
        context={"title": "New bucket", "button": "Create bucket", "back": home},
    )


@require_GET
@with_workspace
def advice(request: WorkspaceRequest, space: str) -> HttpResponse:
    """Check a name while it is typed. Calls no service."""
    return page(request, "buckets/_advice.html", _advice(request, space, request.GET.get("name", "")))


@require_http_methods(["GET", "POST"])
@needs("S4")
@with_workspace
def add(request: WorkspaceRequest, space: str) -> HttpResponse:
    workspace = request.workspace
    workspace.storage(space)
    form = NamedBucketForm(posted(request))

    def then(is_seen: bool) -> HttpResponse:
        name = form.cleaned_data["name"]
        shown = printable(name)
        link = ("Open bucket", inner_address("bucket", space, name))
        text = f"Bucket {shown} found." if is_seen else f"{shown} added. This token can't see it, but you can still upload."
        return done(request, text, changed="buckets", to=reverse("buckets:index", args=[space]), link=link)

    return submit(
        request,
        form,
        perform=lambda: buckets_service.open_by_name(workspace, space, form.cleaned_data["name"]),
        then=then,
        context={
            "title": "Open a bucket by name",
            "button": "Open bucket",
            "lead": "For tokens that can read or add files but not list buckets.",
            "back": reverse("buckets:index", args=[space]),
        },
    )


@require_http_methods(["GET", "POST"])
@with_workspace
def forget(request: WorkspaceRequest, space: str, bucket: str) -> HttpResponse:
    home = reverse("buckets:index", args=[space])
    return confirm(
        request,
        title=f"Remove {printable(bucket)} from this list",
        button="Remove from list",
        consequences=["The bucket and its files stay. You can open it by name again."],
        perform=lambda: named_buckets.forget(request.workspace, space, bucket),
        then=lambda _: done(request, f"{printable(bucket)} removed from the list.", changed="buckets", to=home),
        back=home,
        danger=False,
    )


def found(request: WorkspaceRequest, query: str) -> list[Hit]:
    """Buckets for the command palette: those that the person's own tokens last read, or that were opened by name."""
    workspace = request.workspace
    titles = {project.id: project.name for project in palette.projects(request)}
    stores = [store.name for store in workspace.known_spaces()] if query else []
    read = remembered({store: of_buckets(workspace.fingerprint(Kind.STORAGE, store), store) for store in stores}, list[Bucket])
    hits = []
    for store in stores:
        listed = read.get(store, [])
        rows = [Row(one, None, 0, is_named=False) for one in [*listed, *buckets_service.list_named(workspace, store, listed)]]
        hits += [_hit(store, row, note=titles.get(store, "")) for row in rows if row.fits_an_address]
    return matching(query, hits)


def _hit(space: str, row: Row, *, note: str = "", here: bool = False) -> Hit:
    href = inner_address("bucket", space, row.bucket.id)
    return Hit(name=row.name, href=href, icon="package", note=note, here=here, also="bucket")


@require_GET
@with_workspace
def switch(request: WorkspaceRequest, space: str) -> HttpResponse:
    """Choose another bucket of this space, or without projects another space. `bucket` is the current one."""
    workspace, bucket, query = request.workspace, request.GET.get("bucket", ""), query_of(request)
    listed = buckets_service.list_buckets(workspace, space)
    found = buckets_service.arrange([*listed, *buckets_service.list_named(workspace, space, listed)], {})
    rows = [Row(one, None, 0, is_named=False) for one in found]
    hits = [_hit(space, row, here=row.bucket.id == bucket) for row in rows if row.fits_an_address]
    stores = [] if settings.MANAGEMENT_URL else workspace.known_spaces()
    elsewhere = [
        Hit(name=one.title, href=reverse("buckets:index", args=[one.name]), icon="hard-drive", here=one.name == space)
        for one in stores
    ]
    groups = (Group("Buckets", matching(query, hits)), Group("Storage", matching(query, elsewhere)))
    matches = Matches(
        action=request.path,
        query=query,
        hint="Name of a bucket",
        none="No bucket matches." if hits else "No buckets here.",
        groups=[group for group in groups if group.hits],
        keep=[("bucket", bucket)],
    )
    return find(request, matches, title="Switch bucket", back=reverse("buckets:index", args=[space]))


def _listing(request: WorkspaceRequest, space: str, buckets: Sequence[Bucket]) -> dict[str, object]:
    asked = Filter.read(request.GET)
    buckets_service.observe_list(request.workspace, space, buckets)
    states = queries.states(request.workspace, space)
    empty = None if buckets else no_buckets(request.workspace, space)
    named = buckets_service.list_named(request.workspace, space, buckets)
    buckets = [*buckets, *named]
    found = buckets_service.arrange(
        buckets, states, search=asked.search, sort=asked.sort.column, descending=asked.sort.descending
    )
    shown = part_of(request, found)
    links = counts(space, [bucket.id for bucket in shown.rows], person=request.user)
    named_ids = {bucket.id for bucket in named}
    return {
        "space": space,
        "rows": [
            Row(bucket, states.get(bucket.id), links.get(bucket.id, 0), is_named=bucket.id in named_ids) for bucket in shown.rows
        ],
        "page": shown,
        "found": len(found),
        "total": len(buckets),
        "asked": asked,
        "empty": empty,
        "named_url": "" if sees_all(request.workspace, space) else reverse("buckets:named", args=[space]),
        # On another page (Home), links that sort and page lead here instead of pushing an address that isn't that page's.
        "target": LIST if (request.htmx.current_url_abs_path or request.path).partition("?")[0] == request.path else "",
        "here": request.get_full_path(),
        "new_url": reverse("buckets:new", args=[space]),
        "token_url": f"{reverse('account:token_new')}?kind=storage&space={space}",
    }


def _advice(request: WorkspaceRequest, space: str, typed: str) -> dict[str, object]:
    name = typed
    problem = bucket_name_problem(name) if name else None
    return {
        "problem": problem,
        "trouble": "" if problem else trouble(name),
        "notes": [] if problem else notes(name),
        "address": public_address(request.workspace, space, name) if name and not problem else "",
    }
