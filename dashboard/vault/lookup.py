"""Find a secret again without storing it: a digest under a random key of this installation.

The key is created once, when the tables are made, and stored sealed. Neither SECRET_KEY nor VAULT_KEYS go into a digest, so
both can be changed: share links still open, and what is remembered for a token is still found.
"""

import hmac
import secrets
from contextlib import suppress
from functools import cache
from hashlib import sha256

from dashboard.vault.models import LookupKey
from dashboard.vault.seals import CannotOpen, Sealed

# Of no person; persons count from 1.
OWNER = 0
PURPOSE = "lookup key"


def digest(purpose: str, text: str) -> str:
    """64 hex digits: equal for equal texts of one purpose in this installation, useless elsewhere."""
    return hmac.new(_key(), f"{purpose}:{text}".encode(), sha256).hexdigest()


def ensure_key() -> None:
    """Create the key where there is none that opens."""
    _key.cache_clear()
    try:
        _key()
    except CannotOpen:
        last = LookupKey.objects.order_by("-pk").first()
        # The number is chosen here, so that of two at once only one creates a row.
        LookupKey.objects.get_or_create(pk=last.pk + 1 if last else 1, defaults={"sealed": sealed_key(secrets.token_hex(32))})


def sealed_key(key: str) -> Sealed:
    return Sealed.seal(key, owner=OWNER, purpose=PURPOSE)


@cache
def _key() -> bytes:
    for row in LookupKey.objects.order_by("pk"):
        with suppress(CannotOpen):
            return row.sealed.open(owner=OWNER, purpose=PURPOSE).encode()
    raise CannotOpen("There is no lookup key that opens; `manage.py prepare` creates one.")
