"""Unlock tokens that were locked when another person's link set the password."""

from django.contrib.auth.hashers import check_password, is_password_usable
from django.core.exceptions import ValidationError

from dashboard.journal.recorder import record
from dashboard.team.attempts import own_password_fits
from dashboard.team.models import Person
from dashboard.tokens import spaces
from dashboard.tokens.models import Grant, Kind, StoredToken

WRONG_PASSWORD = "This is not your previous password."  # noqa: S105 - a message


def locked_tokens(person: Person) -> list[StoredToken]:
    return [token for token in person.stored_tokens.all() if token.is_locked]


def locks_anything(person: Person) -> bool:
    """Return whether stored tokens or received grants are locked."""
    if not person.is_locked:
        return False
    grants = Grant.objects.filter(person=person, revoked_at=None, made_at__lte=person.locked_at).exclude(giver=person.locked_by)
    return bool(locked_tokens(person)) or grants.exists()


def has_former_password(person: Person) -> bool:
    """Return whether the person can unlock with their previous password."""
    return person.is_locked and is_password_usable(person.former_password)


def unlock_by_password(person: Person, password: str) -> None:
    """Unlock all tokens. Raises `ValidationError` for a wrong password or too many attempts."""
    with record(person_id=person.pk, operation="tokens unlocked", target="with the former password"):
        if not own_password_fits(person, lambda: check_password(password, person.former_password)):
            raise ValidationError(WRONG_PASSWORD)
        _unlock(person)


def unlock_by_token(person: Person, token: StoredToken) -> None:
    """Unlock after the same token was stored again.

    The management token is personal, so it unlocks all. Others may have a project's key too, so it unlocks only itself.
    """
    if token.kind != Kind.MANAGEMENT and locked_tokens(person):
        return
    name = spaces.token_name(token.kind, token.space, token.reach.get("project", ""))
    with record(person_id=person.pk, operation="tokens unlocked", target=f"with the {name}", token=token.fingerprint):
        _unlock(person)


def _unlock(person: Person) -> None:
    person.unlock()
    person.save(update_fields=("locked_at", "locked_by", "former_password"))
