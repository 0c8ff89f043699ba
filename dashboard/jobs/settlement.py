"""Settle writes whose answer was lost, by reading back until their outcome is known.

A service says how its writes are read back, as their rows say (`interfaces.operations`), and the module `feature` registers it::

    RULES = (Rule("M21", read=read_key, shows=is_new_key, resend=Resend(…)),)

The service sends them::

    with settlement.settle(workspace, "M21", place=ref, target="root key", wanted={"key": digest(key)}) as change:
        workspace.management.encryption.update(ref, root_key=key)

- `wanted` is plain JSON by which `shows` recognises the new state. It is kept sealed in the entry of the journal, before
  anything is sent; secrets go in as digests.
- After a lost answer (effect "unknown") the state is read back at once. The new state proves success: the block ends without
  an error, and `change.found` holds what was read; also where the service itself failed after a part (`Rule.part`). Otherwise
  `Unconfirmed` is raised, and a worker reads again. The old state proves nothing while the request may still run: two minutes
  after we stopped waiting, and a transfer until its lease ends. Where the service itself ended the request, it is proof after
  30 seconds; the storage shows its state at once. Then the entry in the journal says "done", "partly applied" or "not applied",
  and one notification tells the person how it ended.
- Until then, and while an earlier write still waits for its answer, a write that touches the same thing is refused with
  `Unsettled` before it is sent. The same write is led to "Send again" (`jobs.resend`), where its operation may be repeated: what
  that needs is given to `keep`, and sealed with the entry until the outcome is known, a day at most.
- A process that ends before the answer leaves its entry open: a worker finds it after the longest deadline (`adopt`), and
  checks in the same way.
- A page that reads the state anyway passes it to `observe`, which may settle it earlier.
- Only the token that sent a write can show its outcome, as another one may see less.
"""

import logging
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any, NamedTuple

from django.db import DatabaseError, transaction
from django.http import HttpRequest
from django.utils import timezone

from dashboard.interfaces.errors import Effect, InterfaceError
from dashboard.interfaces.operations import WRITES
from dashboard.jobs import schedules
from dashboard.jobs.models import ItemState, JobItem, Schedule
from dashboard.jobs.settlement_queue import (
    FIRST_CHECK_SECONDS,
    KIND,
    SHOWN_WITHIN,
    Part,
    Pending,
    Resend,
    Rule,
    Wanted,
    left_open,
    outdated,
    pause_before,
    pending_at,
    pending_of,
    register,
    rule_of,
    seal,
    under_way,
)
from dashboard.jobs.unsettled import Unsettled, confirmation_of, tell
from dashboard.journal import recorder
from dashboard.journal.models import GIVE_UP_AFTER, Entry, Outcome
from dashboard.journal.recorder import Change
from dashboard.team.models import Person
from dashboard.tokens.grants import grants_like
from dashboard.tokens.workspace import Workspace
from dashboard.web.failures.problems import effect_of

log = logging.getLogger(__name__)

__all__ = ["Part", "Resend", "Rule", "Wanted", "register"]


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
    keep: Wanted | None = None,
    again: bool = False,
) -> Iterator[Change]:
    """Journal one write as `workspace.record` does, and read back if its answer is lost.

    `touches` names what it changes, if that is not just `target`; `keep` is what sending it again needs beside `wanted`. Raises
    `Unsettled`, before anything is sent, while an earlier write to one of these is being checked; `again`: except the same one.
    Raises `Unconfirmed` if reading back doesn't show success.
    """
    names, rule = list(touches) or [target], rule_of(operation)
    for pending in _unsettled(workspace, place, names):
        is_same = pending.is_same(operation, wanted)
        if not (again and is_same and pending.entry.check_until):
            _wait(workspace, pending, is_same=is_same)
    sent: Change | None = None
    try:
        expected = seal(workspace.person.pk, names, wanted, (keep or {}) if rule.resend else None)
        with workspace.record(operation, target=target, place=place, before=before, expected=expected) as change:
            sent = change
            yield change
    except InterfaceError as lost:
        if effect_of(lost) is not Effect.UNKNOWN or sent is None:
            raise
        until = timezone.now() + (SHOWN_WITHIN if lost.is_over else WRITES[operation].settlement.may_run_for)
        if not _keep_checking(sent.entry, workspace, until):
            raise
        shown = _look_at_once(workspace, sent)
        if shown is False and not (lost.is_over and lost.service == "storage"):
            shown = None
        if shown is None:
            raise confirmation_of(lost, sent.entry, until) from lost
        # The answer to this request reports it, so send no notification.
        closed = _close(sent.entry, rule, wanted, sent.found, is_done=shown)
        schedules.stop(KIND, str(sent.entry))
        if not shown and (closed is None or closed.done is None):
            lost.effect = Effect.REFUSED
            raise


def revise(workspace: Workspace, change: Change, touches: Sequence[str], wanted: Wanted) -> None:
    """Replace the wanted state, inside the block of `settle`."""
    change.expected = seal(workspace.person.pk, touches, wanted)


def require_settled(workspace: Workspace, place: str, *touches: str) -> None:
    """Raise `Unsettled` while an earlier write that touches one of these is being checked."""
    for pending in _unsettled(workspace, place, touches):
        _wait(workspace, pending)


def waiting_among(workspace: Workspace, place: str, touches: Collection[str]) -> set[str]:
    """Return which of these are touched by an earlier write with unknown outcome."""
    try:
        require_settled(workspace, place, *touches)
    except Unsettled:
        return {touch for pending in _doubtful(place) for touch in touches if pending.is_for([touch])}
    return set()


def observe(workspace: Workspace, place: str, state: Any, *operations: str, of: str = "") -> None:
    """Settle pending writes by a state just read; `of` limits it to what touches that. Uses the database."""
    for pending in () if workspace.is_replay else pending_at(place):
        fits = pending.entry.operation in operations and (not of or of in pending.touches)
        if fits and pending.can_be_told_by(workspace):
            _conclude(workspace, pending, state)


def check_now(workspace: Workspace, entry: Entry) -> None:
    """Read back once, and settle the write if that shows the outcome. Raises the service's errors."""
    pending = pending_of(entry)
    if pending and pending.can_be_told_by(workspace):
        _look(workspace, pending)


def checked_at(place: str) -> set[str]:
    """Return everything that pending writes at a project or space touch."""
    return {touch for pending in pending_at(place) for touch in pending.touches}


def checking_of(request: HttpRequest) -> set[str]:
    """Return what can't be changed yet at the page's project or space, for the frame."""
    match = request.resolver_match
    place = (match.kwargs.get("ref") or match.kwargs.get("space")) if match else ""
    return checked_at(str(place)) if place else set()


def runs_until(place: str, *touches: str) -> datetime | None:
    """Return until when an earlier write to one of these may still be carried out; None once its outcome is known."""
    return max((pending.until for pending in _doubtful(place) if pending.is_for(touches)), default=None)


def is_being_checked(place: str, *touches: str) -> bool:
    """Whether an earlier write to one of these is being checked."""
    return not checked_at(place).isdisjoint(touches)


def run(workspace: Workspace, schedule: Schedule) -> float | None:
    """Check once, in the worker. Return the seconds until the next check; None if there is nothing left to check."""
    entry = Entry.objects.filter(pk=int(schedule.key), check_until__isnull=False).first()
    pending = pending_of(entry) if entry else None
    if entry and pending and pending.can_be_told_by(workspace):
        try:
            if not _look(workspace, pending):
                return pause_before(pending.until, pending.may_run_for)
        except InterfaceError:
            if timezone.now() < pending.until + GIVE_UP_AFTER:
                raise
    ended(schedule)
    return None


def ended(schedule: Schedule) -> None:
    """End the checks with the outcome unknown, because it can't be read or Pilothouse can no longer act for the person."""
    leave_unknown(int(schedule.key))


def end(entry_id: int, outcome: Outcome, *, after: Any = None) -> bool:
    """Correct an unknown outcome, and notify the person. Return False if it was known before."""
    if not recorder.correct(entry_id, outcome, after=after):
        return False
    tell(entry_id)
    return True


def leave_unknown(entry_id: int) -> None:
    """End the checks without an outcome, erase what the entry keeps, and notify the person. Nothing if the outcome is known."""
    if recorder.stop_checking(entry_id):
        tell(entry_id)


def adopt() -> None:
    """Check writes left open by crashed processes as if their answer was lost. Part of a worker's sweep.

    The items of a job are reported by the job.
    """
    for entry in outdated():
        with transaction.atomic():
            leave_unknown(entry.pk)
    for entry, pending in left_open():
        with transaction.atomic():
            if not recorder.give_up(entry):
                continue
            if pending:
                until = timezone.now() + pending.may_run_for if pending.rule.runs else pending.until
                grants = grants_like(entry.through_id, entry.place, entry.token)
                _start_checking(entry.pk, entry.person, grants, until)
            elif not JobItem.objects.filter(entry=entry.pk, state=ItemState.IN_FLIGHT).exists():
                leave_unknown(entry.pk)


def _doubtful(place: str) -> list[Pending]:
    return [*under_way(place), *pending_at(place)]


def _unsettled(workspace: Workspace, place: str, touches: Iterable[str]) -> list[Pending]:
    """Return earlier unsettled writes that touch one of these; without a place only those sent with this token."""
    names = set(touches)
    return [one for one in _doubtful(place) if one.is_for(names) and (place or one.can_be_told_by(workspace))]


def _wait(workspace: Workspace, pending: Pending, *, is_same: bool = False) -> None:
    """Raise `Unsettled` unless the earlier write can be settled now."""
    if not pending.entry.check_until:
        raise Unsettled(pending.entry)
    if pending.is_overdue and pending.can_be_told_by(workspace) and _look(workspace, pending):
        return
    is_own, can_resend = pending.entry.person_id == workspace.person.pk, pending.kept is not None
    raise Unsettled(pending.entry, can_check=is_own or can_resend, can_resend=is_same and can_resend)


def _look_at_once(workspace: Workspace, sent: Change) -> bool | None:
    """Return whether the wanted state shows; None if nothing could be read."""
    pending = pending_of(Entry.objects.get(pk=sent.entry))
    if pending is None:
        return None
    try:
        sent.found = pending.rule.read(workspace, pending.entry.place, pending.wanted)
    except InterfaceError:
        return None
    return pending.rule.shows(sent.found, pending.wanted)


class _Closed(NamedTuple):
    """What is known of a write now. `done`: the wanted state, or the part of it that was done; None if nothing was."""

    outcome: Outcome
    done: Wanted | None


def _close(entry: int, rule: Rule, wanted: Wanted, state: Any, *, is_done: bool) -> _Closed | None:
    """Correct the entry by the state read. None if it was corrected before."""
    part = rule.part(state, wanted) if rule.part and not is_done else None
    outcome = Outcome.DONE if is_done else Outcome.PARTLY if part else Outcome.NOT_APPLIED
    if not recorder.correct(entry, outcome, after={"done": part.done, "of": part.of} if part else None):
        return None
    return _Closed(outcome, part.wanted if part else wanted if is_done else None)


def _keep_checking(entry: int, workspace: Workspace, until: datetime) -> bool:
    """Schedule checks by the worker. Return False if that can't be stored; `adopt` will do it later."""
    try:
        with transaction.atomic():
            _start_checking(entry, workspace.person, workspace.grants, until)
    except DatabaseError:
        log.exception("The outcome of entry %s can't be checked", entry)
        return False
    return True


def _start_checking(entry: int, person: Person, grants: Sequence[int], until: datetime) -> None:
    recorder.keep_checking(entry, until)
    schedules.start(KIND, str(entry), owner=person, grants=grants, first_in=FIRST_CHECK_SECONDS, every=FIRST_CHECK_SECONDS)


def _look(workspace: Workspace, pending: Pending) -> bool:
    # Last known data proves nothing.
    return not workspace.is_replay and _conclude(
        workspace, pending, pending.rule.read(workspace, pending.entry.place, pending.wanted)
    )


def _conclude(workspace: Workspace, pending: Pending, state: Any) -> bool:
    """Correct the entry if the state proves the outcome: the wanted state at any time, another one only after the window."""
    entry, rule = pending.entry, pending.rule
    shown = rule.shows(state, pending.wanted)
    if not shown and not pending.is_overdue:
        return False
    with transaction.atomic():
        if shown is None:
            leave_unknown(entry.pk)
            return True
        closed = _close(entry.pk, rule, pending.wanted, state, is_done=shown)
        if closed and closed.done is not None and rule.then:
            rule.then(workspace, entry.place, closed.done, state)
        tell(entry.pk)
    # It may call services, and must not undo what is known now.
    if closed and closed.outcome is not Outcome.DONE and rule.otherwise:
        rule.otherwise(workspace, entry.place, pending.wanted)
    return True
