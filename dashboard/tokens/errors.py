"""A token that a page needs and can't use. The page says which one, why, and leads to where it can be stored."""

from dashboard.web.errors import NeedsToken


class TokenMissing(NeedsToken):
    """Nothing is stored for this kind and space."""

    def __init__(self, *, kind: str, space: str = "", broken: bool = False, locked: bool = False) -> None:
        super().__init__(kind, space or None, broken=broken, locked=locked)


class TokenBroken(TokenMissing):
    """Something is stored, but it does not open: its key is gone, or the row was tampered with. The person has to reconnect."""

    def __init__(self, *, kind: str, space: str = "") -> None:
        super().__init__(kind=kind, space=space, broken=True)


class TokenLocked(TokenMissing):
    """Stored, but locked since somebody else's link set the person's password (`Person.lock`). The person has to unlock it."""

    def __init__(self, *, kind: str, space: str = "") -> None:
        super().__init__(kind=kind, space=space, locked=True)
