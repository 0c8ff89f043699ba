"""Store facts per token, and load those that the same token read within 30 days."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from django.utils import timezone

from dashboard.facts import registry
from dashboard.facts.models import Budget, KeptFact
from dashboard.facts.registry import Fact
from dashboard.interfaces.errors import Crowded, InterfaceError, NotFound, SlowDown
from dashboard.jobs.retention import delete_some
from dashboard.tokens.last_known import UNANSWERED, Reading
from dashboard.tokens.models import Kind
from dashboard.tokens.workspace import Workspace

# The fingerprints of tokens by kind and place.
Tokens = Mapping[tuple[str, str], str]

KEPT_FOR = timedelta(days=30)
FAILURE_LIMIT = 300
MOST_COUNTED = 100
_UNIQUE = ("fingerprint", "place", "key")


def keep(readings: Sequence[Reading]) -> None:
    """Save what a request read of registered operations: the value, or why there is none."""
    rows: dict[tuple[str, str, str], KeptFact] = {}
    failed: list[KeptFact] = []
    for reading in readings:
        for fact in registry.of_operation(reading.operation):
            row = _row(fact, reading)
            if row is None:
                continue
            if row.failure and isinstance(reading.answer, UNANSWERED):
                failed.append(row)
            else:
                rows[row.fingerprint, row.place, row.key] = row
    _save(list(rows.values()), ("value", "read_at", "tried_at", "failure", "unanswered"))
    _count(failed)
    _save(failed, ("tried_at", "failure", "unanswered"))


def forget(fingerprint: str) -> None:
    """Delete everything that this token read."""
    KeptFact.objects.filter(fingerprint=fingerprint).delete()
    Budget.objects.filter(fingerprint=fingerprint).delete()


def forget_old() -> None:
    """Delete a batch of facts that no token has read for 30 days."""
    delete_some(KeptFact.objects.filter(tried_at__lt=timezone.now() - KEPT_FOR))


class Kept(NamedTuple):
    """A stored fact. `read_at` is None if there is no value to show."""

    value: Any
    read_at: datetime | None
    tried_at: datetime
    failure: str
    unanswered: int


def load(places: Collection[str], tokens: Tokens) -> dict[tuple[str, str], Kept]:
    """Return the stored facts by place and key. Those read more than 30 days ago have no value."""
    kinds = {fact.key: fact.kind for fact in registry.facts() if fact.operation}
    oldest = timezone.now() - KEPT_FOR
    rows = KeptFact.objects.filter(fingerprint__in=set(filter(None, tokens.values())), place__in=places)
    found: dict[tuple[str, str], Kept] = {}
    for place, key, fingerprint, *rest in rows.values_list("place", "key", "fingerprint", *Kept._fields):
        at = kinds.get(key, ""), place
        if tokens.get(at) == fingerprint:
            kept = Kept(*rest)
            is_shown = kept.read_at is not None and kept.read_at >= oldest
            found[place, key] = kept if is_shown else kept._replace(value=None, read_at=None)
    return found


def readers(place: str) -> set[str]:
    """Return the fingerprints of the tokens that have read facts of this place."""
    return set(KeptFact.objects.filter(place=place, read_at__isnull=False).values_list("fingerprint", flat=True))


def tokens_of(workspace: Workspace, places: Collection[str]) -> Tokens:
    """Return the fingerprints of the person's tokens by kind and place, "" where there is none."""
    return {(kind, place): workspace.fingerprint(kind, place) for kind in Kind for place in places}


def _row(fact: Fact, reading: Reading) -> KeptFact | None:
    """Return the row to save; None if no call was sent."""
    now = timezone.now()
    row = KeptFact(fingerprint=reading.fingerprint, place=reading.place, key=fact.key, tried_at=now)
    value: Any = None
    if isinstance(reading.answer, Crowded | SlowDown):
        return None
    if isinstance(reading.answer, InterfaceError):
        if isinstance(reading.answer, NotFound) and fact.absent:
            value = fact.absent(reading.answer)
        row.failure = str(reading.answer)[:FAILURE_LIMIT] if value is None else ""
    else:
        value = fact.summarize(reading.answer) if fact.summarize else None
    row.value, row.read_at = value, now if value is not None else None
    return row


def _count(failed: Sequence[KeptFact]) -> None:
    """Set `unanswered` of each row to one more than stored."""
    if failed:
        kept = KeptFact.objects.filter(
            fingerprint__in={row.fingerprint for row in failed}, place__in={row.place for row in failed}
        )
        before = {tuple(key): count for *key, count in kept.values_list(*_UNIQUE, "unanswered")}
        for row in failed:
            row.unanswered = min(before.get((row.fingerprint, row.place, row.key), 0) + 1, MOST_COUNTED)


def _save(rows: Sequence[KeptFact], fields: Sequence[str]) -> None:
    if rows:
        KeptFact.objects.bulk_create(rows, update_conflicts=True, unique_fields=_UNIQUE, update_fields=fields)
