"""Record a change before it is sent, and its outcome afterwards."""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256
from time import monotonic
from typing import Any

from django.core.exceptions import ValidationError
from django.db import DatabaseError, transaction
from django.db.models import Q
from django.utils import timezone

from dashboard.interfaces.errors import Effect, InterfaceError
from dashboard.journal.models import DIGEST, QUESTION, TEXT_LIMIT, Entry, Outcome
from dashboard.web.failures.cards import Stopped
from dashboard.web.failures.local_problems import DISK_FULL, NOT_RECORDED, is_disk_full
from dashboard.web.failures.problems import effect_of
from dashboard.web.http.logs import current_request
from dashboard.web.http.requests import BadBody
from dashboard.web.pages.errors import HAS_CHANGED, NeedsToken

log = logging.getLogger(__name__)

# The outcome of a failed write by the error's effect.
OUTCOMES = {Effect.NOT_SENT: Outcome.FAILED, Effect.REFUSED: Outcome.REFUSED, Effect.UNKNOWN: Outcome.UNKNOWN}
# Overwrites `check_until` too: the process that sent the write knows its outcome better than a check made in between.
CLOSED = ("outcome", "before", "after", "duration_ms", "status", "message", "expected", "check_until")

# Called before each entry with the person's id and the act; may raise to stop it. The team registers its check of rights.
before_entries: list[Callable[[int, str], None]] = []


class NotRecorded(Stopped):
    """The entry can't be written, so the change was not sent."""

    def __init__(self, error: DatabaseError) -> None:
        super().__init__(DISK_FULL if is_disk_full(error) else NOT_RECORDED)


@dataclass(slots=True)
class Change:
    """Lets the caller add to the entry while making the change.

    `before` and `after` are plain JSON; pass a secret as `digest(secret)`. `status` is the answer's, `entry` the entry's id.
    `found` is the state after the change, as answered or read back. `expected` replaces the value given to `record`.
    """

    before: Any = None
    after: Any = None
    status: int | None = None
    message: str = ""
    outcome: Outcome | None = field(default=None)
    entry: int = 0
    found: Any = None
    expected: str = ""


@contextmanager
def record(
    *,
    person_id: int,
    operation: str,
    target: str = "",
    place: str = "",
    before: Any = None,
    token: str = "",
    through_id: int | None = None,
    expected: str = "",
    action: str = "",
    right: str = "",
) -> Iterator[Change]:
    """Open an entry, run the block, close the entry with the outcome.

    Raises `NotRecorded`, and errors of `before_entries`, before anything is sent. `right` is the act that the person needs the
    right to, if that is not `operation`. The entry is committed before the block runs, so don't call this inside a transaction.
    `expected` is kept until the outcome is known, so that the write can be read back even after a crash. Entries of one person
    with the same `action` are listed as one; a question is part of none. `through_id` is the person whose token a grant used.
    """
    for ask in before_entries:
        ask(person_id, right or operation)
    change = Change(before=before)
    entry = Entry(person_id=person_id, operation=operation, place=place, before=before, token=token, expected=expected)
    entry.through_id = through_id
    entry.target, entry.action = _plain(target), "" if target.startswith(QUESTION) else action
    _open(entry)
    change.entry = entry.pk
    if request := current_request():
        request.META[HAS_CHANGED] = True
    started = monotonic()
    try:
        yield change
    except BaseException as error:
        _close(entry, change, started, outcome=_outcome_of(error), error=error)
        raise
    _close(entry, change, started, outcome=Outcome.DONE)


def keep_checking(entry_id: int, until: datetime) -> None:
    """Mark the outcome as unknown and to be read back until `until`."""
    Entry.objects.filter(pk=entry_id).update(outcome=Outcome.UNKNOWN, check_until=until)


def correct(entry_id: int, outcome: Outcome, *, after: Any = None) -> bool:
    """Replace an unknown outcome by the one read back. Returns False if it was already replaced."""
    unknown = Entry.objects.filter(pk=entry_id, outcome__in=(Outcome.UNKNOWN, Outcome.OPEN))
    values = {"after": after} if after is not None else {}
    return bool(unknown.update(outcome=outcome, settled_at=timezone.now(), check_until=None, expected="", **values))


def stop_checking(entry_id: int) -> bool:
    """Stop reading back and leave the outcome unknown. Returns False if it is known."""
    unknown = Entry.objects.filter(pk=entry_id, outcome__in=(Outcome.UNKNOWN, Outcome.OPEN))
    return bool(unknown.update(outcome=Outcome.UNKNOWN, check_until=None, expected=""))


def give_up(entry: Entry) -> bool:
    """Close a crashed process's entry as unknown. Returns False if it is already closed."""
    return bool(Entry.objects.filter(pk=entry.pk, outcome=entry.outcome).update(outcome=Outcome.UNKNOWN))


def digest(secret: str) -> str:
    """Return the digest that stands for a secret in the journal."""
    return f"{DIGEST}{sha256(secret.encode()).hexdigest()}"


def _open(entry: Entry) -> None:
    try:
        with transaction.atomic(durable=True):
            entry.part_of_id = min(_firsts(entry), default=None)
            entry.save(force_insert=True)
        if entry.action and not entry.part_of_id:
            join_action(entry)
    except DatabaseError as error:
        log.exception("The journal can't be written, so %s was not sent.", entry.operation)
        raise NotRecorded(error) from None


def _firsts(entry: Entry) -> list[int]:
    """Return the ids of the first entries of an action: one, or several if simultaneous changes began it."""
    firsts = Entry.objects.filter(person_id=entry.person_id, action=entry.action, part_of=None)
    return list(firsts.values_list("pk", flat=True)) if entry.action else []


def join_action(entry: Entry) -> None:
    """Keep only one first entry of an action, the one with the lowest id."""
    first, *others = sorted(_firsts(entry))
    Entry.objects.filter(Q(pk__in=others) | Q(part_of__in=others)).update(part_of=first)


def _close(entry: Entry, change: Change, started: float, *, outcome: Outcome, error: BaseException | None = None) -> None:
    entry.outcome = change.outcome or outcome
    is_lost = outcome == Outcome.UNKNOWN and not change.outcome
    entry.expected = (change.expected or entry.expected) if is_lost else ""
    entry.before, entry.after = change.before, change.after
    entry.duration_ms = round((monotonic() - started) * 1000)
    entry.status, entry.message = change.status, change.message[:TEXT_LIMIT]
    if isinstance(error, InterfaceError):
        entry.status = error.status or change.status
        entry.message = _plain(error.text or str(error))[:TEXT_LIMIT]
    elif isinstance(error, ValidationError):
        entry.message = " ".join(error.messages)[:TEXT_LIMIT]
    try:
        with transaction.atomic():
            entry.save(update_fields=CLOSED)
    except (DatabaseError, TypeError, ValueError):
        # The change was made; the open entry will be shown as unknown.
        log.exception("Journal entry %s can't be closed.", entry.pk)


def _plain(text: str) -> str:
    """Replace NUL, which PostgreSQL can't store."""
    return text.replace("\0", "\ufffd")


def _outcome_of(error: BaseException) -> Outcome:
    if isinstance(error, InterfaceError):
        return OUTCOMES[effect_of(error)]
    if isinstance(error, ValidationError):
        return Outcome.REFUSED
    return Outcome.FAILED if isinstance(error, (BadBody, NeedsToken)) else Outcome.UNKNOWN
