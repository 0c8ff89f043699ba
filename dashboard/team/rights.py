"""What each role may do: the least role of every operation, as its row says, and of every act of ours.

`require` checks it at each address (`team.access`), before each journal entry (`journal.recorder`) and
before each read that reveals something. Each role may also do what the roles before it may.
"""

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from dashboard.interfaces.operations import OPERATIONS
from dashboard.team.models import Person, Role
from dashboard.web.failures.cards import Stopped
from dashboard.web.failures.local_problems import forbidden

V = TypeVar("V", bound=Callable[..., Any])

OURS = {
    # One's own account, and giving up what one shared.
    Role.VIEWER: (
        *("sign-in", "sign-in locked", "sign-out", "signed out everywhere", "link used"),
        *("password changed", "password confirmed", "name changed"),
        *("passkey added", "passkey renamed", "passkey deleted", "passkey confirmed", "code confirmed"),
        *("provider connected", "provider confirmed", "provider disconnected"),
        *("authenticator app added", "authenticator app deleted", "recovery codes created", "factors reset"),
        *("session ended", "other sessions ended"),
        *("token stored", "token replaced", "token forgotten", "account unlocked", "account started over"),
        *("downloaded", "link revoked", "links revoked", "file request revoked", "access revoked"),
    ),
    # Daily work. "link signed" stands for S14 and S15 where the link is handed out.
    Role.OPERATOR: (
        *("secret value shown", "list exported", "job begun", "hostname watched"),
        *("link shared", "link changed", "link reopened", "links reopened", "link signed"),
        *("files requested", "file request changed", "file request restored"),
        *("access granted", "access changed", "access confirmed"),
        *("label changed", "function note changed", "address labelled", "snapshot deleted"),
    ),
    # What everybody with the project notices.
    Role.ADMINISTRATOR: ("production mark changed", "snapshot usage shown", "file erased"),
    # People, and what concerns everybody.
    Role.OWNER: (
        *("person added", "link made", "role changed", "person deactivated", "person reactivated", "handed over"),
        *("sandbox switched", "sandbox DNS published", "sandbox DNS removed"),
    ),
}
LEAST = {ident: Role(operation.right.least) for ident, operation in OPERATIONS.items()} | {
    act: role for role, acts in OURS.items() for act in acts
}


class RoleMissing(Stopped):
    """The person's role doesn't allow the act. `least` does."""

    def __init__(self, role: Role, least: Role) -> None:
        super().__init__(forbidden(f"{needs_role(least)} You are {role.phrase}. Nothing was changed."))
        self.least = least


def needs(*acts: str) -> Callable[[V], V]:
    """Declare the acts that need a right at this view's address, unless `sends` names them. No acts: open to everybody."""

    def mark(view: V) -> V:
        view.__dict__["needs"] = acts
        return view

    return mark


def needs_role(least: Role) -> str:
    """Return a sentence that names the missing role."""
    return f"Needs the {least.label.lower()} role."


def least_of(acts: Iterable[str]) -> Role:
    """Return the least role that may do all of these. Raises `KeyError` for an unknown act."""
    return max((LEAST[act] for act in acts), key=lambda role: role.rank, default=Role.VIEWER)


def least_at(view: object) -> Role:
    """Return the least role that may open a view's address."""
    acts: tuple[str, ...] = getattr(view, "needs", getattr(view, "sends", ()))
    return least_of(acts)


def allows(role: str, *acts: str) -> bool:
    """Whether a role may do all of these."""
    return Role(role).rank >= least_of(acts).rank


def require(person: Person, *acts: str) -> None:
    """Raise `RoleMissing` unless the person's role allows these."""
    _require(Role(person.role), least_of(acts))


def require_at(person: Person, view: object) -> None:
    """Raise `RoleMissing` unless the person's role may open a view's address."""
    _require(Role(person.role), least_at(view))


def require_recorded(person_id: int, act: str) -> None:
    """Raise `RoleMissing` unless the person's stored role allows a change. Called by the journal."""
    least = LEAST[act]
    if least is not Role.VIEWER:
        _require(Role(Person.objects.values_list("role", flat=True).get(pk=person_id)), least)


def _require(role: Role, least: Role) -> None:
    if role.rank < least.rank:
        raise RoleMissing(role, least)
