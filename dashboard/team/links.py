"""One-time links to set a password and sign in."""

from django.conf import settings
from django.contrib.auth.tokens import PasswordResetTokenGenerator
from django.urls import reverse
from django.utils.http import base36_to_int, int_to_base36

from dashboard.team.models import Person


class LinkKeys(PasswordResetTokenGenerator):
    """Keys of one-time links: `<time>-<hash>`, or `<time>-<hash>-<maker>`.

    A key is invalidated by a new password or address, the next sign-in, a newer link, or PASSWORD_RESET_TIMEOUT. `maker` is the
    owner who created it for another person; it is part of the hash, so it can't be removed.
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
    """Return the maker's id, or 0. It is unverified until `check_token` has passed."""
    parts = key.split("-")
    try:
        return base36_to_int(parts[2]) if len(parts) == 3 else 0
    except ValueError:
        return 0


def make_link(person: Person, base_url: str, *, maker: Person | None = None) -> str:
    """Create a one-time link to set a password; earlier ones stop working. `maker` is the owner who asked for it, if any."""
    person.link_serial += 1
    person.save(update_fields=("link_serial",))
    return link_of(person, base_url, maker_id=maker.pk if maker and maker.pk != person.pk else 0)


def link_of(person: Person, base_url: str, *, maker_id: int = 0) -> str:
    """Return a link without invalidating earlier ones."""
    key = LinkKeys(maker_id).make_token(person)
    path = reverse("account_reset_password_from_key", kwargs={"uidb36": int_to_base36(person.pk), "key": key})
    return base_url.rstrip("/") + path


def days_valid() -> int:
    return int(settings.PASSWORD_RESET_TIMEOUT // 86_400)
