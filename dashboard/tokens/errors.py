"""Errors for a token that a page needs but that can't be used."""

from dashboard.team.models import Person
from dashboard.team.services import asking_instead
from dashboard.web.pages.errors import NeedsToken


class TokenMissing(NeedsToken):
    """No token is stored for this kind and space."""

    def __init__(self, *, kind: str, space: str = "", broken: bool = False, locked: bool = False, reason: str = "") -> None:
        super().__init__(kind, space or None, broken=broken, locked=locked, reason=reason)

    def instead(self, person: object) -> str:
        return asking_instead(person) if isinstance(person, Person) else ""


class TokenBroken(TokenMissing):
    """The stored token can't be unsealed: its vault key is gone or the row was altered."""

    def __init__(self, *, kind: str, space: str = "") -> None:
        super().__init__(kind=kind, space=space, broken=True)


class TokenLocked(TokenMissing):
    """The stored token is locked, because another person's link set the password (`Person.lock`)."""

    def __init__(self, *, kind: str, space: str = "") -> None:
        super().__init__(kind=kind, space=space, locked=True)


class GrantUnusable(TokenMissing):
    """The grant that a person uses has ended or is paused. `reason` is a sentence for that person."""

    def __init__(self, reason: str, *, kind: str, space: str = "") -> None:
        super().__init__(kind=kind, space=space, reason=reason)
