"""Digests of files, keyed by VAULT_KEYS: only an installation with one of these keys can make or check them."""

import hmac
from hashlib import sha256

from django.conf import settings

from dashboard.vault.seals import key_id

PURPOSE = b"pilothouse file\n"


def newest_key() -> str:
    """Return the name of the key that signs."""
    return key_id(settings.VAULT_KEYS[0])


def digest(name: str) -> hmac.HMAC:
    """Return an empty digest keyed by the key of this name. Raises LookupError if VAULT_KEYS don't hold it."""
    keys = {key_id(key): key for key in settings.VAULT_KEYS}
    return hmac.new(keys[name].encode(), PURPOSE, sha256)
