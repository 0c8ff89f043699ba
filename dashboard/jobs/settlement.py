"""Writes whose answer was lost: they are read back until their outcome is known.

A feature registers how its writes are read back, in `AppConfig.ready`::

    settlement.register("M21", Rule(read=read_key, shows=is_new_key))

and sends them in a service::

    with settlement.settle(workspace, "M21", place=ref, target="root key", wanted={"key": digest(key)}) as change:
        workspace.management.encryption.update(ref, root_key=key)

- `wanted` is plain JSON by which `shows` recognises the new state. It is kept sealed; secrets go in as digests.
- A lost answer (effect "unknown") is read back at once. The new state proves success: the block ends without an error, and
  `change.found` holds what was read. The old state proves nothing while the request may still run: `Unconfirmed` goes up, and
  a worker reads again for ten minutes. Then the entry in the journal says "done" or "not applied".
- Until then a write that touches the same thing is refused with `Unsettled` before it is sent.
- A page that reads the state anyway hands it to `observe`, which may settle it earlier.
- Only the token that sent a write can tell its outcome: another one may see less.
"""

import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

from django.db import DatabaseError, transaction
from django.utils import timezone

from dashboard.interfaces.errors import Effect, InterfaceError
from dashboard.jobs import schedules
from dashboard.jobs.models import Timer
from dashboard.jobs.settlement_queue import KIND, Pending, Rule, Wanted, payload_of, pending_at, pending_of, register, rule_of
from dashboard.jobs.unsettled import Unsettled, confirmation_of
from dashboard.journal import recorder
from dashboard.journal.models import GIVE_UP_AFTER, Entry, Outcome
from dashboard.journal.recorder import Change
from dashboard.tokens.workspace import Workspace
from dashboard.web.problems import effect_of

log = logging.getLogger(__name__)

__all__ = ["Rule", "Wanted", "register"]

WINDOW = timedelta(minutes=10)
FIRST_CHECK_SECONDS = 5.0
LONGEST_PAUSE_SECONDS = 60.0


@contextmanager
def settle(
    workspace: Workspace,
    operation: str,
    *,
    target: str,
    wanted: Wanted,
    place: str = "",
    before: Any = None,
    touches: Sequence[str] = (),
) -> Iterator[Change]:
    """Journal one write as `workspace.record` does, and read back where its answer gets lost.

    `touches` names what it changes, where that is not just `target`. Raises `Unsettled` before anything is sent while an
    earlier write to one of these is being checked, and `Unconfirmed` when reading back at once does not show success.
    """
    names = list(touches) or [target]
    require_settled(workspace, place, *names)
    sent: Change | None = None
    try:
        with workspace.record(operation, target=target, place=place, before=before) as change:
            sent = change
            yield change
    except InterfaceError as lost:
        if effect_of(lost) is not Effect.UNKNOWN or sent is None:
            raise
        if not _found_at_once(workspace, operation, place, wanted, sent):
            raise _keep_checking(workspace, sent, lost, payload_of(workspace, names, wanted)) from lost


def require_settled(workspace: Workspace, place: str, *touches: str) -> None:
    """Raise `Unsettled` while an earlier write that touches one of these is being checked."""
    for pending in pending_at(place):
        if not pending.touches & set(touches) or (not place and not pending.can_be_told_by(workspace)):
            continue
        if not pending.is_overdue or not pending.can_be_told_by(workspace) or not _look(workspace, pending):
            raise Unsettled(pending.entry, mine=pending.entry.person_id == workspace.person.pk)


def observe(workspace: Workspace, place: str, state: Any, *operations: str, of: str = "") -> None:
    """Settle what a state that was just read shows, where it is that `of` one thing only. In the thread of the request."""
    for pending in pending_at(place):
        fits = pending.entry.operation in operations and (not of or of in pending.touches)
        if fits and pending.can_be_told_by(workspace):
            _conclude(workspace, pending, state)


def check_now(workspace: Workspace, entry: Entry) -> None:
    """Read back once and settle what it shows. Raises what the service raises."""
    pending = pending_of(entry)
    if pending and pending.can_be_told_by(workspace):
        _look(workspace, pending)


def is_being_checked(place: str, *touches: str) -> bool:
    """Whether an earlier write that touches one of these is being checked."""
    return any(pending.touches & set(touches) for pending in pending_at(place))


def run(workspace: Workspace, timer: Timer) -> float | None:
    """One check by the worker: seconds until the next one, None when the outcome is known or nobody can tell it."""
    entry = Entry.objects.filter(pk=int(timer.key), check_until__isnull=False).first()
    pending = pending_of(entry) if entry else None
    if entry and pending and pending.can_be_told_by(workspace):
        left = (pending.until - timezone.now()).total_seconds()
        try:
            if not _look(workspace, pending):
                age = WINDOW.total_seconds() - left
                return max(1.0, min(max(FIRST_CHECK_SECONDS, age), LONGEST_PAUSE_SECONDS, left))
        except InterfaceError:
            if -left < GIVE_UP_AFTER.total_seconds():
                raise
    recorder.stop_checking(int(timer.key))
    return None


def ended(timer: Timer) -> None:
    """Nobody can act for the person any more: the outcome stays unknown."""
    recorder.stop_checking(int(timer.key))


def _found_at_once(workspace: Workspace, operation: str, place: str, wanted: Wanted, sent: Change) -> bool:
    rule = rule_of(operation)
    try:
        state = rule.read(workspace, place, wanted)
    except InterfaceError:
        return False
    if not rule.shows(state, wanted):
        return False
    sent.found = state
    recorder.correct(sent.entry, Outcome.DONE)
    return True


def _keep_checking(workspace: Workspace, sent: Change, lost: InterfaceError, payload: Mapping[str, Any]) -> InterfaceError:
    """Let the worker check, and return what to raise."""
    until = timezone.now() + WINDOW
    try:
        with transaction.atomic():
            recorder.keep_checking(sent.entry, until)
            first = FIRST_CHECK_SECONDS
            schedules.watch(KIND, str(sent.entry), owner=workspace.person, first_in=first, every=first, payload=payload)
    except DatabaseError:
        log.exception("The outcome of entry %s can't be checked", sent.entry)
        return lost
    return confirmation_of(lost, sent.entry, until)


def _look(workspace: Workspace, pending: Pending) -> bool:
    return _conclude(workspace, pending, pending.rule.read(workspace, pending.entry.place, pending.wanted))


def _conclude(workspace: Workspace, pending: Pending, state: Any) -> bool:
    """Correct the entry where the state tells the outcome: the wanted one at any time, another one only after the window."""
    entry = pending.entry
    shown = pending.rule.shows(state, pending.wanted)
    if not shown and not pending.is_overdue:
        return False
    with transaction.atomic():
        corrected = recorder.correct(entry.pk, Outcome.DONE if shown else Outcome.NOT_APPLIED)
        if shown and corrected and pending.rule.then:
            pending.rule.then(workspace, entry.place, pending.wanted, state)
    return True
