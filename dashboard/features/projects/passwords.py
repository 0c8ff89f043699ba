"""The database password of a project that is to be created: generated, or travelling sealed from one page to the next."""

import json
from dataclasses import dataclass, field
from secrets import choice
from string import ascii_letters, digits

from dashboard.team.models import Person
from dashboard.vault.sealing import CannotOpen, Sealed

LENGTH = 24
SHORT = 12


@dataclass(frozen=True, slots=True)
class Password:
    """`generated`: by us, so it has to be shown; a typed one never is."""

    text: str = field(repr=False)
    generated: bool

    @property
    def is_short(self) -> bool:
        return len(self.text) < SHORT


def generate() -> Password:
    """Letters and digits only: such a password stands in a connection string as it is. 142 bits."""
    return Password("".join(choice(ascii_letters + digits) for _ in range(LENGTH)), generated=True)


def sealed(password: Password, person: Person, key: str) -> str:
    """The password as the form carries it: opens for this person and this form (by its one-time key) only."""
    inside = json.dumps({"text": password.text, "generated": password.generated})
    return Sealed.seal(inside, owner=person.pk, purpose=_purpose(key)).stored()


def opened(text: str, person: Person, key: str) -> Password | None:
    """What `sealed` made, or None for everything else."""
    try:
        inside = json.loads(Sealed(text).open(owner=person.pk, purpose=_purpose(key)))
    except CannotOpen:
        return None
    return Password(str(inside["text"]), generated=bool(inside["generated"]))


def _purpose(key: str) -> str:
    return f"database password of a new project, form {key}"
