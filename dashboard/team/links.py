"""The one-time link by which a person sets a password and is signed in."""

from django.conf import settings
from django.contrib.auth.tokens import PasswordResetTokenGenerator
from django.http import HttpRequest
from django.urls import reverse
from django.utils.http import base36_to_int, int_to_base36

from dashboard.team.models import Person
from dashboard.web.requests import public_address


class LinkKeys(PasswordResetTokenGenerator):
    """Keys that die with a new password or address, at the next sign-in, with a newer link, and after PASSWORD_RESET_TIMEOUT.

    A key that an owner made for somebody else names that owner, and can't be passed off as one without a maker:
    `<time>-<hash>-<maker>` instead of `<time>-<hash>`.
    """

    def __init__(self, maker_id: int = 0) -> None:
        super().__init__()
        self._maker_id = maker_id

    def make_token(self, user: Person) -> str:
        key = super().make_token(user)
        return f"{key}-{int_to_base36(self._maker_id)}" if self._maker_id else key

    def check_token(self, user: Person | None, token: str | None) -> bool:
        if user is None or not user.is_active or not token:
            return False
        maker_id = maker_of(token)
        key = token.rpartition("-")[0] if maker_id else token
        return PasswordResetTokenGenerator.check_token(LinkKeys(maker_id), user, key)

    def _make_hash_value(self, user: Person, timestamp: int) -> str:
        return f"{super()._make_hash_value(user, timestamp)}:{user.link_serial}:{user.is_active}:{self._maker_id}"


def maker_of(key: str) -> int:
    """The id of the owner who made this key for somebody else; 0 for a key of one's own. Only `check_token` proves it."""
    parts = key.split("-")
    try:
        return base36_to_int(parts[2]) if len(parts) == 3 else 0
    except ValueError:
        return 0


def make_link(person: Person, base_url: str, *, maker: Person | None = None) -> str:
    """A fresh link below `base_url`; those handed out before stop working. `maker`: the owner who asks for it, if any."""
    person.link_serial += 1
    person.save(update_fields=("link_serial",))
    return link_of(person, base_url, maker_id=maker.pk if maker and maker.pk != person.pk else 0)


def link_of(person: Person, base_url: str, *, maker_id: int = 0) -> str:
    """A link that works beside those handed out before."""
    key = LinkKeys(maker_id).make_token(person)
    path = reverse("account_reset_password_from_key", kwargs={"uidb36": int_to_base36(person.pk), "key": key})
    return base_url.rstrip("/") + path


def base_url(request: HttpRequest) -> str:
    """Where people reach Pilothouse."""
    return public_address(request)


def days_valid() -> int:
    return int(settings.PASSWORD_RESET_TIMEOUT // 86_400)
