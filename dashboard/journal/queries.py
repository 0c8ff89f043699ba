"""Query journal entries and format them for pages and CSV."""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import Any

from django.db import connection
from django.db.models import Case, Count, F, Max, Min, Q, TextField, Value, When
from django.db.models.functions import Collate
from django.urls import reverse

from dashboard.interfaces.operations import OPERATIONS
from dashboard.journal.models import Entries, Entry, Outcome
from dashboard.journal.sentences import OBJECT, TOKENS, Part, kind_in_the_past, predicate_of, sentence
from dashboard.web.failures.operations import KINDS, TEAM, kind_of, words
from dashboard.web.files.spreadsheet import line
from dashboard.web.pages.frame import Viewer
from dashboard.web.process.database import in_chunks
from dashboard.web.text import sortable

TONES = {
    Outcome.OPEN: "waiting",
    Outcome.DONE: "good",
    Outcome.REFUSED: "attention",
    Outcome.FAILED: "danger",
    Outcome.UNKNOWN: "attention",
    Outcome.NOT_APPLIED: "danger",
    Outcome.PARTLY: "attention",
}
# The outcome of an action is the last of its entries' outcomes in this order, or "partly applied" if some are done.
SEVERITY = (Outcome.DONE, Outcome.REFUSED, Outcome.PARTLY, Outcome.NOT_APPLIED, Outcome.FAILED, Outcome.UNKNOWN, Outcome.OPEN)
NOT_DONE = {Outcome.REFUSED, Outcome.NOT_APPLIED, Outcome.FAILED}
_FINGERPRINT = re.compile(r"[0-9a-f]{8,32}")
COLUMNS = (
    *("id", "started", "person", "through", "operation", "what", "place", "target"),
    *("outcome", "status", "duration_ms", "token", "message", "before", "after"),
)


# Pages of upper layers, which register their URLs here: checking an unknown outcome, and all entries of an action.
_check_urls: list[Callable[[Entry], str]] = []
_action_urls: list[Callable[[Entry], str]] = []


@dataclass(frozen=True, slots=True)
class Filters:
    """Filters of the list; empty members don't filter.

    `through`: whose token was used by a grant. `operation`: one, or a kind of them. `since` and `until`: days in `zone`, both
    included. `entry`: the first one of an action whose entries are listed.
    """

    person: str = ""
    through: str = ""
    operation: str = ""
    outcome: str = ""
    place: str = ""
    since: date | None = None
    until: date | None = None
    zone: tzinfo = UTC
    q: str = ""
    entry: int | None = None

    @property
    def joins(self) -> bool:
        """Whether the entries of one action are listed as one. Filters for single entries turn it off."""
        return not (self.operation or self.outcome or self.q or self.entry)


@dataclass(frozen=True, slots=True)
class Row:
    """One entry, or an action of `parts` entries in all, formatted for the list: `what` was done, and to which `target`."""

    pk: int
    href: str
    started_at: datetime
    person: str
    through: str
    operation: str
    what: str
    place: str
    target: str
    outcome: str
    tone: str
    message: str
    duration: str
    parts: int = 1
    outcomes: str = ""
    is_mixed: bool = False

    @property
    def is_done(self) -> bool:
        return self.outcome == Outcome.DONE.label

    @property
    def initials(self) -> str:
        """Of the person's name, or the first letter of the address."""
        return "".join(word[0] for word in self.person.split()[:2]).upper()


def entries(viewer: Viewer, filters: Filters) -> Entries:
    """Return the matching entries that the viewer may see, newest first."""
    equal = {"person_id": filters.person, "through_id": filters.through, "place": filters.place}
    found = visible(viewer).filter(**{name: value for name, value in equal.items() if value})
    if filters.outcome:
        found = found.with_outcome(filters.outcome)
    if filters.operation in KINDS:
        found = found.filter(operation__in=KINDS[filters.operation])
    elif filters.operation == TEAM:
        found = found.exclude(operation__in=[operation for members in KINDS.values() for operation in members])
    elif filters.operation:
        found = found.filter(operation=filters.operation)
    if filters.since:
        found = found.filter(started_at__gte=datetime.combine(filters.since, time.min, filters.zone))
    if filters.until:
        found = found.filter(started_at__lt=datetime.combine(filters.until + timedelta(days=1), time.min, filters.zone))
    if filters.entry:
        found = found.filter(Q(pk=filters.entry) | Q(part_of=filters.entry))
    for word in filters.q.split():
        found = found.filter(Q(target__icontains=word) | Q(message__icontains=word) | _of_token(word))
    return found.select_related("person", "through")


def _of_token(word: str) -> Q:
    """Match the start of a token's fingerprint, as displayed on pages."""
    return Q(token__startswith=word) if _FINGERPRINT.fullmatch(word) else Q()


def visible(viewer: Viewer) -> Entries:
    """Return all entries for owners of the team; for everybody else their own, and those made through their tokens."""
    return Entry.objects.all() if viewer.is_owner else Entry.objects.filter(Q(person_id=viewer.pk) | Q(through_id=viewer.pk))


def choices(viewer: Viewer, *, name: Callable[[str], str]) -> dict[str, list[Any]]:
    """Return the filter choices among visible entries: (value, label) by field, operations grouped by kind."""
    seen = visible(viewer).order_by()
    people = seen.values_list("person_id", "person__name", "person__email").distinct()
    operations = seen.values_list("operation", flat=True).distinct()
    places = seen.exclude(place="").values_list("place", flat=True).distinct()
    givers = seen.exclude(through=None).values_list("through_id", "through__name", "through__email").distinct()
    return {
        "person": _named(people),
        "through": [(pk, f"Through {giver}'s token") for pk, giver in _named(givers)],
        "operation": _by_kind(operations),
        "place": sorted(((place, name(place) or place) for place in places), key=lambda pair: pair[1].casefold()),
    }


def _named(people: Iterable[tuple[int, str, str]]) -> list[tuple[str, str]]:
    return sorted(((str(pk), name or email) for pk, name, email in people), key=lambda pair: pair[1].casefold())


def _by_kind(operations: Iterable[str]) -> list[tuple[str, list[tuple[str, str]]]]:
    known = sorted((kind_in_the_past(operation), operation) for operation in operations)
    found = [(kind, [(operation, name) for name, operation in known if kind_of(operation) == kind]) for kind in (*KINDS, TEAM)]
    return [(kind, [(kind, f"{kind}: all"), *members]) for kind, members in found if members]


def joined(found: Entries) -> Entries:
    """Leave out all but the first entry of each action."""
    return found.filter(part_of=None)


def rows(found: Iterable[Entry], *, name: Callable[[str], str], joins: bool) -> list[Row]:
    """Return the rows of a page. `joins` adds to each entry the others of its action."""
    listed = list(found)
    parts = _parts(entry.pk for entry in listed if entry.action) if joins else {}
    return [row(entry, name=name, parts=parts.get(entry.pk, ())) for entry in listed]


def _parts(firsts: Iterable[int]) -> dict[int, list[tuple[str, Part]]]:
    """Return what else is part of actions, with its outcome, by the id of their first entry."""
    by_bytes = Collate("target", "C" if connection.vendor == "postgresql" else "BINARY")
    of_these = Entry.objects.filter(part_of__in=list(firsts)).order_by()
    # Thousands of objects have as many targets: of these, only the first and the last.
    alike = Case(When(target__startswith=OBJECT, then=Value(OBJECT)), default=F("target"), output_field=TextField())
    found = of_these.annotate(alike=alike).values_list("part_of", "outcome", "operation", "alike")
    parts: dict[int, list[tuple[str, Part]]] = {}
    for entry, outcome, operation, _, first, last, count in found.annotate(
        first=Min(by_bytes), last=Max(by_bytes), count=Count("pk")
    ):
        parts.setdefault(entry, []).append((outcome, Part(operation, first, last, count)))
    return parts


def row(entry: Entry, *, name: Callable[[str], str], parts: Sequence[tuple[str, Part]] = ()) -> Row:
    """Return one row; `parts` are the other entries of its action with their outcomes."""
    outcomes = Counter({entry.shown_outcome.value: 1})
    for outcome, part in parts:
        outcomes[outcome] += part.count
    shown = max((Outcome(outcome) for outcome in outcomes), key=SEVERITY.index)
    if Outcome.DONE in outcomes and shown in NOT_DONE:
        shown = Outcome.PARTLY
    first = Part(entry.operation, entry.target, entry.target, 1)
    every, exactly = [first, *(part for _, part in parts)] if parts else (), predicate_of(entry.operation, entry.after)
    what, target = sentence(entry.operation, entry.target, shown, every, exactly)
    place = entry.place and (name(entry.place) or entry.place)
    if entry.operation in TOKENS and place and not parts:
        target = f"{target} for {place}"
    return Row(
        pk=entry.pk,
        href=reverse("journal:show", args=[entry.pk]),
        started_at=entry.started_at,
        person=str(entry.person),
        through=str(entry.through or ""),
        operation=entry.operation if entry.operation in OPERATIONS else "",
        what=what,
        place=place,
        target=target,
        outcome=shown.label,
        tone=TONES[shown],
        parts=outcomes.total(),
        is_mixed=len(outcomes) > 1,
        outcomes=", ".join(f"{count:,} {Outcome(outcome).label.lower()}" for outcome, count in outcomes.most_common()),
        message=entry.message,
        duration="" if entry.duration_ms is None else f"{entry.duration_ms:,} ms",
    )


def add_check(url_of: Callable[[Entry], str]) -> None:
    """Register what returns the URL where an entry's outcome is checked. Once, in a `feature`."""
    _check_urls.append(url_of)


def check_url(viewer: Viewer, entry: Entry) -> str:
    """Return where the viewer can check an unknown outcome; empty if it is known or not their entry."""
    is_open = entry.check_until is not None and entry.person_id == viewer.pk
    return next((url_of(entry) for url_of in _check_urls), "") if is_open else ""


def add_action_page(url_of: Callable[[Entry], str]) -> None:
    """Register what returns the URL of the page of an entry's action; "" if it has none. Once, in a `feature`."""
    _action_urls.append(url_of)


def action_url(entry: Entry) -> str:
    """Return the page of an entry's action, empty if it has none."""
    return next((found for url_of in _action_urls if (found := url_of(entry))), "") if entry.action else ""


def named(operation: str) -> str:
    """Return the operation's display name: "Create the bucket", "Token stored"."""
    found = words(operation)
    return found[:1].upper() + found[1:]


def as_csv(found: Entries) -> Iterator[str]:
    """Yield CSV lines, reading entries in chunks; cells are safe from formula injection."""
    yield line(COLUMNS)
    for entry in in_chunks(found, 500):
        yield line(
            (
                entry.pk,
                sortable(entry.started_at),
                entry.person,
                entry.through,
                entry.operation,
                named(entry.operation),
                entry.place,
                entry.target,
                entry.shown_outcome.value,
                entry.status,
                entry.duration_ms,
                entry.token[:8],
                entry.message,
                _text(entry.before),
                _text(entry.after),
            )
        )


def _text(value: Any) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    return json.dumps(value, ensure_ascii=False)
