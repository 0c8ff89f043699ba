"""Password rules, and setting a password."""

import re
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction

from dashboard.journal.recorder import record
from dashboard.team import factors, hooks, mail, providers
from dashboard.team.links import maker_of
from dashboard.team.models import Person

PRODUCT = "pilothouse"
RULES = "At least 12 characters, such as three or four unrelated words. Leave out your name, address and “Pilothouse”."
EASY = "This password is too easy to guess. Use three or four unrelated words."
MIN_SCORE = 3  # zxcvbn's scale is 0 to 4; 3 means more than 10^8 guesses
MAX_CHECKED_LENGTH = 72  # The most characters that zxcvbn accepts.
NAME_MIN_LENGTH = 4


class StrongPassword:
    """Validator: refuse passwords that are easy to guess or contain the person's or product's name."""

    def validate(self, password: str, user: Person | None = None) -> None:
        from zxcvbn import zxcvbn  # noqa: PLC0415 - its word lists take a while to load, and few processes need them

        names = _names(user)
        for name in names:
            if name in password.casefold():
                raise ValidationError(f"Leave out “{name}”: names are guessed first.")
        if zxcvbn(password[:MAX_CHECKED_LENGTH], user_inputs=names)["score"] < MIN_SCORE:
            raise ValidationError(EASY)

    def get_help_text(self) -> str:
        return RULES


def set_by_link(person: Person, password: str, *, key: str) -> None:
    """Set the password by a one-time link. Another person's link locks the account (`Person.lock`)."""
    maker = Person.objects.filter(pk=maker_of(key)).first()
    with record(person_id=person.pk, operation="link used", target=person.email) as change:
        with transaction.atomic():
            person.refresh_from_db(from_queryset=Person.objects.select_for_update())
            if maker and (person.is_locked or _holds_anything(person, maker)):
                person.lock(maker)
            person.set_password(password)
            person.save()
        change.after = {"made_by": str(maker) if maker else "", "account_locked": person.is_locked}
    if maker:
        mail.tell(person, f"Your password was set with a link that {maker} made.{' Your account is locked.' * person.is_locked}")


def _holds_anything(person: Person, maker: Person) -> bool:
    ways_in = bool(factors.kinds_of(person)) or providers.account_of(person) is not None
    belongings = any(of(person).exists() for of in hooks.belongings)
    return ways_in or belongings or any(holds(person, maker) for holds in hooks.holdings)


def change(person: Person, password: str) -> None:
    """Change the person's own password."""
    with record(person_id=person.pk, operation="password changed", target=person.email):
        person.set_password(password)
        person.save(update_fields=("password",))


def _names(user: Any) -> list[str]:
    """Return lower-case words that a password must not contain."""
    text = f"{user.name} {user.email.partition('@')[0]}" if isinstance(user, Person) else ""
    words = re.findall(r"[^\W\d_]+", text.casefold())
    return [PRODUCT, *(word for word in dict.fromkeys(words) if len(word) >= NAME_MIN_LENGTH)]
