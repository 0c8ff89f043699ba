"""Send a write with unknown outcome again, but only while the service still shows the state from before it.

Both requests ask for the same, so it does no harm if both are carried out. Other people may send it with their own right and
token, and never see what is sent.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.core.exceptions import ValidationError
from django.core.serializers.json import DjangoJSONEncoder
from django.http import Http404

from dashboard.interfaces.errors import InterfaceError
from dashboard.jobs.settlement import Wanted, observe, settle
from dashboard.jobs.settlement_queue import Pending, Resend, pending_of
from dashboard.jobs.unsettled import may_resend
from dashboard.journal.models import Entry, Outcome
from dashboard.team.rights import allows
from dashboard.tokens.workspace import Workspace
from dashboard.web.failures.cards import Stopped
from dashboard.web.input.forms import STALE
from dashboard.web.pages.errors import NeedsToken

ENDED = "The outcome is known by now. Nothing was sent."
CHANGED = "Nothing was sent: the state changed since the first request."
NOT_SHOWN = "The service accepted it, but shows another state."

# From workspace, place, what was kept and the state that was read to an address.
Review = Callable[[Workspace, str, Wanted, Any], str]
_reviews: dict[str, Review] = {}


@dataclass(frozen=True, slots=True)
class Resent:
    """The result of sending again.

    `is_sent`: False if the new state was there already, or another one, to be reviewed at `review`. `is_shown`: whether the new
    state shows; None if it can't be read.
    """

    is_sent: bool = False
    is_shown: bool | None = None
    review: str = ""


def reviews_again(operation: str) -> Callable[[Review], Review]:
    """Declare what returns the address for reviewing a change again that could not be sent again. It stands beside the views."""

    def mark(review: Review) -> Review:
        _reviews[operation] = review
        return review

    return mark


def is_shown_to(workspace: Workspace, entry: Entry) -> bool:
    """Whether somebody else may send it again: their role allows it, and their own credential reads what it changes."""
    pending = pending_of(entry) if may_resend(entry) else None
    if pending is None or workspace.is_replay or _is_closed(entry) or not allows(workspace.person.role, entry.operation):
        return False
    try:
        pending.rule.read(workspace, entry.place, pending.wanted)
    except (InterfaceError, NeedsToken, Stopped, Http404):
        return False
    return True


def send_again(workspace: Workspace, entry: Entry) -> Resent:
    """Read the state, and send the write again if it is still the old one. Raises `ValidationError` if it can't be sent."""
    pending = pending_of(entry)
    if pending is None or pending.rule.resend is None or pending.kept is None or _is_closed(entry):
        raise ValidationError(ENDED, code=STALE)
    rule, how, place = pending.rule, pending.rule.resend, entry.place
    state = rule.read(workspace, place, pending.wanted)
    if rule.shows(state, pending.wanted):
        observe(workspace, place, state, entry.operation)
        return Resent(is_shown=True)
    if not _is_as_before(entry, how.before(state, pending.wanted)):
        if entry.person_id != workspace.person.pk:
            raise ValidationError(f"{CHANGED} Only {entry.person} can review it again.", code=STALE)
        return Resent(review=_reviews[entry.operation](workspace, place, pending.kept, state))
    return Resent(is_sent=True, is_shown=_send(workspace, pending, how, pending.kept))


def _send(workspace: Workspace, pending: Pending, how: Resend, kept: dict[str, Any]) -> bool | None:
    """Send it under a new journal entry. Return whether the new state shows; None if it can't be read."""
    entry, rule = pending.entry, pending.rule
    with settle(
        workspace,
        entry.operation,
        target=entry.target,
        place=entry.place,
        before=entry.before,
        wanted=pending.wanted,
        touches=sorted(pending.touches),
        keep=kept,
        again=True,
    ) as change:
        change.after = entry.after
        how.send(workspace, entry.place, kept)
        try:
            change.found = rule.read(workspace, entry.place, pending.wanted)
        except InterfaceError:
            return None
        if not rule.shows(change.found, pending.wanted):
            change.outcome, change.message = Outcome.FAILED, NOT_SHOWN
    is_shown = bool(rule.shows(change.found, pending.wanted))
    if is_shown and rule.then:
        rule.then(workspace, entry.place, pending.wanted, change.found)
    observe(workspace, entry.place, change.found, entry.operation)
    return is_shown


def _is_as_before(entry: Entry, shown: Any) -> bool:
    """Whether this state matches the entry's `before`, which may have more members."""
    plain = json.loads(json.dumps(shown, cls=DjangoJSONEncoder))
    if isinstance(plain, dict) and isinstance(entry.before, dict):
        return all(entry.before.get(name) == value for name, value in plain.items())
    return bool(plain == entry.before)


def _is_closed(entry: Entry) -> bool:
    """Whether the author's account is closed, so that their writes are no longer sent."""
    return entry.person.is_locked or not entry.person.is_active
