"""Plan a list, send it, keep it: what changes, what it does to you, and that nobody else changed it meanwhile."""

from collections.abc import Sequence
from dataclasses import dataclass

from dashboard.features.network.rules.addresses import Address, known_address
from dashboard.features.network.rules.lists import Admission, Difference, RangeList, admission, difference
from dashboard.features.network.rules.ranges import Draft
from dashboard.features.network.services import history
from dashboard.features.network.services.history import Named
from dashboard.features.network.services.restrictions import State, read_restrictions, state_of, you_of
from dashboard.jobs.settlement import Wanted, settle
from dashboard.tokens.workspace import Workspace
from dashboard.web.errors import Unconfirmed

TARGET = "network restrictions"


@dataclass(frozen=True, slots=True)
class Plan:
    """What sending a draft would do. `consent` are the reasons for which it must be typed; empty: it may be sent at once."""

    state: State
    draft: Draft
    wanted: RangeList
    change: Difference
    address: str
    before: Admission
    after: Admission
    consent: tuple[str, ...]
    comments: dict[str, str]

    @property
    def added(self) -> list[Named]:
        return self._rows(self.change.added)

    @property
    def removed(self) -> list[Named]:
        return [Named(one, self.comments.get(one, "")) for one in self.change.removed]

    @property
    def unchanged(self) -> list[Named]:
        return self._rows(self.change.unchanged)

    @property
    def is_repeat(self) -> bool:
        """The same list again, which the service has not put in force."""
        return self.change.is_none and not self.state.is_applied

    @property
    def is_nothing(self) -> bool:
        return self.change.is_none and self.state.is_applied

    def _rows(self, ranges: Sequence[str]) -> list[Named]:
        return [Named(one, self.draft.comments.get(one, "")) for one in ranges]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the service answered to a list."""

    state: State
    as_sent: bool


def plan_of(ref: str, state: State, draft: Draft, client: str) -> Plan:
    """Compare a draft with the list that the service has; `client` is the address of whoever asks."""
    wanted = RangeList.made(draft.v4, draft.v6 if state.saved.has_v6 else None)
    known = known_address(client)
    you = you_of(state, client)
    change = difference(state.saved, wanted)
    is_there = change.is_none and state.is_applied
    return Plan(
        state=state,
        draft=draft,
        wanted=wanted,
        change=change,
        address=you.address,
        before=you.now,
        after=admission(wanted, known),
        consent=() if is_there else tuple(_reasons(state, wanted, known, you.now)),
        comments={one.range: one.comment for one in history.named(ref, state.saved)[0]},
    )


def apply_list(workspace: Workspace, ref: str, plan: Plan) -> Outcome:
    """Send the whole list (M25) and keep it, with the one that it replaces.

    The caller has read the restrictions anew and made the plan from them. A list whose outcome is not known is kept, too.
    """
    found = history.found_before(workspace, ref, plan.state.in_force, plan.state.saved)
    before = {**plan.state.saved.as_sent(), "status": plan.state.status}
    wanted = {"list": plan.wanted.fingerprint, "in force": plan.is_repeat}
    try:
        with settle(workspace, "M25", target=TARGET, place=ref, before=before, wanted=wanted) as change:
            change.after = plan.wanted.as_sent()
            answer = workspace.management.network.apply(ref, allowed=plan.wanted.v4, allowed_v6=plan.wanted.v6)
            change.found = state_of(answer)
            change.after |= {"status": change.found.status}
    except Unconfirmed:
        history.keep(workspace, ref, plan.wanted, plan.draft.text, found=found, confirmed=False)
        raise
    state: State = change.found
    history.keep(workspace, ref, plan.wanted, plan.draft.text, found=found, confirmed=True)
    return Outcome(state=state, as_sent=state.saved.fingerprint == plan.wanted.fingerprint)


def read_back(workspace: Workspace, ref: str, _wanted: Wanted) -> State:
    return read_restrictions(workspace, ref)


def is_applied(state: State, wanted: Wanted) -> bool:
    """Whether the service has the list that was sent; one that it had before has to be in force now."""
    return state.saved.fingerprint == wanted["list"] and (state.is_applied or not wanted["in force"])


def _reasons(state: State, wanted: RangeList, you: Address | None, now: Admission) -> list[str]:
    reasons = []
    if wanted.is_empty:
        reasons.append("The list is empty: nobody gets in any more, neither you nor your servers.")
    else:
        families = (("IPv4", state.saved.v4, wanted.v4), ("IPv6", state.saved.v6 or (), wanted.v6 or ()))
        reasons += [f"Nobody gets in by {family} any more." for family, old, new in families if old and not new]
    was = now.allowed is not False or admission(state.saved, you).allowed
    if you is not None and was and admission(wanted, you).allowed is False:
        reasons.append(f"Your own address {you} does not get in any more.")
    return reasons
