"""Read, plan and apply the restrictions of a project: operations M24 and M25."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from dashboard.facts.addresses import Address, Origin
from dashboard.features.network.rules.lists import Admission, Difference, RangeList, admission, difference
from dashboard.features.network.rules.ranges import Draft
from dashboard.features.network.services import history
from dashboard.features.network.services.history import CommentedRange
from dashboard.interfaces.errors import Effect, InterfaceError
from dashboard.interfaces.management.network import Entitlement, NetworkRestrictions, RestrictionStatus
from dashboard.jobs import schedules
from dashboard.jobs.settlement import Resend, Rule, Wanted, settle
from dashboard.tokens.workspace import Workspace

TARGET = "network restrictions"
CHECK_STORED = "restrictions check"
STUCK_AFTER_SECONDS = 600.0
NEVER_APPLIED = "Everybody may reach the database: no list was ever applied."


@dataclass(frozen=True, slots=True)
class Restrictions:
    """The restrictions of a project. `in_force` is None if the service does not say which list is in force.

    `is_untouched`: no list was ever applied to a project of the first generation; its empty list keeps nobody out. `since`: when
    the saved list was requested, if the service says so.
    """

    saved: RangeList
    in_force: RangeList | None
    is_untouched: bool
    status: str
    entitlement: str
    since: datetime | None = None

    @property
    def is_applied(self) -> bool:
        return self.status == RestrictionStatus.APPLIED

    @property
    def is_stored(self) -> bool:
        return self.status == RestrictionStatus.STORED and not self.is_untouched

    @property
    def is_disallowed(self) -> bool:
        return self.entitlement == Entitlement.DISALLOWED

    @property
    def knows_entitlement(self) -> bool:
        return self.entitlement in tuple(Entitlement)

    @property
    def word(self) -> str:
        """Our word for the status; empty for an unknown one."""
        if self.is_untouched:
            return "Never applied"
        return "In force" if self.is_applied else "Saved, not in force" if self.is_stored else ""

    @property
    def tone(self) -> str:
        return "good" if self.is_applied else "waiting" if self.is_stored else "neutral"

    @property
    def summary(self) -> str:
        """A sentence that says who may reach the database now."""
        if self.is_untouched:
            return NEVER_APPLIED
        return self.in_force.summary if self.in_force else "The service doesn't say which list is in force."


@dataclass(frozen=True, slots=True)
class Plan:
    """The effect of applying a draft. `consent` lists the reasons for which the ref must be typed first.

    `now` and `after`: whether the client's `own` address is let in.
    """

    state: Restrictions
    draft: Draft
    wanted: RangeList
    change: Difference
    own: Origin
    now: Admission
    after: Admission
    consent: tuple[str, ...]
    comments: dict[str, str]

    @property
    def added(self) -> list[CommentedRange]:
        return self._rows(self.change.added)

    @property
    def removed(self) -> list[CommentedRange]:
        return [CommentedRange(one, self.comments.get(one, "")) for one in self.change.removed]

    @property
    def unchanged(self) -> list[CommentedRange]:
        return self._rows(self.change.unchanged)

    @property
    def is_repeat(self) -> bool:
        """Whether it sends the same list again, because the service has not put it in force."""
        return self.change.is_none and not self.state.is_applied

    @property
    def is_nothing(self) -> bool:
        return self.change.is_none and self.state.is_applied

    def _rows(self, ranges: Sequence[str]) -> list[CommentedRange]:
        return [CommentedRange(one, self.draft.comments.get(one, "")) for one in ranges]


def read_restrictions(workspace: Workspace, ref: str) -> Restrictions:
    """Return the restrictions (M24)."""
    return restrictions_of(workspace.management.network.restrictions(ref))


def restrictions_of(found: NetworkRestrictions) -> Restrictions:
    saved = RangeList.of_config(found.config)
    stored = found.status == RestrictionStatus.STORED
    old = RangeList.of_config(found.old_config) if found.old_config else None
    return Restrictions(
        saved=saved,
        in_force=saved if found.status == RestrictionStatus.APPLIED else old if stored else None,
        is_untouched=stored and old is None and saved.is_empty,
        status=str(found.status),
        entitlement=str(found.entitlement),
        since=found.updated_at,
    )


def own_admission(state: Restrictions, own: Origin) -> Admission:
    """Whether the client's address is allowed now."""
    return Admission(allowed=True) if state.is_untouched else admission(state.in_force, own.public)


def plan_draft(ref: str, state: Restrictions, draft: Draft, own: Origin) -> Plan:
    """Compare a draft with the service's list."""
    wanted = RangeList.of(draft.v4, draft.v6 if state.saved.has_v6 else None)
    now = own_admission(state, own)
    change = difference(state.saved, wanted)
    changes_nothing = change.is_none and state.is_applied
    return Plan(
        state=state,
        draft=draft,
        wanted=wanted,
        change=change,
        own=own,
        now=now,
        after=admission(wanted, own.public),
        consent=() if changes_nothing else tuple(_consent(state, wanted, own.public, now)),
        comments={one.range: one.comment for one in history.with_comments(ref, state.saved)[0]},
    )


def apply_plan(workspace: Workspace, ref: str, plan: Plan) -> Restrictions:
    """Send the whole list (M25), record it with the one that it replaces, and return the service's answer.

    Call it with a plan made from restrictions just read. A list whose outcome is unknown is recorded, too.
    """
    replaced = history.unrecorded(workspace, ref, plan.state.in_force, plan.state.saved)
    before = {**plan.state.saved.as_sent(), "status": plan.state.status}
    wanted = {"list": plan.wanted.fingerprint, "in force": plan.is_repeat}
    keep = {"v4": list(plan.wanted.v4), "v6": plan.wanted.v6 and list(plan.wanted.v6), "text": plan.draft.text}
    try:
        with settle(workspace, "M25", target=TARGET, place=ref, before=before, wanted=wanted, keep=keep) as change:
            change.after = plan.wanted.as_sent()
            change.found = restrictions_of(
                workspace.management.network.apply(ref, allowed=plan.wanted.v4, allowed_v6=plan.wanted.v6)
            )
            change.after |= {"status": change.found.status}
    except InterfaceError as error:
        if error.effect is Effect.UNKNOWN:
            history.record(workspace, ref, plan.wanted, plan.draft.text, replaced=replaced, confirmed=False)
        raise
    history.record(workspace, ref, plan.wanted, plan.draft.text, replaced=replaced, confirmed=True)
    state: Restrictions = change.found
    _check_later(workspace, ref, state)
    return state


def after_apply(workspace: Workspace, ref: str, wanted: Wanted, state: Restrictions) -> None:
    """Record a list whose answer was lost and that was found to be saved."""
    history.confirm(workspace, ref, wanted, state)
    _check_later(workspace, ref, state)


def _check_later(workspace: Workspace, ref: str, state: Restrictions) -> None:
    """Schedule a check that the service puts the list in force, which usually takes seconds."""
    if state.is_stored:
        payload, seconds = {"list": state.saved.fingerprint}, STUCK_AFTER_SECONDS
        schedules.start(
            CHECK_STORED, ref, owner=workspace.person, grants=workspace.grants, first_in=seconds, every=seconds, payload=payload
        )


def read_back(workspace: Workspace, ref: str, _wanted: Wanted) -> Restrictions:
    return read_restrictions(workspace, ref)


def before_in(state: Restrictions, _wanted: Wanted) -> dict[str, list[str]]:
    return state.saved.as_sent()


def apply_again(workspace: Workspace, ref: str, kept: Wanted) -> None:
    """Send a list again (only M25)."""
    workspace.management.network.apply(ref, allowed=kept["v4"], allowed_v6=kept["v6"])


def is_applied(state: Restrictions, wanted: Wanted) -> bool:
    """Whether the service has the list that was sent. If it had the same one before, that must be in force now."""
    return state.saved.fingerprint == wanted["list"] and (state.is_applied or not wanted["in force"])


def _consent(state: Restrictions, wanted: RangeList, own: Address | None, now: Admission) -> list[str]:
    reasons = []
    if wanted.is_empty:
        reasons.append("The list is empty: nobody will get in, including you and your servers.")
    else:
        families = (("IPv4", state.saved.v4, wanted.v4), ("IPv6", state.saved.v6 or (), wanted.v6 or ()))
        reasons += [f"Nobody will get in over {family}." for family, old, new in families if old and not new]
    was_allowed = now.allowed is not False or admission(state.saved, own).allowed
    if own is not None and was_allowed and admission(wanted, own).allowed is False:
        reasons.append(f"Your own address {own} will be locked out.")
    return reasons


RULES = (Rule("M25", read_back, is_applied, then=after_apply, resend=Resend(before_in, apply_again)),)
