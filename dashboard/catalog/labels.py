"""What the service tells browsers of an object: its type, and how long they may keep it."""

import re

# The choices of a form: the header, and what it means.
CACHING = (
    ("no-cache", "Check each time"),
    ("max-age=3600", "Keep for 1 hour"),
    ("max-age=86400", "Keep for 1 day"),
    ("max-age=31536000, immutable", "Keep for 1 year, never check"),
)
CACHE_CONTROL_MAX_LENGTH = 200
_CACHE_CONTROL = re.compile(r"[A-Za-z][A-Za-z-]*(=(\d+|\"[^\"]*\"))?(, ?[A-Za-z][A-Za-z-]*(=(\d+|\"[^\"]*\"))?)*")
_TYPE = re.compile(r"[A-Za-z0-9!#$&^_.+-]+/[A-Za-z0-9!#$&^_.+-]+(; ?[A-Za-z0-9-]+=[A-Za-z0-9_.+\"-]+)*")


def cache_problem(text: str) -> str:
    """Why this can't be a Cache-Control header; "" if it can."""
    if len(text) <= CACHE_CONTROL_MAX_LENGTH and _CACHE_CONTROL.fullmatch(text) and text.isascii():
        return ""
    return "Enter directives as in the header, for example: public, max-age=600"


def type_problem(text: str) -> str:
    """Why this can't be a content type; "" if it can. The service takes multipart types for forms."""
    if len(text) <= CACHE_CONTROL_MAX_LENGTH and _TYPE.fullmatch(text) and not text.lower().startswith("multipart/"):
        return ""
    return "Enter a type as in the header, for example: image/png"
