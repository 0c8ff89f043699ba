"""The ledger of share links and signed links: as pages and CSV; revoke and restore many."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TypeVar
from urllib.parse import urlencode
from uuid import UUID

from django.db.models import Model, QuerySet
from django.http import Http404, HttpResponse, QueryDict, StreamingHttpResponse
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe

from dashboard.catalog.keys import folder_of, name_of, printable
from dashboard.catalog.types import mark_of
from dashboard.features.sharing.forms.ledger import LedgerForm
from dashboard.features.sharing.services import batch
from dashboard.features.sharing.views.batch import page_of
from dashboard.features.sharing.views.share import address_of
from dashboard.links import ledger, lifecycle, openings, publicity
from dashboard.links.ledger import Row, Wanted, is_pointless
from dashboard.links.models import RawLink, Share, Shares
from dashboard.reviews import reviews
from dashboard.team.access import PersonRequest, signed_in
from dashboard.team.rights import needs
from dashboard.tokens.access import WorkspaceRequest, with_workspace
from dashboard.web.files import spreadsheet
from dashboard.web.files.downloads import attach
from dashboard.web.pages import pagination
from dashboard.web.pages.answers import dialog, done, page, see_other
from dashboard.web.pages.confirm import confirm
from dashboard.web.pages.finder import Hit
from dashboard.web.pages.frame import zone_of
from dashboard.web.pages.htmx import wants_part
from dashboard.web.pages.navigation import inner_address
from dashboard.web.pages.sort_order import Sort, read_sort
from dashboard.web.process.database import in_chunks
from dashboard.web.text import counted, sortable

PER_PAGE = 50
LIST, RAW, POINTLESS = "links", "raw-links", "links-pointless"
# From this many on, the number must be typed.
MANY = 10
SHOWN_KEYS = 20
SELECTION = "links to revoke"
BAR_STEP, BAR_HEIGHT = 6, 20
COLUMNS = (
    *("id", "kind", "leads to", "place", "space", "person", "state", "opened", "limit", "last opened", "expires"),
    *("created", "revoked", "revoked by", "password", "note", "private note"),
)
RAW_COLUMNS = ("id", "objects", "first object", "bucket", "space", "person", "created", "expires")
PALETTE_LINKS = 6

M = TypeVar("M", bound=Model)
T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A share link in the list. `address`: the link itself, of one's own that opens; `href`: what it leads to.

    `bars`: the openings of one's own link on the days before and today, as two paths; both "" without openings.
    """

    row: Row
    address: str
    href: str
    pointless: bool
    bars: tuple[str, str]

    @property
    def mark(self) -> tuple[str, str]:
        """What the icon shows: the kind of a single file and its extension, a folder, DNS records, or nothing."""
        name = self.row.name
        if self.row.share.kind == Share.Kind.HOSTNAME:
            return "", "DNS"
        return ("folder", "") if name.endswith("/") else mark_of(name, None)


@dataclass(frozen=True, slots=True, kw_only=True)
class RawLine:
    """Signed links that were created together. `kept`: the page where the person's own ones are kept, or ""."""

    link: RawLink
    href: str
    kept: str
    is_live: bool

    @property
    def key(self) -> str:
        """The object of a single link."""
        return self.link.keys[0] if self.link.count == 1 and self.link.keys else ""

    @property
    def name(self) -> str:
        return printable(name_of(self.key)) if self.key else counted(self.link.count, "object")

    @property
    def place(self) -> str:
        return printable(f"{self.link.bucket}/{self.key}" if self.key else self.link.bucket)

    @property
    def keys(self) -> list[str]:
        return [] if self.key else [printable(key) for key in self.link.keys[:SHOWN_KEYS]]

    @property
    def more(self) -> int:
        return max(0, self.link.count - SHOWN_KEYS)


@require_safe
@with_workspace
def index(request: WorkspaceRequest) -> HttpResponse:
    """Share links, newest first; an owner sees everybody's. S2 of some spaces only to find links into public buckets:
    their number loads on its own."""
    person = request.user
    form = LedgerForm.read(request.GET, person)
    part = request.htmx.target if wants_part(request) else ""
    public = _public(request, ask=part == POINTLESS or form.wanted.view == ledger.POINTLESS)
    if part == POINTLESS:
        return page(request, "sharing/_pointless.html", {"count": _counts(request, public)["pointless"], "view": ""})
    wanted = replace(form.wanted, public=public)
    sort = _sort(request, ledger.SORTS)
    found = ledger.arranged(ledger.shares(person, wanted), sort)
    total = found.count()
    context = {
        "form": form,
        "page": _page(request, found, total, lambda some: _lines(request, some, public)),
        "sort": sort,
        "total": total,
        "view": wanted.view,
        "counts": _counts(request, public),
        "kept": form.kept,
        "filtered": bool(form.kept),
        "everybody": person.is_owner,
        "all_of": dict(ledger.people(person)).get(wanted.person, "") if wanted.person else "",
        "person_id": wanted.person,
        "query": request.GET.urlencode(),
    }
    return page(request, "sharing/ledger.html", context, parts={LIST: "sharing/_part.html"})


def found(request: WorkspaceRequest, query: str) -> list[Hit]:
    """Share links for the command palette, the newest first."""
    shares: Iterable[Share] = ledger.shares(request.user, Wanted(q=query)).order_by("-pk")[:PALETTE_LINKS] if query else []
    return [
        Hit(
            name=row.private_note or row.share.note or row.name,
            href=reverse("sharing:edit", args=[row.share.pk]),
            icon="link",
            note=f"{row.word} · {row.place}",
        )
        for row in ledger.rows(request.user, shares)
    ]


@require_safe
@signed_in
def raw(request: PersonRequest) -> HttpResponse:
    """Signed links that were created here."""
    form = LedgerForm.read(request.GET, request.user, raw_links=True)
    sort = _sort(request, ledger.RAW_SORTS)
    found = ledger.arranged(ledger.raw(request.user, form.wanted), sort)
    total = found.count()
    context = {
        "form": form,
        "page": _page(request, found, total, lambda some: _raw_lines(request, some)),
        "sort": sort,
        "total": total,
        "filtered": bool(form.kept),
        "everybody": request.user.is_owner,
        "query": request.GET.urlencode(),
    }
    return page(request, "sharing/raw.html", context, parts={RAW: "sharing/_raw.html"})


@require_safe
@with_workspace
@needs("list exported")
def export(request: WorkspaceRequest) -> StreamingHttpResponse:
    """All links that match the filters, as CSV."""
    form = LedgerForm.read(request.GET, request.user)
    wanted = replace(form.wanted, public=_public(request, ask=form.wanted.view == ledger.POINTLESS))
    found = ledger.arranged(ledger.shares(request.user, wanted), _sort(request, ledger.SORTS))
    return _csv("links", _csv_lines(request, in_chunks(found, 500)))


@require_safe
@signed_in
@needs("list exported")
def export_raw(request: PersonRequest) -> StreamingHttpResponse:
    form = LedgerForm.read(request.GET, request.user, raw_links=True)
    found = ledger.arranged(ledger.raw(request.user, form.wanted), _sort(request, ledger.RAW_SORTS))
    return _csv("signed-links", _raw_csv_lines(in_chunks(found, 200)))


@require_http_methods(["GET", "HEAD", "POST"])
@with_workspace
def revoke_many(request: WorkspaceRequest) -> HttpResponse:
    """Revoke a selection (`key`: ids), or with `all=1` every link that matches the filters."""
    if request.method == "POST" and ("key" in request.POST or "all" in request.POST):
        return _keep(request)
    shares = _selected(request)
    count, home = shares.count(), reverse("sharing:ledger")
    if not count:
        return dialog(request, "sharing/_none_to_end.html", {"title": "Revoke links", "back": home})
    links = counted(count, "link")
    people = shares.order_by().values("owner").distinct().count()

    def then(revoked: list[int]) -> HttpResponse:
        if not revoked:
            return done(request, "Already revoked.", changed="links", to=home)
        moment = Share.objects.values_list("revoked_at", flat=True).get(pk=revoked[0])
        undo = f"{reverse('sharing:restore_many')}?{urlencode({'at': moment.isoformat() if moment else ''})}"
        return done(request, f"{links} revoked.", changed="links", to=home, undo=undo)

    return confirm(
        request,
        title=f"Revoke {links}",
        button=f"Revoke {links}",
        consequences=[
            f"{'It stops' if count == 1 else 'They stop'} working now, and downloads through Pilothouse stop.",
            *([f"They belong to {people:,} people."] if people > 1 else []),
            "You can restore them later.",
        ],
        perform=lambda: lifecycle.revoke(request.user, shares),
        then=then,
        back=home,
        typed=f"{count}" if count >= MANY else None,
        count=count,
        danger=count >= MANY,
    )


@require_http_methods(["GET", "HEAD", "POST"])
@with_workspace
@needs("links reopened")
def restore_many(request: WorkspaceRequest) -> HttpResponse:
    """Undo `revoke_many`: restore everything that this person revoked at one moment."""
    try:
        moment = datetime.fromisoformat(request.GET.get("at", ""))
    except ValueError:
        moment = None
    shares = ledger.visible(request.user).filter(revoked_by=request.user, revoked_at=moment) if moment and moment.tzinfo else None
    home = reverse("sharing:ledger")
    if shares is None or not shares.exists():
        return done(request, "Nothing to restore.", changed="links", to=home)
    links = counted(shares.count(), "link")
    return confirm(
        request,
        title=f"Restore {links}",
        button=f"Restore {links}",
        consequences=["The same addresses work again until they expire."],
        perform=lambda: lifecycle.restore(request.user, shares),
        then=lambda _: done(request, f"{links} restored.", changed="links", to=home),
        back=home,
        danger=False,
    )


def _keep(request: WorkspaceRequest) -> HttpResponse:
    """Seal the posted selection, which may be too long for an address, and redirect to its address."""
    fields = {name: request.POST.getlist(name) for name in ("key", "all", *LedgerForm.base_fields) if name in request.POST}
    review = reviews.create(request.workspace, SELECTION, fields)
    return see_other(f"{reverse('sharing:revoke_many')}?selection={review.pk}")


def _selected(request: WorkspaceRequest) -> Shares:
    fields = QueryDict(urlencode(_kept(request), doseq=True)) if "selection" in request.GET else request.GET
    if fields.get("all") != "1":
        return ledger.chosen(request.user, fields.getlist("key")).current()
    wanted = LedgerForm.read(fields, request.user).wanted
    return ledger.shares(request.user, replace(wanted, public=_public(request, ask=False))).current()


def _kept(request: WorkspaceRequest) -> dict[str, list[str]]:
    try:
        pk = UUID(request.GET["selection"])
    except ValueError:
        raise Http404("There is no such selection.") from None
    return reviews.find(request.workspace, SELECTION, pk).payload or {}


def _public(request: WorkspaceRequest, *, ask: bool) -> dict[str, frozenset[str]]:
    """Public buckets by space, as this person's tokens last saw them; `ask`: refresh them first (S2, at most 8 spaces)."""
    spaces = ledger.spaces(request.user)
    return publicity.ask(request.workspace, spaces) if ask else publicity.known(request.workspace, spaces)


def _counts(request: PersonRequest, public: Mapping[str, frozenset[str]]) -> dict[str, int]:
    views = (ledger.SOON, ledger.UNOPENED, ledger.POINTLESS, ledger.PAGES)
    return {view: ledger.shares(request.user, Wanted(view=view, public=public)).count() for view in views}


def _page(request: PersonRequest, found: QuerySet[M], total: int, draw: Callable[[QuerySet[M]], list[T]]) -> pagination.Page[T]:
    return pagination.part_of_total(request, total, lambda start, end: draw(found[start:end]), limit=PER_PAGE)


def _lines(request: PersonRequest, shares: Iterable[Share], public: Mapping[str, frozenset[str]]) -> list[Line]:
    rows = ledger.rows(request.user, shares)
    daily = openings.daily((row.share.pk for row in rows if row.is_mine and row.share.opened), zone_of(request))
    return [
        Line(
            row=row,
            address=_address(request, row),
            href=_href(row.share),
            pointless=is_pointless(row.share, public),
            bars=_bars(daily.get(row.share.pk, [])),
        )
        for row in rows
    ]


def _bars(counts: Sequence[int]) -> tuple[str, str]:
    """Return bars as paths of a picture of 82 by 20: those of the days before, and that of today, which is the last one."""
    most = max(counts, default=0)
    heights = [max(1, round(BAR_HEIGHT * count / most)) for count in counts]
    drawn = [f"M{BAR_STEP * number} {BAR_HEIGHT}v-{height}h4v{height}z" for number, height in enumerate(heights)]
    return "".join(drawn[:-1]), "".join(drawn[-1:])


def _raw_lines(request: PersonRequest, found: Iterable[RawLink]) -> list[RawLine]:
    links, now = list(found), timezone.now()
    sets = batch.sets_of(request.user, links)
    return [
        RawLine(
            link=link,
            href=inner_address("bucket", link.space, link.bucket, path=folder_of(link.keys[0]) if link.keys else ""),
            kept=page_of(sets[link.pk]) if link.pk in sets else "",
            is_live=link.ends_at > now,
        )
        for link in links
    ]


def _sort(request: PersonRequest, columns: Collection[str]) -> Sort:
    return read_sort(request.GET, columns, ledger.NEWEST_FIRST)


def _csv(name: str, lines: Iterator[str]) -> StreamingHttpResponse:
    return attach(lines, filename=f"{name}-{timezone.now():%Y-%m-%d}.csv", kind=spreadsheet.TYPE)


def _csv_lines(request: PersonRequest, shares: Iterable[Share]) -> Iterator[str]:
    """The links without their addresses."""
    yield spreadsheet.line(COLUMNS)
    for share in shares:
        row = ledger.rows(request.user, [share])[0]
        yield spreadsheet.line(
            (
                *(share.pk, share.get_kind_display(), row.name, row.place, share.space, share.owner, row.word),
                *(share.opened, share.limit, _moment(share.opened_at), _moment(share.expires_at), sortable(share.made_at)),
                *(_moment(share.revoked_at), share.revoked_by, "yes" if share.password else "no", share.note, row.private_note),
            )
        )


def _raw_csv_lines(links: Iterable[RawLink]) -> Iterator[str]:
    yield spreadsheet.line(RAW_COLUMNS)
    for link in links:
        first = link.keys[0] if link.keys else ""
        created, expires = sortable(link.made_at), sortable(link.ends_at)
        yield spreadsheet.line((link.pk, link.count, first, link.bucket, link.space, link.person, created, expires))


def _address(request: PersonRequest, row: Row) -> str:
    code = row.share.code if row.is_current and row.is_mine else ""
    return address_of(request, code) if code else ""


def _href(share: Share) -> str:
    if share.kind == Share.Kind.HOSTNAME:
        return reverse("hostname:index", args=(share.space,))
    targets = list(share.targets.all())
    if not targets:
        return ""
    key = targets[0].key
    return inner_address("bucket", share.space, targets[0].bucket, path=key if targets[0].is_folder else folder_of(key))


def _moment(moment: datetime | None) -> str:
    return sortable(moment) if moment else ""
