"""Check a pasted token and read its claims without calling the service."""

import re
from datetime import UTC, datetime
from typing import Any

import jwt
from django.core.exceptions import ValidationError

from dashboard.tokens.models import Kind

MAX_LENGTH = 8000
SERVICE_ROLE = "service_role"
PREFIX = re.compile(r"^(authorization:\s*)?bearer\s+", re.IGNORECASE)


class BadToken(ValidationError):  # noqa: N818 - names the value, not a fault of ours
    """A token that was not stored. The message never contains any part of it."""


def cleaned(kind: str, pasted: str) -> str:
    """The token was not stored. The message never contains any part of it."""
    text = PREFIX.sub("", pasted.strip()).strip("\"'")
    if not text:
        raise BadToken("Paste the token.")
    if re.search(r"\s", text):
        raise BadToken("A token contains no spaces or line breaks. Copy only the token.")
    if not text.isascii() or not text.isprintable() or len(text) > MAX_LENGTH:
        raise BadToken("This is not a token. Tokens contain only ASCII letters, digits and a few symbols.")
    if kind == Kind.STORAGE and text.startswith("sbp_"):
        raise BadToken("This is a management token (it begins with “sbp_”). Storage needs a storage token.")
    if kind == Kind.MANAGEMENT and (text.startswith("sb_") or _claims(text) is not None):
        raise BadToken("This is a storage token. Management needs the personal token of your account (“sbp_…”).")
    return text


def role_of(text: str) -> str:
    """Return the role claim of a storage token ("service_role", "anon") or an empty string."""
    role = (_claims(text) or {}).get("role")
    return role[:40] if isinstance(role, str) else ""


def is_service_key(text: str) -> bool:
    """Whether a storage token sees every object of its storage, judged by its role or prefix."""
    return text.startswith("sb_secret_") or role_of(text) == SERVICE_ROLE


def end_of(text: str) -> datetime | None:
    """Return when the token expires, if it has that claim."""
    end = (_claims(text) or {}).get("exp")
    try:
        return datetime.fromtimestamp(end, UTC) if isinstance(end, int | float) else None
    except (OverflowError, OSError, ValueError):
        return None


def _claims(text: str) -> dict[str, Any] | None:
    try:
        claims = jwt.decode(text, options={"verify_signature": False})
    except jwt.InvalidTokenError:
        return None
    return claims if isinstance(claims, dict) else None
