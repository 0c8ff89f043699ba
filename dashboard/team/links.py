"""The one-time link by which a person sets a password and is signed in."""

from django.conf import settings
from django.contrib.auth.tokens import PasswordResetTokenGenerator
from django.urls import reverse
from django.utils.http import int_to_base36

from dashboard.team.models import Person


class LinkKeys(PasswordResetTokenGenerator):
    """Keys that die with a new password or address, at the next sign-in, with a newer link, and after PASSWORD_RESET_TIMEOUT."""

    def _make_hash_value(self, user: Person, timestamp: int) -> str:
        return f"{super()._make_hash_value(user, timestamp)}:{user.link_serial}:{user.is_active}"

    def check_token(self, user: Person | None, token: str | None) -> bool:
        return user is not None and user.is_active and super().check_token(user, token)


def make_link(person: Person, base_url: str) -> str:
    """A fresh link below `base_url`; those handed out before stop working."""
    person.link_serial += 1
    person.save(update_fields=("link_serial",))
    path = reverse(
        "account_reset_password_from_key", kwargs={"uidb36": int_to_base36(person.pk), "key": LinkKeys().make_token(person)}
    )
    return base_url.rstrip("/") + path


def days_valid() -> int:
    return int(settings.PASSWORD_RESET_TIMEOUT // 86_400)
