"""The headers that the service sends with an object: its type, and how long browsers may keep it."""

import re

# The choices of a form: the header, and what it means.
CACHING = (
    ("no-cache", "Check each time"),
    ("max-age=3600", "Keep for 1 hour"),
    ("max-age=86400", "Keep for 1 day"),
    ("max-age=31536000, immutable", "Keep for 1 year, never check"),
)
# Types offered by a form; any other can be typed.
TYPES = (
    *("application/json", "application/octet-stream", "application/pdf", "application/xml", "application/zip"),
    *("audio/mpeg", "font/woff2", "image/gif", "image/jpeg", "image/png", "image/svg+xml", "image/webp"),
    *("text/css", "text/csv", "text/html; charset=utf-8", "text/javascript", "text/markdown", "text/plain; charset=utf-8"),
    *("video/mp4", "video/webm"),
)
TYPE_ADVICE = "Enter a type as in the header, for example: image/png"
_WORD = r"[A-Za-z0-9!#$&^_.+\-]+"
# Also used as the `pattern` of an input. No multipart types: the service would parse them as forms.
TYPE_PATTERN = rf"(?![Mm][Uu][Ll][Tt][Ii][Pp][Aa][Rr][Tt]\/){_WORD}\/{_WORD}" + r'(; ?[A-Za-z0-9\-]+=[A-Za-z0-9_.+"\-]+)*'
MAX_LENGTH = 200
_CACHE_CONTROL = re.compile(r"[A-Za-z][A-Za-z-]*(=(\d+|\"[^\"]*\"))?(, ?[A-Za-z][A-Za-z-]*(=(\d+|\"[^\"]*\"))?)*")
_TYPE = re.compile(TYPE_PATTERN)


def cache_problem(text: str) -> str:
    """Return why this can't be a Cache-Control header; "" if it can."""
    if len(text) <= MAX_LENGTH and _CACHE_CONTROL.fullmatch(text) and text.isascii():
        return ""
    return "Enter directives as in the header, for example: public, max-age=600"


def type_problem(text: str) -> str:
    """Return why this can't be a content type; "" if it can."""
    return "" if len(text) <= MAX_LENGTH and _TYPE.fullmatch(text) else TYPE_ADVICE
