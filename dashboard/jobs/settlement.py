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

import json
import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.db import DatabaseError, transaction
from django.utils import timezone

from dashboard.interfaces.errors import Effect, InterfaceError
from dashboard.jobs import timers
from dashboard.jobs.models import Timer
from dashboard.jobs.unsettled import Unsettled, confirmation_of
from dashboard.journal import recording
from dashboard.journal.models import GIVE_UP_AFTER, Entry, Outcome
from dashboard.journal.recording import Change
from dashboard.tokens import Workspace
from dashboard.vault.sealing import CannotOpen, Sealed

log = logging.getLogger(__name__)

KIND = "outcome"
PURPOSE = "wanted state"
WINDOW = timedelta(minutes=10)
FIRST_CHECK_SECONDS = 5.0
LONGEST_PAUSE_SECONDS = 60.0

Wanted = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Rule:
    """How writes of one operation are read back.

    `read` returns the state of a place, and `shows` says whether it is the wanted one. `then` does what follows from success
    that is found later. `changes` names the list on pages that has to refresh itself.
    """

    read: Callable[[Workspace, str, Wanted], Any]
    shows: Callable[[Any, Wanted], bool]
    then: Callable[[Workspace, str, Wanted, Any], object] | None = None
    changes: str = ""


@dataclass(frozen=True, slots=True)
class Pending:
    """A write whose outcome is being checked."""

    entry: Entry
    timer: Timer

    @property
    def touches(self) -> frozenset[str]:
        return frozenset(self.timer.payload["touches"])

    @property
    def rule(self) -> Rule:
        return _rules[self.entry.operation]

    def wanted(self) -> dict[str, Any]:
        """Raises `CannotOpen` when the key that sealed it is gone."""
        text = Sealed(self.timer.payload["wanted"]).open(owner=self.entry.person_id, purpose=PURPOSE)
        wanted: dict[str, Any] = json.loads(text)
        return wanted

    def can_be_told_by(self, workspace: Workspace) -> bool:
        return workspace.fingerprint_for(self.entry.operation, self.entry.place) == self.entry.token


_rules: dict[str, Rule] = {}


def register(operation: str, rule: Rule) -> None:
    """Say how writes of an operation are read back. Once, in `AppConfig.ready`."""
    if _rules.setdefault(operation, rule) is not rule:
        raise ValueError(f"There is a rule for {operation} already.")


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
        if lost.effect is not Effect.UNKNOWN or sent is None:
            raise
        if not _found_at_once(workspace, operation, place, wanted, sent):
            raise _keep_checking(workspace, sent, lost, {"touches": names, "wanted": _sealed(workspace, wanted)}) from lost


def require_settled(workspace: Workspace, place: str, *touches: str) -> None:
    """Raise `Unsettled` while an earlier write that touches one of these is being checked."""
    for pending in pending_at(place):
        if not pending.touches & set(touches) or (not place and not pending.can_be_told_by(workspace)):
            continue
        if timezone.now() < (pending.entry.check_until or timezone.now()) or not _is_settled_now(workspace, pending):
            raise Unsettled(pending.entry, mine=pending.entry.person_id == workspace.person.pk)


def observe(workspace: Workspace, place: str, state: Any, *operations: str) -> None:
    """Settle what a state that was just read shows. In the thread of the request."""
    for pending in pending_at(place):
        if pending.entry.operation in operations and pending.can_be_told_by(workspace):
            _conclude(workspace, pending, state)


def check_now(workspace: Workspace, entry: Entry) -> None:
    """Read back once and settle what it shows. Raises what the service raises."""
    pending = next((found for found in pending_at(entry.place) if found.entry.pk == entry.pk), None)
    if pending and pending.can_be_told_by(workspace):
        _look(workspace, pending)


def pending_at(place: str) -> list[Pending]:
    """Every write at a project or space whose outcome is being checked, oldest first."""
    entries = list(Entry.objects.being_checked(place))
    if not entries:
        return []
    timers_by_key = {timer.key: timer for timer in Timer.objects.filter(kind=KIND, key__in=[str(entry.pk) for entry in entries])}
    return [Pending(entry, timer) for entry in entries if (timer := timers_by_key.get(str(entry.pk)))]


def is_being_checked(place: str, *touches: str) -> bool:
    """Whether an earlier write that touches one of these is being checked."""
    return any(pending.touches & set(touches) for pending in pending_at(place))


def changes_of(operation: str) -> str:
    """The list on pages that an operation changes, empty for none."""
    return _rules[operation].changes if operation in _rules else ""


def run(workspace: Workspace, timer: Timer) -> float | None:
    """One check by the worker: seconds until the next one, None when the outcome is known or nobody can tell it."""
    entry = Entry.objects.filter(pk=int(timer.key), check_until__isnull=False).first()
    if entry is None or entry.check_until is None:
        return None
    pending = Pending(entry, timer)
    now = timezone.now()
    try:
        if pending.can_be_told_by(workspace) and not _look(workspace, pending):
            age = (now - entry.check_until + WINDOW).total_seconds()
            left = (entry.check_until - now).total_seconds()
            return max(1.0, min(max(FIRST_CHECK_SECONDS, age), LONGEST_PAUSE_SECONDS, left))
    except InterfaceError:
        if now < entry.check_until + GIVE_UP_AFTER:
            raise
    except CannotOpen:
        log.warning("What entry %s of the journal wanted can't be opened any more", entry.pk)
    recording.stop_checking(entry.pk)
    return None


def ended(timer: Timer) -> None:
    """Nobody can act for the person any more: the outcome stays unknown."""
    recording.stop_checking(int(timer.key))


def _found_at_once(workspace: Workspace, operation: str, place: str, wanted: Wanted, sent: Change) -> bool:
    rule = _rules[operation]
    try:
        state = rule.read(workspace, place, wanted)
    except InterfaceError:
        return False
    if not rule.shows(state, wanted):
        return False
    sent.found = state
    recording.correct(sent.entry, Outcome.DONE)
    return True


def _keep_checking(workspace: Workspace, sent: Change, lost: InterfaceError, payload: Mapping[str, Any]) -> InterfaceError:
    """Let the worker check, and return what to raise."""
    until = timezone.now() + WINDOW
    try:
        with transaction.atomic():
            recording.keep_checking(sent.entry, until)
            first = FIRST_CHECK_SECONDS
            timers.watch(KIND, str(sent.entry), owner=workspace.person, first_in=first, every=first, payload=payload)
    except DatabaseError:
        log.exception("The outcome of entry %s can't be checked", sent.entry)
        return lost
    return confirmation_of(lost, sent.entry, until)


def _is_settled_now(workspace: Workspace, pending: Pending) -> bool:
    """Read once more after the window. A read that fails settles nothing."""
    try:
        return pending.can_be_told_by(workspace) and _look(workspace, pending)
    except (InterfaceError, CannotOpen):
        return False


def _look(workspace: Workspace, pending: Pending) -> bool:
    return _conclude(workspace, pending, pending.rule.read(workspace, pending.entry.place, pending.wanted()))


def _conclude(workspace: Workspace, pending: Pending, state: Any) -> bool:
    """Correct the entry where the state tells the outcome: the wanted one at any time, another one only after the window."""
    wanted, entry = pending.wanted(), pending.entry
    shown = pending.rule.shows(state, wanted)
    if not shown and (entry.check_until is None or timezone.now() < entry.check_until):
        return False
    with transaction.atomic():
        corrected = recording.correct(entry.pk, Outcome.DONE if shown else Outcome.NOT_APPLIED)
        if shown and corrected and pending.rule.then:
            pending.rule.then(workspace, entry.place, wanted, state)
    return True


def _sealed(workspace: Workspace, wanted: Wanted) -> str:
    return Sealed.seal(json.dumps(wanted), owner=workspace.person.pk, purpose=PURPOSE).stored()
