"""Pending writes, whose outcome is being checked, and the rules for reading operations back."""

import json
import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from django.utils import timezone

from dashboard.interfaces.operations import LONGEST_WAIT, MAY_RUN_FOR, WRITES, Doubt
from dashboard.journal import recorder
from dashboard.journal.models import Entry, Outcome
from dashboard.tokens.workspace import Workspace
from dashboard.vault.seals import CannotOpen, Sealed

log = logging.getLogger(__name__)

KIND = "outcome"
PURPOSE = "wanted state"
# How long after the service ended the request the new state may still appear.
SHOWN_WITHIN = timedelta(seconds=30)
# What sending again needs is erased once the outcome is known, and after this time at the latest.
KEPT_FOR = timedelta(days=1)
FIRST_CHECK_SECONDS = 5.0
LONGEST_PAUSE_SECONDS = 60.0

Wanted = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Rule:
    """How writes of one operation are read back: a member of `RULES`, where the service stands that sends them.

    `read` returns the state of a place, and `shows` whether it is the wanted one (None: unknown). `part` returns what was done
    where not all was, `then` is called with it, or when success is found later; `otherwise` when it is found later that not all
    was done. `runs` returns whether a transfer, which may take hours, is still in progress. `resend`: how it is sent again while
    it is in doubt, for writes that may be repeated.
    """

    operation: str
    read: Callable[[Workspace, str, Wanted], Any]
    shows: Callable[[Any, Wanted], bool | None]
    then: Callable[[Workspace, str, Wanted, Any], object] | None = None
    part: Callable[[Any, Wanted], "Part | None"] | None = None
    runs: Callable[[str, Wanted], bool] | None = None
    resend: "Resend | None" = None
    otherwise: Callable[[Workspace, str, Wanted], object] | None = None


@dataclass(frozen=True, slots=True)
class Resend:
    """How a write in doubt is sent again. `kept` is the wanted state with what `settle` was given to `keep`.

    `before` picks from a state the members to compare with the entry's `before`: if they differ, nothing is sent. `send` sends
    the request alone. `is_gated`: it needs a confirmation.
    """

    before: Callable[[Any, Wanted], Any]
    send: Callable[[Workspace, str, Wanted], object]
    is_gated: bool = False


@dataclass(frozen=True, slots=True)
class Part:
    """The part of a write that was done: `done` of `of` things."""

    done: int
    of: int
    wanted: Wanted = field(repr=False)


@dataclass(frozen=True, slots=True)
class Pending:
    """A write whose outcome is being checked until `until`."""

    entry: Entry
    until: datetime
    touches: frozenset[str]
    wanted: Wanted = field(repr=False)
    # What sending it again needs; None if it can't be sent again.
    kept: dict[str, Any] | None = field(default=None, repr=False)

    @property
    def rule(self) -> Rule:
        return rule_of(self.entry.operation)

    @property
    def may_run_for(self) -> timedelta:
        return WRITES[self.entry.operation].settlement.may_run_for

    @property
    def is_overdue(self) -> bool:
        """Whether any state but the wanted one now proves that the write was not applied."""
        return timezone.now() >= self.until and not self.runs

    @property
    def runs(self) -> bool:
        """Whether the transfer is still in progress, or its lease has not expired."""
        return self.rule.runs is not None and self.rule.runs(self.entry.place, self.wanted)

    def is_for(self, touches: Iterable[str]) -> bool:
        """Whether it touches one of these, or everything in a bucket that one of them is in."""
        whole = tuple(touch.removesuffix("*") for touch in self.touches if touch.endswith("/*"))
        return any(touch in self.touches or (bool(whole) and touch.startswith(whole)) for touch in touches)

    def is_same(self, operation: str, wanted: Wanted) -> bool:
        """Whether another write asks for the same thing."""
        return self.entry.operation == operation and self.wanted == json.loads(json.dumps(wanted))

    def can_be_told_by(self, workspace: Workspace) -> bool:
        """Whether this workspace uses the token that sent it. Another token may see less."""
        return workspace.fingerprint_for(self.entry.operation, self.entry.place) == self.entry.token


def pause_before(until: datetime, may_run_for: timedelta = MAY_RUN_FOR) -> float:
    """Return the seconds until the next check: longer each time, but not beyond `until`, when an old state is proof."""
    left = (until - timezone.now()).total_seconds()
    age = may_run_for.total_seconds() - left
    pause = min(max(FIRST_CHECK_SECONDS, age), LONGEST_PAUSE_SECONDS)
    return max(1.0, min(pause, left)) if left > 0 else pause


def clock(moment: datetime | None) -> str:
    """Format a time for messages: "14:02 UTC"."""
    return f"{moment.astimezone(UTC):%H:%M} UTC" if moment else ""


def not_applied(moment: datetime | None) -> str:
    """Return the message for a write proved not applied by the old state."""
    return f"Not applied as of {clock(moment)}."


_rules: dict[str, Rule] = {}


def register(*rules: Rule) -> None:
    """Register how writes are read back, as the rows of their operations say. Once, in a `feature`: the `RULES` of a service."""
    for rule in rules:
        doubt = WRITES[rule.operation].settlement.doubt
        if doubt is Doubt.JOB or (doubt is Doubt.RESEND) != (rule.resend is not None):
            raise ValueError(f"The rule for {rule.operation} is not what its row says: {doubt}.")
        if _rules.setdefault(rule.operation, rule) is not rule:
            raise ValueError(f"There is a rule for {rule.operation} already.")


def rule_of(operation: str) -> Rule:
    """Return the rule of an operation that is sent with `settle`."""
    return _rules[operation]


def operations() -> frozenset[str]:
    """Return all operations that have a rule."""
    return frozenset(_rules)


def pending_at(place: str) -> list[Pending]:
    """Return the writes at a project or space whose outcome is being checked, oldest first."""
    return _opened_all(Entry.objects.being_checked(place))


def under_way(place: str) -> list[Pending]:
    """Return the writes at a project or space that still wait for an answer."""
    return _opened_all(Entry.objects.under_way(place))


def pending_of(entry: Entry) -> Pending | None:
    """Return an entry's pending write; None if it isn't being checked."""
    return _opened(entry) if entry.check_until else None


def left_open() -> list[tuple[Entry, Pending | None]]:
    """Return the entries left open by crashed processes, with their pending writes."""
    found = Entry.objects.left_open(LONGEST_WAIT).select_related("person")
    known = [(entry, _opened(entry) if entry.operation in _rules else None) for entry in found]
    return [(entry, pending) for entry, pending in known if not pending or not pending.runs]


def outdated() -> list[Entry]:
    """Return the entries that have kept data for sending again for over a day."""
    old = Entry.objects.filter(started_at__lt=timezone.now() - KEPT_FOR, outcome__in=(Outcome.OPEN, Outcome.UNKNOWN))
    kept = old.exclude(expected="").select_related("person")
    return [entry for entry in kept if not ((pending := _opened(entry)) and pending.runs)]


def seal(person_id: int, touches: Sequence[str], wanted: Wanted, keep: Wanted | None = None) -> str:
    """Seal what an entry keeps of a write: what it touches, the wanted state, and what sending it again needs."""
    expected = json.dumps({"touches": list(touches), "wanted": wanted, "keep": keep})
    return Sealed.seal(expected, owner=person_id, purpose=PURPOSE).stored()


def _opened_all(entries: Iterable[Entry]) -> list[Pending]:
    return [pending for entry in entries if (pending := _opened(entry))]


def _opened(entry: Entry) -> Pending | None:
    if not entry.expected:
        return None
    try:
        expected = json.loads(Sealed(entry.expected).open(owner=entry.person_id, purpose=PURPOSE))
    except CannotOpen:
        log.warning("What entry %s of the journal wanted can't be opened any more", entry.pk)
        recorder.stop_checking(entry.pk)
        return None
    until = entry.check_until or entry.started_at + LONGEST_WAIT + WRITES[entry.operation].settlement.may_run_for
    keep, is_young = expected.get("keep"), timezone.now() - entry.started_at < KEPT_FOR
    kept = {**expected["wanted"], **keep} if keep is not None and is_young else None
    return Pending(entry, until, frozenset(expected["touches"]), expected["wanted"], kept)
