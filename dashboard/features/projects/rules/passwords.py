"""The database password of a project that is to be created: generated, and sealed while a person reads it."""

from secrets import choice
from string import ascii_letters, digits

from dashboard.team.models import Person
from dashboard.vault.seals import CannotOpen, Sealed

LENGTH = 24


def generate() -> str:
    """Letters and digits only: such a password stands in a connection string as it is. 142 bits."""
    return "".join(choice(ascii_letters + digits) for _ in range(LENGTH))


def sealed(password: str, person: Person, key: str) -> str:
    """The password as the review's form carries it: opens for this person and this form (by its one-time key) only."""
    return Sealed.seal(password, owner=person.pk, purpose=_purpose(key)).stored()


def opened(text: str, person: Person, key: str) -> str | None:
    """What `sealed` made, or None for everything else."""
    try:
        return Sealed(text).open(owner=person.pk, purpose=_purpose(key))
    except CannotOpen:
        return None


def _purpose(key: str) -> str:
    return f"database password of a new project, form {key}"
