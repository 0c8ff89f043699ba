"""Fingerprints that identify a token without revealing it."""

from typing import Any

from dashboard.vault.lookup import digest

# 128 bits, because fingerprints decide who sees cached data; pages show the first digits.
DIGITS = 32
SHOWN = 8


def fingerprint(text: str) -> str:
    """Return 32 hex digits, equal for equal tokens of this installation only."""
    return digest("token fingerprint", text)[:DIGITS]


def lengthened(apps: Any) -> dict[str, str]:
    """Map the former eight-digit fingerprints to the full ones, for migrations."""
    rows = apps.get_model("tokens", "StoredToken").objects.values_list("fingerprint", flat=True).distinct()
    return {text[:SHOWN]: text for text in rows if len(text) == DIGITS}
