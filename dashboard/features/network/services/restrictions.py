"""Restrictions of one project, as a person sees and changes them: operations M24 and M25."""

from dataclasses import dataclass
from datetime import datetime

from dashboard.features.network.rules.addresses import known_address
from dashboard.features.network.rules.lists import Admission, RangeList, admission
from dashboard.interfaces.management.network import Entitlement, NetworkRestrictions, RestrictionStatus
from dashboard.tokens.workspace import Workspace

EVERYBODY = "Everybody may reach the database: no list has been put in force yet."


@dataclass(frozen=True, slots=True)
class State:
    """The restrictions of a project. `in_force` is None where the service does not say which list is in force.

    `untouched`: a project of the first generation before its first list; an empty list that was never put in force
    keeps nobody out. `since`: when the saved list was asked for, where the service says it.
    """

    saved: RangeList
    in_force: RangeList | None
    untouched: bool
    status: str
    entitlement: str
    since: datetime | None = None

    @property
    def is_applied(self) -> bool:
        return self.status == RestrictionStatus.APPLIED

    @property
    def is_stored(self) -> bool:
        return self.status == RestrictionStatus.STORED and not self.untouched

    @property
    def is_disallowed(self) -> bool:
        return self.entitlement == Entitlement.DISALLOWED

    @property
    def knows_entitlement(self) -> bool:
        return self.entitlement in tuple(Entitlement)

    @property
    def word(self) -> str:
        """Our word for the state; empty for one that we do not know."""
        if self.untouched:
            return "Never applied"
        return {RestrictionStatus.APPLIED: "In force", RestrictionStatus.STORED: "Saved, not in force"}.get(self.status, "")  # type: ignore[call-overload, no-any-return] # any text may come

    @property
    def tone(self) -> str:
        if self.untouched:
            return "neutral"
        return "good" if self.is_applied else "waiting" if self.is_stored else "neutral"

    @property
    def sentence(self) -> str:
        """Who gets in now."""
        if self.untouched:
            return EVERYBODY
        if self.in_force is None:
            return "The service does not say which list is in force."
        return self.in_force.sentence


@dataclass(frozen=True, slots=True)
class You:
    """Your own address before the list: `address` is what we see, `is_known` false for a private or loopback one."""

    address: str
    is_known: bool
    now: Admission


def read_restrictions(workspace: Workspace, ref: str) -> State:
    """What the service says of the restrictions (M24)."""
    return state_of(workspace.management.network.restrictions(ref))


def state_of(found: NetworkRestrictions) -> State:
    saved = RangeList.of(found.config)
    stored = found.status == RestrictionStatus.STORED
    old = RangeList.of(found.old_config) if found.old_config else None
    untouched = stored and old is None and saved.is_empty
    in_force = saved if found.status == RestrictionStatus.APPLIED else old if stored else None
    return State(
        saved=saved,
        in_force=in_force,
        untouched=untouched,
        status=str(found.status),
        entitlement=str(found.entitlement),
        since=found.updated_at,
    )


def you_of(state: State, client: str) -> You:
    """Whether you get in now."""
    known = known_address(client)
    now = Admission(allowed=True) if state.untouched and known else admission(state.in_force, known)
    return You(address=str(known or client), is_known=known is not None, now=now)
