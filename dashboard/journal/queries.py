"""Find journal entries and format them for pages and CSV."""

import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from django.db.models import Q
from django.urls import reverse

from dashboard.journal.models import Entries, Entry, Outcome
from dashboard.web.database import in_chunks
from dashboard.web.operations import WORDS
from dashboard.web.spreadsheet import line
from dashboard.web.text import exact

TONES = {
    Outcome.OPEN: "waiting",
    Outcome.DONE: "good",
    Outcome.REFUSED: "attention",
    Outcome.FAILED: "danger",
    Outcome.UNKNOWN: "attention",
    Outcome.NOT_APPLIED: "danger",
}
_FINGERPRINT = re.compile(r"[0-9a-f]{8,32}")
COLUMNS = (
    *("id", "started", "person", "operation", "what", "place", "target"),
    *("outcome", "status", "duration_ms", "token", "message", "before", "after"),
)


# Unknown outcomes are checked by a layer above, which registers the URL here.
_check_urls: list[Callable[[Entry], str]] = []


class Viewer(Protocol):
    """The signed-in person."""

    @property
    def pk(self) -> int: ...
    @property
    def is_owner(self) -> bool: ...


@dataclass(frozen=True, slots=True)
class Filters:
    """Filters of the list; empty members don't filter."""

    person: str = ""
    operation: str = ""
    outcome: str = ""
    place: str = ""
    q: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """One entry, formatted for the list."""

    href: str
    started_at: datetime
    person: str
    operation: str
    what: str
    place: str
    target: str
    outcome: str
    tone: str
    message: str
    duration: str


def entries(viewer: Viewer, filters: Filters) -> Entries:
    """Return the matching entries that the viewer may see, newest first."""
    found = visible(viewer)
    if filters.outcome:
        found = found.with_outcome(filters.outcome)
    if filters.person:
        found = found.filter(person_id=int(filters.person))
    if filters.operation:
        found = found.filter(operation=filters.operation)
    if filters.place:
        found = found.filter(place=filters.place)
    for word in filters.q.split():
        found = found.filter(Q(target__icontains=word) | Q(message__icontains=word) | _of_token(word))
    return found.select_related("person")


def _of_token(word: str) -> Q:
    """Match the start of a token's fingerprint, as pages show it."""
    return Q(token__startswith=word) if _FINGERPRINT.fullmatch(word) else Q()


def visible(viewer: Viewer) -> Entries:
    """Return all entries for owners, and a member's own."""
    return Entry.objects.all() if viewer.is_owner else Entry.objects.filter(person_id=viewer.pk)


def choices(viewer: Viewer) -> dict[str, list[tuple[str, str]]]:
    """Return the filter choices among visible entries: (value, label) by field."""
    seen = visible(viewer).order_by()
    people = seen.values_list("person_id", "person__name", "person__email").distinct()
    operations = seen.values_list("operation", flat=True).distinct()
    places = seen.exclude(place="").values_list("place", flat=True).distinct()
    return {
        "person": sorted(((str(pk), name or email) for pk, name, email in people), key=lambda pair: pair[1].casefold()),
        "operation": sorted(((operation, what(operation)) for operation in operations), key=lambda pair: pair[1]),
        "place": [(place, place) for place in sorted(places)],
    }


def rows(found: Iterable[Entry]) -> list[Row]:
    return [row(entry) for entry in found]


def row(entry: Entry) -> Row:
    return Row(
        href=reverse("journal:show", args=[entry.pk]),
        started_at=entry.started_at,
        person=str(entry.person),
        operation=entry.operation if entry.operation in WORDS else "",
        what=what(entry.operation),
        place=entry.place,
        target=entry.target,
        outcome=entry.shown_outcome.label,
        tone=TONES[entry.shown_outcome],
        message=entry.message,
        duration="" if entry.duration_ms is None else f"{entry.duration_ms:,} ms",
    )


def add_check(url_of: Callable[[Entry], str]) -> None:
    """Register the URL where an entry's outcome is checked. Once, in `AppConfig.ready`."""
    _check_urls.append(url_of)


def check_url(viewer: Viewer, entry: Entry) -> str:
    """Return where the viewer checks an unknown outcome; empty if known or not their entry."""
    is_open = entry.check_until is not None and entry.person_id == viewer.pk
    return next((url_of(entry) for url_of in _check_urls), "") if is_open else ""


def changes(entry: Entry) -> list[tuple[str, str, str]]:
    """Return (name, before, after) of each changed member as text."""
    before, after = _members(entry.before), _members(entry.after)
    return [(name, _text(before.get(name)), _text(after.get(name))) for name in {**before, **after}]


def what(operation: str) -> str:
    """Return the operation's display name: "Create the bucket", "Token stored"."""
    words = WORDS.get(operation, operation)
    return words[:1].upper() + words[1:]


def as_csv(found: Entries) -> Iterator[str]:
    """Yield CSV lines, reading entries in chunks; cells are safe from formula injection."""
    yield line(COLUMNS)
    for entry in in_chunks(found, 500):
        yield line(
            (
                entry.pk,
                exact(entry.started_at),
                entry.person,
                entry.operation,
                what(entry.operation),
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


def _members(value: Any) -> dict[str, Any]:
    if value is None:
        return {}
    return value if isinstance(value, dict) else {"value": value}


def _text(value: Any) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    return json.dumps(value, ensure_ascii=False)
