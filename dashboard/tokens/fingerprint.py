"""How a token is told from another without being known."""

from typing import Any

from dashboard.vault.lookup import digest

# 128 bits decide who sees what is remembered; pages show the first digits.
DIGITS = 32
SHOWN = 8


def fingerprint(text: str) -> str:
    """32 hex digits: equal for equal tokens of this installation, useless elsewhere."""
    return digest("token fingerprint", text)[:DIGITS]


def lengthened(apps: Any) -> dict[str, str]:
    """For migrations: the fingerprint of each stored token by its first eight digits, which were all of it once."""
    rows = apps.get_model("tokens", "StoredToken").objects.values_list("fingerprint", flat=True).distinct()
    return {text[:SHOWN]: text for text in rows if len(text) == DIGITS}
