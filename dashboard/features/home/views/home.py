"""The start page and all hostnames. They never wait for a service: the list of projects and each row load as parts."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from itertools import pairwise
from math import ceil
from typing import NamedTuple
from urllib.parse import parse_qsl, urlencode

from django.conf import settings
from django.http import Http404, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_GET
from django_htmx.http import trigger_client_event

from dashboard.facts import addresses
from dashboard.facts.addresses import read_address
from dashboard.facts.cells import Painter, need_href
from dashboard.facts.overview import columns
from dashboard.facts.registry import HOSTNAMES, NETWORK, PROJECTS, STORAGE, Fact, Problem
from dashboard.features.home.forms import Filter, Options
from dashboard.features.home.services import filters, fleet, start
from dashboard.features.home.services.fleet import Fleet, Row, View
from dashboard.features.home.services.start import Sections
from dashboard.jobs.absence import absence_for
from dashboard.team.rights import needs
from dashboard.team.services import asking_instead
from dashboard.tokens import spaces
from dashboard.tokens.access import WorkspaceRequest, with_workspace
from dashboard.tokens.models import Kind
from dashboard.tokens.refusals import covers
from dashboard.tokens.spaces import SHARED
from dashboard.tokens.workspace import Workspace
from dashboard.web.files import spreadsheet
from dashboard.web.files.downloads import attach
from dashboard.web.http.requests import client_address
from dashboard.web.pages.answers import page
from dashboard.web.pages.htmx import wants_part
from dashboard.web.pages.pagination import part_of, with_query
from dashboard.web.text import relative

FLEET, LIST, ATTENTION, AGE, MORE, SAVED = "home-fleet", "home-list", "home-attention", "home-age", "home-more", "home-saved"
# Stands where the rows of a list come that nobody read yet, so that a failure leaves the tabs.
WAITING = "home-waiting"
# Reads a list that is not up to date, so that its filter stays as it is.
UNREAD = "home-unread"
# Has the list and its rows read again.
REFRESH = "home-refresh"
# Has the list put in order once all its rows were read.
CHECKED = "home-checked"
PARTS = {
    WAITING: "home/_fleet.html",
    LIST: "home/_list.html",
    ATTENTION: "home/_attention.html",
    AGE: "home/_age.html",
    MORE: "home/_more_rows.html",
    SAVED: "home/_saved.html",
}
# The page with a view, and the page that a row of it opens.
LISTS = {PROJECTS: "home:index", STORAGE: "home:index", NETWORK: "home:index", HOSTNAMES: "home:hostnames"}
PAGES = {PROJECTS: "projects:show", STORAGE: "buckets:index", NETWORK: "network:bans", HOSTNAMES: "hostname:index"}
ROWS_MAX = 200
# Rows in the first answer. The browser loads the page's other rows right after it.
FIRST_ROWS = 30
# How often an open page checks a hostname.
HOSTNAME_SECONDS = 300


@dataclass(frozen=True, slots=True)
class Task:
    """Something to do first, with the button that leads there."""

    title: str
    reason: str
    button: str
    href: str
    urgent: bool = False


class Chip(NamedTuple):
    """How many rows have a kind of problem; its address shows those alone, or all again."""

    rows: int
    words: str
    is_urgent: bool
    is_on: bool
    href: str


class Line(NamedTuple):
    """A row for its template. `turns`: how many calls its refresh makes; empty if nothing is due.

    `later`: in how many seconds it becomes due while the page stays open, and `calls` how many calls that makes then.
    `heading`: the title of the group that begins with this row. `words`: what the row needs, or in `note` why it is not up to
    date; `others`: the number of its other problems, `other_words` their sentences.
    """

    heading: str
    place: str
    name: str
    href: str
    label_href: str
    secrets: str
    label: str
    colour: str
    production: bool
    cells: str
    turns: str
    later: str
    calls: str
    refresh: str
    words: str
    note: str
    others: str
    other_words: str
    step: str
    step_href: str
    age: str


@require_GET
@with_workspace
def index(request: WorkspaceRequest) -> HttpResponse:
    workspace, view = request.workspace, asked_view(request)
    here = start.sections_of(has_management=bool(settings.MANAGEMENT_URL))
    has_fleet = workspace.can_manage or (here.per_project and bool(workspace.known_spaces()))
    context = {
        **(_fleet_of(request, view) if has_fleet else _listing(request, fleet.Fleet((), {}, is_listed=True), view.tab)),
        "tabs": fleet.tabs_of(workspace),
        "tasks": list(_tasks(request, here)),
        "has_fleet": has_fleet,
        "has_shared": here.storage and not here.per_project and workspace.has(Kind.STORAGE, SHARED),
        "shared": SHARED,
        "changes": start.latest_changes(workspace),
        "no_worker": absence_for(request.user),
    }
    return _answer(request, "home/index.html", context)


@require_GET
@with_workspace
def hostnames(request: WorkspaceRequest) -> HttpResponse:
    """The hostnames of all projects: the same list with columns of their own."""
    request.workspace.require(Kind.MANAGEMENT)
    return _answer(request, "home/hostnames.html", _fleet_of(request, asked_view(request, HOSTNAMES)))


@require_GET
@with_workspace
@needs("list exported")
def export(request: WorkspaceRequest) -> StreamingHttpResponse:
    """Export a view of the list as CSV, filtered and sorted as it is, with what is known. Calls no service."""
    view, workspace = asked_view(request), request.workspace
    shown = columns(workspace, view.tab)
    lines = _csv_lines(fleet.known_fleet(workspace, view), Filter.of(request.GET, shown), shown)
    return attach(lines, filename=f"{view.tab}-{timezone.now():%Y-%m-%d}.csv", kind=spreadsheet.TYPE)


@require_GET
@with_workspace
def row(request: WorkspaceRequest, ref: str) -> HttpResponse:
    """Show one row, after reading its due facts; if it is not listed any more, have the list replaced. Without htmx, redirect."""
    if settings.MANAGEMENT_URL and (request.workspace.can_manage or not request.workspace.known_spaces()):
        request.workspace.require(Kind.MANAGEMENT)
    else:
        request.workspace.require(Kind.STORAGE, ref)
    view = asked_view(request)
    if not wants_part(request):
        return redirect(PAGES[view.tab], ref)
    try:
        before, after, refreshed = fleet.refresh_row(request.workspace, ref, view)
    except Http404:
        response = HttpResponse(status=HTTPStatus.NO_CONTENT)
        # Without any list, the page's own is not older.
        is_listed = fleet.known_fleet(request.workspace, view).as_of is not None
        return trigger_client_event(response, "projects:changed") if is_listed else response
    asked, is_live = Filter.of(request.GET, ()), not request.workspace.is_replay
    line = _line(request, after, _painter(view.tab), view.tab, asked, is_live=is_live, note=refreshed.note)
    response = page(request, "home/_rows.html", {"lines": [line]})
    if before.overview.needs != after.overview.needs:
        trigger_client_event(response, "attention:changed")
    if refreshed.wait:
        response["Retry-After"] = str(ceil(refreshed.wait))
    return response


def _answer(request: WorkspaceRequest, template: str, context: dict[str, object]) -> HttpResponse:
    """Show the page or a part of it. The first rows bring the filter along, so they replace the whole list."""
    response = page(request, template, context, parts=PARTS)
    if request.htmx.target == WAITING:
        response["HX-Retarget"] = f"#{FLEET}"
    return response


def _csv_lines(found: Fleet, asked: Filter, shown: Sequence[Fact]) -> Iterator[str]:
    yield spreadsheet.line(
        ("ref", "name", "organization", "label", "production", *(fact.title.lower() for fact in shown), "needs")
    )
    for one in asked.arrange(found):
        facts = [cell.shown.text if cell.shown else "" for cell in one.overview.cells.values()]
        organization = found.organizations.get(one.organization, one.organization)
        production = "yes" if one.label.production else "no"
        words = "; ".join(need.words for need in asked.needs(one))
        yield spreadsheet.line((one.place, one.name, organization, one.label.name, production, *facts, words))


def asked_view(request: WorkspaceRequest, tab: str = "") -> View:
    """Return the view that the address asks for. Only that of the network looks for an IP address."""
    tab = tab or fleet.tab_of(request.workspace, request.GET.get("view", ""))
    found = read_address(request.GET.get("address", "")) if tab == NETWORK else None
    return View(tab, str(found or ""), anew=_asks_anew(request), is_checked=_is_checked(request))


def _asks_anew(request: WorkspaceRequest) -> bool:
    return not _is_checked(request) and ("list" in request.GET or (wants_part(request) and request.htmx.trigger == REFRESH))


def _is_checked(request: WorkspaceRequest) -> bool:
    return wants_part(request) and (request.htmx.trigger == CHECKED or request.GET.get("all") == "checked")


def _fleet_of(request: WorkspaceRequest, view: View) -> dict[str, object]:
    """Return the list of a view, read from the service if the address or the list itself asks for that."""
    asks = wants_part(request) and {request.htmx.target, request.htmx.trigger} & {WAITING, UNREAD}
    is_read = bool(asks) or view.anew
    found = fleet.read_fleet(request.workspace, view) if is_read else fleet.known_fleet(request.workspace, view)
    return {
        **_listing(request, found, view.tab),
        "is_read": is_read,
        "can_manage": request.workspace.can_manage,
        "saved": [(one.name, list_href(one.view, **dict(parse_qsl(one.query)))) for one in filters.saved(request.user)],
    }


def _listing(request: WorkspaceRequest, found: Fleet, tab: str) -> dict[str, object]:
    shown_facts = columns(request.workspace, tab)
    asked = Filter.of(request.GET, shown_facts)
    rows = asked.arrange(found)
    shown = part_of(request, rows, limit=ROWS_MAX)
    painter, options = _painter(tab), Options.of(found)
    is_live = found.is_listed and not request.workspace.is_replay
    begins = FIRST_ROWS if wants_part(request) and request.htmx.target == MORE else 0
    ends = ROWS_MAX if "all" in request.GET else FIRST_ROWS
    headings = ["", *(asked.heading(one, found.organizations) for one in shown.rows)]
    begun = [heading if heading != before else "" for before, heading in pairwise(headings)]
    return {
        "lines": [
            _line(request, one, painter, tab, asked, is_live=is_live, heading=heading)
            for one, heading in list(zip(shown.rows, begun, strict=True))[begins:ends]
        ],
        "more": with_query(request, "all", "checked" if _is_checked(request) else "rows") if len(shown.rows) > ends else "",
        "page": shown,
        "found": len(rows),
        "total": len(found.rows),
        "columns": shown_facts,
        "turned": fleet.turned(request.workspace, found, tab),
        "tab": tab,
        "view": _query_of(tab),
        "list_href": reverse(LISTS[tab]),
        "all_href": list_href(tab),
        "asked": asked,
        "own": addresses.origin_of(client_address(request), request.user.public_address),
        "options": options,
        "chips": [_chip(problem, count, asked, tab) for problem, count in options.problems],
        "is_listed": found.is_listed,
        "as_of": None if found.is_listed else found.as_of,
        "failure": found.failure,
        "checked_at": min((at for one in shown.rows if (at := one.overview.read_at) and not one.overview.failure), default=None),
        "waiting": sum(is_live and bool(one.overview.due) for one in shown.rows),
        "here": request.get_full_path(),
        "export": _href(reverse("home:export"), view=tab, **asked.query),
        "saving": _href(reverse("home:saving"), view=tab, **asked.query),
    }


def _line(
    request: WorkspaceRequest,
    one: Row,
    painter: Painter,
    tab: str,
    asked: Filter,
    *,
    is_live: bool,
    heading: str = "",
    note: str = "",
) -> Line:
    workspace = request.workspace
    due = len(one.overview.due) if is_live else 0
    # A search is answered once. It would read all projects again every minute.
    seconds, calls = one.overview.later if is_live and not due and not asked.address else (0, 0)
    if tab == HOSTNAMES and seconds:
        seconds = HOSTNAME_SECONDS
    needs = asked.needs(one)
    need = next(iter(needs), None)
    shown = one.overview.lead.shown if one.overview.lead and not need else None
    step = shown.step if shown else ""
    is_project, is_gone = bool(one.organization), one.overview.is_gone
    opens = PAGES[PROJECTS if is_gone else tab] if is_project else PAGES[STORAGE]
    return Line(
        heading=heading,
        place=one.place,
        name=one.name,
        href=reverse(opens, args=[one.place]),
        label_href=reverse("projects:label", args=[one.place]) if is_project else "",
        secrets=reverse("secrets:index", args=[one.place]) if _has_secrets(workspace, one) else "",
        label=one.label.name,
        colour=one.label.colour,
        production=one.label.production,
        cells=painter.cells(one.overview),
        turns=str(due or ""),
        later=str(seconds or ""),
        calls=str(calls or ""),
        refresh=_href(
            reverse("home:row", args=[one.place]),
            view="" if tab == PROJECTS else tab,
            problem=asked.problem,
            address=asked.address,
            list="now" if due and _asks_anew(request) else "",
        )
        if due or seconds
        else "",
        words=need.words if need else "",
        note="" if need or is_gone else one.overview.failure or note,
        others=str(len(needs[1:]) or ""),
        other_words="; ".join(other.words for other in needs[1:]),
        step=need.label if need else step,
        step_href=need_href(need, one.place) if need else reverse(opens, args=[one.place]) if step else "",
        age=relative(one.overview.old_since) if one.overview.old_since else "",
    )


def _painter(tab: str) -> Painter:
    """Return the painter of a view: that of projects has many small cells, the others have few with words."""
    return Painter(is_small=tab == PROJECTS)


def _has_secrets(workspace: Workspace, one: Row) -> bool:
    return bool(one.organization) and not one.overview.is_gone and covers(workspace, one.place, "secrets")


def _chip(problem: Problem, count: int, asked: Filter, tab: str) -> Chip:
    words, is_on = problem.one if count == 1 else problem.many or problem.one, asked.problem == problem.key
    href = list_href(tab, problem="" if is_on else problem.key, address=asked.address, group=asked.group)
    return Chip(count, words, problem.urgent, is_on, href)


def _query_of(tab: str) -> str:
    """Return what names the view in the address of its list; empty where the path does."""
    return "" if tab in (PROJECTS, HOSTNAMES) else tab


def list_href(tab: str, **query: str) -> str:
    return _href(reverse(LISTS[tab]), view=_query_of(tab), **query)


def _href(path: str, **query: str) -> str:
    """Return an address; empty values are left out."""
    found = urlencode({name: value for name, value in query.items() if value})
    return f"{path}?{found}" if found else path


def _tasks(request: WorkspaceRequest, here: Sections) -> Iterator[Task]:
    workspace = request.workspace
    missing = start.missing_tokens(workspace, here)
    instead = f" {asking_instead(workspace.person)}".rstrip() if missing else ""
    for kind, space in missing:
        if kind == Kind.MANAGEMENT:
            yield Task(
                title="Add your management token",
                reason=f"It shows your projects. Their storage tokens follow on the same page; you can skip each step.{instead}",
                button="Set up",
                href=reverse("account:setup"),
            )
        else:
            yield Task(
                title="Add your storage token",
                reason=f"It opens your buckets and objects.{instead}",
                button="Add token",
                href=f"{reverse('account:token_new')}?kind={kind}" + (f"&space={space}" if space else ""),
            )
    for place, reason in sorted({(lost.grant.place, lost.reason) for lost in start.paused_access(workspace)}):
        yield Task(
            title=f"Your access to {workspace.known_name(place) or place} doesn't work",
            reason=reason,
            button="Show access",
            href=reverse("people:person", args=[workspace.person.pk]),
            urgent=True,
        )
    for token in start.refused_tokens(workspace):
        reported = f" It reported: “{token.refusal}”" if token.refusal else ""
        yield Task(
            title=f"Replace your {spaces.token_name(token.kind, token.space)}",
            reason=f"The service refused the token …{token.last4}.{reported}",
            button="Show tokens",
            href=reverse("account:tokens"),
            urgent=True,
        )
