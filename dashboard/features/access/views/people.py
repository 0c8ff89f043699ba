"""The people of the team: their list, and a page per person with the access that the reader may know of."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from django.http import Http404, HttpResponse, StreamingHttpResponse
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_GET

from dashboard.features.access.forms import PARTS, PeopleFilter
from dashboard.features.access.rules import ACT_TITLES, acts_of, buckets_of, key_of, places_of
from dashboard.features.access.services import people, rows
from dashboard.features.access.services.rows import Row
from dashboard.links import through
from dashboard.team import services as team
from dashboard.team.access import PersonRequest, signed_in
from dashboard.team.models import Person
from dashboard.team.rights import allows
from dashboard.tokens.access import WorkspaceRequest
from dashboard.tokens.models import Kind
from dashboard.web.files import spreadsheet
from dashboard.web.files.downloads import attach
from dashboard.web.pages.answers import page
from dashboard.web.pages.finder import Hit
from dashboard.web.pages.navigation import inner_address
from dashboard.web.pages.places import known_name
from dashboard.web.text import sortable

SIGNED_MAX = 50
TONES = {"active": "good", "paused": "attention", "locked": "attention", "ended": "neutral", "revoked": "neutral"}
COLUMNS = (
    "for",
    "through",
    "kind",
    "place",
    "name",
    "where",
    "acts",
    "since",
    "changed",
    "last_used",
    "until",
    "state",
    "reason",
    "note",
)


@dataclass(frozen=True, slots=True)
class Line:
    """A grant on a page. `place` is the project's name, `href` leads there."""

    row: Row
    place: str
    href: str
    tone: str
    state: str

    @property
    def title(self) -> str:
        return PARTS[self.row.grant.kind].title

    @property
    def acts(self) -> list[tuple[str, str, bool]]:
        """Every act: what it is called, what it means, and whether the grant allows it."""
        grant = self.row.grant
        return [(ACT_TITLES[act], meaning, act in grant.acts) for act, meaning in acts_of(grant.kind).items()]

    @property
    def places(self) -> list[str]:
        return places_of(self.row.grant.scope)


@dataclass(frozen=True, slots=True)
class Card:
    """What one giver allows one receiver at one place. `links`: how many current links end with it.

    `is_over`: it has ended, and there is a newer one that is changed instead.
    """

    lines: list[Line]
    links: int
    is_over: bool

    @property
    def first(self) -> Line:
        return self.lines[0]

    @property
    def buttons(self) -> dict[str, int]:
        """What the reader can do, each with a grant whose address does it for the whole card."""
        found: dict[str, int] = {}
        for row in () if self.is_over else (line.row for line in self.lines):
            asked = {"confirm": row.is_waiting, "change": row.can_change, "revoke": row.can_revoke}
            found |= {act: row.grant.pk for act, is_possible in asked.items() if is_possible}
        return found


@dataclass(frozen=True, slots=True)
class Side:
    """The cards of one giver, or to one receiver, by place."""

    heading: str
    cards: list[Card]


@require_GET
@signed_in
def index(request: PersonRequest) -> HttpResponse:
    """List the team. Owners add people; administrators also see addresses and last sign-ins."""
    found, form = _found(request)
    shown = people.members(
        request.user,
        found,
        name=form.cleaned_data["q"],
        only_with=[row for row in rows.matching(found, form.filters) if not row.is_past]
        if form.filters != rows.Filters()
        else None,
    )
    context = {
        "form": form,
        "members": shown,
        "filtered": bool(form.kept),
        "signed": rows.signed_links(request.user)[:SIGNED_MAX],
        "waiting": sum(row.is_waiting for row in found),
        "grants": len(found),
        "can_give": _can_give(request.user),
        "may_change": request.user.is_owner,
        "sees_accounts": team.sees_accounts(request.user),
        "query": request.GET.urlencode(),
    }
    return page(request, "access/people.html", context, parts={"people": "access/_people.html"})


@require_GET
@signed_in
def export(request: PersonRequest) -> StreamingHttpResponse:
    """Export the access that the reader may know of as CSV, also past access, filtered as the list is."""
    found, form = _found(request)
    lines = [_line(request, row) for row in rows.matching(found, form.filters)]
    return attach(_as_csv(lines), filename=f"access-{timezone.now():%Y-%m-%d}.csv", kind=spreadsheet.TYPE)


@require_GET
@signed_in
def person(request: PersonRequest, person_id: int) -> HttpResponse:
    """Show a person with role and access: what they and the reader gave each other (owners: all)."""
    shown = next((row for row in team.people(request.user) if row.id == person_id), None)
    if shown is None:
        raise Http404("There is no such person.")
    found = rows.rows(request.user)
    somebody = Person.objects.get(pk=person_id)
    current = [row for row in found if not row.is_past]
    context = {
        "person": shown,
        "sides": _sides(request, somebody, current),
        "past": _sides(request, somebody, [row for row in found if row.is_past], over={key_of(row.grant) for row in current}),
        "can_give": _can_give(request.user) and shown.is_active and not shown.is_self,
        "may_change": request.user.is_owner,
        "sees_accounts": shown.is_self or team.sees_accounts(request.user),
        "whom": team.whom_to_ask(request.user) or "a colleague",
    }
    return page(request, "access/person.html", context, parts={"person": "access/_person.html"})


def givable(request: WorkspaceRequest, query: str) -> Iterator[Hit]:
    """Yield for the command palette the form that gives access to the person named behind "give access"."""
    words = query.casefold().split()
    names = [word for word in words[2:] if word != "to"]
    if words[:2] == ["give", "access"] and names and _can_give(request.user):
        for row in team.people(request.user):
            if row.is_active and not row.is_self and all(name in row.name.casefold() for name in names):
                yield Hit(name=f"Give access to {row.name}", href=f"{reverse('access:new')}?person={row.id}", icon="user-plus")


def _can_give(viewer: Person) -> bool:
    return allows(viewer.role, "access granted") and viewer.stored_tokens.exists()


def _found(request: PersonRequest) -> tuple[list[Row], PeopleFilter]:
    found = rows.rows(request.user)
    names = {place: known_name(request, place) for place in {row.grant.place for row in found}}
    return found, PeopleFilter.read(request.GET, rows.choices(found, names))


def _sides(
    request: PersonRequest, somebody: Person, found: Sequence[Row], *, over: Collection[tuple[object, ...]] = ()
) -> list[Side]:
    links = through.counts(row.grant.pk for row in found)
    sides = []
    for heading, listed in people.sides(request.user, somebody, found).items():
        lines = sorted((_line(request, row) for row in listed), key=_in_order)
        cards = [
            Card(card, sum(links[line.row.grant.pk] for line in card), key in over)
            for key, card in ((key, list(card)) for key, card in groupby(lines, lambda line: key_of(line.row.grant)))
        ]
        sides.append(Side(heading, cards))
    return sides


def _in_order(line: Line) -> tuple[object, ...]:
    grant = line.row.grant
    return line.place.casefold(), grant.place, grant.giver_id, grant.role, grant.person_id or 0, grant.kind == Kind.MANAGEMENT


def _line(request: PersonRequest, row: Row) -> Line:
    grant = row.grant
    bucket = next(iter(buckets_of(grant.scope)), "")
    if grant.kind == Kind.MANAGEMENT:
        href = reverse("projects:show", args=[grant.place])
    elif len(grant.folders) == 1:
        href = inner_address("bucket", grant.place, bucket, path=grant.folders[0].partition("/")[2])
    else:
        href = reverse("buckets:index", args=[grant.place])
    name = known_name(request, grant.place) or grant.name or grant.place
    return Line(row, name, href if row.is_given or row.is_received else "", TONES[row.state], row.state.capitalize())


def _as_csv(lines: list[Line]) -> Iterator[str]:
    yield spreadsheet.line(COLUMNS)
    for line in lines:
        row, grant = line.row, line.row.grant
        times = (
            sortable(moment) if moment else "" for moment in (grant.made_at, grant.changed_at, grant.last_used_at, grant.ends_at)
        )
        since, changed, used, until = times
        yield spreadsheet.line(
            (
                *(row.receiver, grant.giver, grant.kind, grant.place, line.place, row.where, row.acts),
                *(since, changed, used, until, row.state, row.reason, grant.note),
            )
        )
