"""Write a change down before it is sent, and its outcome afterwards."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256
from time import monotonic
from typing import Any

from django.core.exceptions import ValidationError
from django.db import DatabaseError, transaction
from django.utils import timezone

from dashboard.interfaces.errors import Effect, InterfaceError
from dashboard.journal.models import TEXT_LIMIT, Entry, Outcome
from dashboard.web.errors import Stopped
from dashboard.web.local_problems import DISK_FULL, NOT_RECORDED, is_disk_full
from dashboard.web.problems import effect_of
from dashboard.web.requests import BadBody

log = logging.getLogger(__name__)

# What the journal calls a write that failed.
OUTCOMES = {Effect.NOT_SENT: Outcome.FAILED, Effect.REFUSED: Outcome.REFUSED, Effect.UNKNOWN: Outcome.UNKNOWN}
# `check_until`: a process that only seemed dead knows the outcome better than who checked it.
CLOSED = ("outcome", "before", "after", "duration_ms", "status", "message", "expected", "check_until")


class NotRecorded(Stopped):
    """The journal can't be written, so the change was not sent."""

    def __init__(self, error: DatabaseError) -> None:
        super().__init__(DISK_FULL if is_disk_full(error) else NOT_RECORDED)


@dataclass(slots=True)
class Change:
    """What the caller may add while the change is made: facts before and after it, and the status of the answer.

    Values are plain JSON (texts, numbers, lists, mappings). A secret goes in as `digest(secret)`, never as itself.
    `entry` is the row's id. `found` is the state after the change, as answered or as read back. `expected` replaces what the
    row was opened with.
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
    expected: str = "",
) -> Iterator[Change]:
    """Open a row, let the caller act, close the row with what came of it. Raises `NotRecorded` before anything was sent.

    The row is committed before the caller's block runs, so this must not stand inside a transaction. `expected` is kept until
    the outcome is known: by it the write can be read back, also when this process ends before the row is closed.
    """
    change = Change(before=before)
    entry = Entry(person_id=person_id, operation=operation, place=place, before=before, token=token, expected=expected)
    entry.target = _plain(target)
    _open(entry)
    change.entry = entry.pk
    started = monotonic()
    try:
        yield change
    except BaseException as error:
        _close(entry, change, started, outcome=_outcome_of(error), error=error)
        raise
    _close(entry, change, started, outcome=Outcome.DONE)


def keep_checking(entry_id: int, until: datetime) -> None:
    """Note that the outcome is unknown and is read back until then."""
    Entry.objects.filter(pk=entry_id).update(outcome=Outcome.UNKNOWN, check_until=until)


def correct(entry_id: int, outcome: Outcome) -> bool:
    """Replace an unknown outcome by what reading back showed. False when somebody else did."""
    unknown = Entry.objects.filter(pk=entry_id, outcome=Outcome.UNKNOWN)
    return bool(unknown.update(outcome=outcome, settled_at=timezone.now(), check_until=None, expected=""))


def stop_checking(entry_id: int) -> None:
    """Leave an outcome unknown for good."""
    Entry.objects.filter(pk=entry_id).update(check_until=None, expected="")


def give_up(entry: Entry) -> bool:
    """Close as unknown what a process that died left open. False when it was closed meanwhile."""
    return bool(Entry.objects.filter(pk=entry.pk, outcome=entry.outcome).update(outcome=Outcome.UNKNOWN))


def digest(secret: str) -> str:
    """How a secret stands in the journal."""
    return f"sha256:{sha256(secret.encode()).hexdigest()}"


def _open(entry: Entry) -> None:
    try:
        with transaction.atomic(durable=True):
            entry.save(force_insert=True)
    except DatabaseError as error:
        log.exception("The journal can't be written: %s was not sent.", entry.operation)
        raise NotRecorded(error) from None


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
        # The change itself stands; the open row will be shown as "outcome unknown".
        log.exception("The journal's row %s can't be closed.", entry.pk)


def _plain(text: str) -> str:
    """PostgreSQL keeps no NUL."""
    return text.replace("\0", "\ufffd")


def _outcome_of(error: BaseException) -> Outcome:
    if isinstance(error, InterfaceError):
        return OUTCOMES[effect_of(error)]
    if isinstance(error, ValidationError):
        return Outcome.REFUSED
    return Outcome.FAILED if isinstance(error, BadBody) else Outcome.UNKNOWN
