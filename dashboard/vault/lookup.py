"""Keyed digests to find a secret without storing it.

The random key is created once, with the tables, and stored sealed. Digests don't depend on SECRET_KEY or VAULT_KEYS, so after
changing those share links still open and a token's cached data is still found.
"""

import hmac
import secrets
from contextlib import suppress
from functools import cache
from hashlib import sha256

from django.db import connection

from dashboard.vault.models import LookupKey
from dashboard.vault.seals import CannotOpen, Sealed

# The owner is not a person: their ids start at 1.
OWNER = 0
PURPOSE = "lookup key"


def digest(purpose: str, text: str) -> str:
    """Return 64 hex digits, equal for equal texts of one purpose in this installation only."""
    return hmac.new(_key(), f"{purpose}:{text}".encode(), sha256).hexdigest()


def load_key() -> None:
    """Read the key into this process, for digests in pool threads, which may not use the database."""
    _key()


def ensure_key() -> None:
    """Create a key unless one can be unsealed."""
    _key.cache_clear()
    try:
        _key()
    except CannotOpen:
        last = LookupKey.objects.order_by("-pk").first()
        # Choose the primary key here, so that two processes at once create only one row.
        LookupKey.objects.get_or_create(pk=last.pk + 1 if last else 1, defaults={"sealed": sealed_key(secrets.token_hex(32))})


def is_lost() -> bool:
    """Return whether there are keys and none can be unsealed."""
    if LookupKey._meta.db_table not in connection.introspection.table_names():  # noqa: SLF001 - Django documents it
        return False
    return LookupKey.objects.exists() and not any(opens(row.sealed) for row in LookupKey.objects.all())


def opens(sealed: Sealed) -> bool:
    """Return whether VAULT_KEYS unseal this key."""
    with suppress(CannotOpen):
        return bool(sealed.open(owner=OWNER, purpose=PURPOSE))
    return False


def sealed_key(key: str) -> Sealed:
    return Sealed.seal(key, owner=OWNER, purpose=PURPOSE)


@cache
def _key() -> bytes:
    for row in LookupKey.objects.order_by("pk"):
        with suppress(CannotOpen):
            return row.sealed.open(owner=OWNER, purpose=PURPOSE).encode()
    raise CannotOpen("No lookup key can be unsealed. `manage.py prepare` creates one.")
