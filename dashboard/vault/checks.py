"""Check VAULT_KEYS, for Django's system checks and the start command."""

from collections.abc import Sequence
from typing import Any

from cryptography.fernet import Fernet
from django.conf import settings
from django.core.checks import CheckMessage, Error


def keys_problem(keys: Sequence[str]) -> str | None:
    """Return what is wrong with the keys, or None. Never quotes a key."""
    if not keys:
        return "VAULT_KEYS is empty: it needs at least one Fernet key (44 characters of URL-safe Base64)."
    for number, key in enumerate(keys, start=1):
        try:
            Fernet(key)
        except ValueError:
            return f"Key {number} of VAULT_KEYS is not a Fernet key: 32 bytes in URL-safe Base64, 44 characters ending in `=`."
    if len(set(keys)) < len(keys):
        return "VAULT_KEYS names the same key twice."
    return None


def check_keys(app_configs: object, **kwargs: Any) -> list[CheckMessage]:  # noqa: ARG001 - the signature of Django's checks
    problem = keys_problem(settings.VAULT_KEYS)
    if problem is None:
        return []
    hint = "Create one with: python -c 'from cryptography.fernet import Fernet; print(Fernet.generate_key().decode())'"
    return [Error(problem, hint=hint, id="vault.E001")]
