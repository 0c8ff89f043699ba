"""What can be said of a pasted token without asking anybody."""

import re
from datetime import UTC, datetime
from typing import Any

import jwt
from django.core.exceptions import ValidationError

from dashboard.tokens.models import Kind

LONGEST = 8000
PREFIX = re.compile(r"^(authorization:\s*)?bearer\s+", re.IGNORECASE)


class BadToken(ValidationError):  # noqa: N818 - what it is, for a sentence
    """A token that was not stored; the message says why and what to do, and holds nothing of the token."""


def cleaned(kind: str, pasted: str) -> str:
    """The token in what was pasted. Raises `BadToken` for what can't be one or is of the other kind."""
    text = PREFIX.sub("", pasted.strip()).strip("\"'")
    if not text:
        raise BadToken("Paste the token.")
    if re.search(r"\s", text):
        raise BadToken("A token has no spaces or line breaks inside. It looks as if something else was copied with it.")
    if not text.isascii() or not text.isprintable() or len(text) > LONGEST:
        raise BadToken("That is not a token: one is made of plain letters, digits and a few signs.")
    if kind == Kind.STORAGE and text.startswith("sbp_"):
        raise BadToken("This is a management token (it begins with “sbp_”). Storage takes the project's own service key.")
    if kind == Kind.MANAGEMENT and (text.startswith("sb_") or _claims(text) is not None):
        raise BadToken(
            "This is a storage key of one project. Management takes the personal token of your user account (“sbp_…”)."
        )
    return text


def role_of(text: str) -> str:
    """The role a storage token claims ("service_role", "anon"), empty if it does not say."""
    role = (_claims(text) or {}).get("role")
    return role[:40] if isinstance(role, str) else ""


def end_of(text: str) -> datetime | None:
    """When the token ends, if it says so."""
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
