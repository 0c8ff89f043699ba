"""The ledger: all links, and the raw presigned ones; as pages and as spreadsheets."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import TypeVar

from django.db.models import Model, QuerySet
from django.http import HttpResponse, StreamingHttpResponse
from django.utils import timezone
from django.views.decorators.http import require_safe

from dashboard.features.sharing.forms.filters import LedgerForm
from dashboard.features.sharing.services.publicity import known_public
from dashboard.features.sharing.views import rows
from dashboard.links import ledger
from dashboard.links.ledger import Wanted
from dashboard.team.access import PersonRequest, signed_in
from dashboard.tokens.access import WorkspaceRequest, with_workspace
from dashboard.web import pagination
from dashboard.web.answers import page
from dashboard.web.database import in_chunks
from dashboard.web.htmx import wants_part

PER_PAGE = 50
LIST, RAW, POINTLESS = "links", "raw-links", "links-pointless"

M = TypeVar("M", bound=Model)
T = TypeVar("T")


@require_safe
@with_workspace
def index(request: WorkspaceRequest) -> HttpResponse:
    """One's own links, newest first; an owner of the team sees everybody's. Asks the service (S2 of some spaces) only for what
    is made pointless by a public bucket: the number arrives by itself, the list when that is asked for."""
    person = request.user
    form = LedgerForm.read(request.GET, person)
    part = request.htmx.target if wants_part(request) else ""
    asks = part == POINTLESS or form.wanted.view == ledger.POINTLESS
    public = known_public(request.workspace, asks=asks)
    if part == POINTLESS:
        return page(request, "sharing/_pointless.html", {"count": _counts(request, public)["pointless"], "view": ""})
    wanted = replace(form.wanted, public=public)
    found = ledger.arranged(ledger.shares(person, wanted), request.GET.get("sort", ""))
    total = found.count()
    context = {
        "form": form,
        "page": _page(request, found, total, lambda some: rows.lines(request, person, some, public)),
        "total": f"{total:,}",
        "view": wanted.view,
        "counts": _counts(request, public),
        "kept": form.kept,
        "filtered": bool(form.kept),
        "everybody": person.is_owner,
        "all_of": dict(ledger.people(person)).get(wanted.person, "") if wanted.person else "",
        "person_id": wanted.person,
        "here": request.get_full_path(),
        "query": request.GET.urlencode(),
    }
    return page(request, "sharing/ledger.html", context, parts={LIST: "sharing/_ledger.html"})


@require_safe
@signed_in
def raw(request: PersonRequest) -> HttpResponse:
    """Presigned links that were handed out here."""
    form = LedgerForm.read(request.GET, request.user, raw_links=True)
    found = ledger.arranged(ledger.raw(request.user, form.wanted), request.GET.get("sort", ""))
    total = found.count()
    context = {
        "form": form,
        "page": _page(request, found, total, lambda some: rows.raw_lines(request.user, some)),
        "total": f"{total:,}",
        "filtered": bool(form.kept),
        "everybody": request.user.is_owner,
        "here": request.get_full_path(),
        "query": request.GET.urlencode(),
    }
    return page(request, "sharing/raw.html", context, parts={RAW: "sharing/_raw.html"})


@require_safe
@with_workspace
def export(request: WorkspaceRequest) -> StreamingHttpResponse:
    """The filtered links as CSV, all pages of them."""
    form = LedgerForm.read(request.GET, request.user)
    wanted = replace(form.wanted, public=known_public(request.workspace, asks=form.wanted.view == ledger.POINTLESS))
    found = ledger.arranged(ledger.shares(request.user, wanted), request.GET.get("sort", ""))
    return _csv(rows.as_csv(request.user, in_chunks(found, 500)), "links")


@require_safe
@signed_in
def export_raw(request: PersonRequest) -> StreamingHttpResponse:
    form = LedgerForm.read(request.GET, request.user, raw_links=True)
    found = ledger.arranged(ledger.raw(request.user, form.wanted), request.GET.get("sort", ""))
    return _csv(rows.raw_as_csv(in_chunks(found, 200)), "presigned-links")


def _counts(request: PersonRequest, public: Mapping[str, frozenset[str]]) -> dict[str, int]:
    """How many links there are to look after, of all that the person may see."""
    views = (ledger.SOON, ledger.UNOPENED, ledger.POINTLESS, ledger.PAGES)
    return {view: ledger.shares(request.user, Wanted(view=view, public=public)).count() for view in views}


def _page(request: PersonRequest, found: QuerySet[M], total: int, draw: Callable[[QuerySet[M]], list[T]]) -> pagination.Page[T]:
    return pagination.part_of_total(request, total, lambda start, end: draw(found[start:end]), limit=PER_PAGE)


def _csv(written: Iterator[str], name: str) -> StreamingHttpResponse:
    response = StreamingHttpResponse(written, content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{name}-{timezone.now():%Y-%m-%d}.csv"'
    response["Cache-Control"] = "private, no-store"
    return response
