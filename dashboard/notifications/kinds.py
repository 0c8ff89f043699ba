"""The kinds of notifications. An upper layer registers its own in its `feature`::

kinds.register(Kind("job failed", "Job failed"))
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of notification. `mails`: e-mailed unless the person chose otherwise.

    `is_personal`: never sent to the team's channels. `is_security`: about the account; always e-mailed, and personal, too.
    """

    name: str
    title: str
    mails: bool = True
    is_personal: bool = False
    is_security: bool = False


_kinds: dict[str, Kind] = {}


def register(kind: Kind) -> None:
    if _kinds.setdefault(kind.name, kind) != kind:
        raise ValueError(f"There is a kind of notification called {kind.name!r} already.")


def find(name: str) -> Kind | None:
    return _kinds.get(name)


def title_of(name: str) -> str:
    """Return the title of a kind, or its name if it is no longer registered."""
    return _kinds[name].title if name in _kinds else name


def listed() -> list[Kind]:
    """Return all kinds by title, those about the account last."""
    return sorted(_kinds.values(), key=lambda kind: (kind.is_security, kind.title))
