"""Rules for bucket names, object keys, size limits and media types."""

import re
from decimal import ROUND_HALF_UP, Context, Decimal

from dashboard.sandbox.storage import refusals

GLOBAL_SIZE_LIMIT = 50 * 1024**3  # not shown: the service's default differs by installation

_BUCKET = re.compile(r"[A-Za-z0-9_!.*'()&$@=;:+,?\- ]{1,100}")
_KEY = re.compile(r"[A-Za-z0-9_/!.*'()&$@=;:+,?\- ]+")
_KEY_LENGTH = 2048  # not shown: the service accepted 1110; its index ends at about 2700 bytes
_SEGMENT_LENGTH = 255

SIZE = re.compile(r"[0-9]+(?:\.[0-9]+)?(?:[gG][bB]|[mM][bB]|[kK][bB]|[bB])")
_UNITS = {"b": 1, "kb": 1_000, "mb": 1_000_000, "gb": 1_000_000_000}

_THREE_DIGITS = Context(prec=3, rounding=ROUND_HALF_UP)

_WORD = r"[A-Za-z0-9!#$&^_.+\-]+"
MEDIA_TYPE = re.compile(rf"\s*{_WORD}/{_WORD}\s*(?:;.*)?", re.DOTALL)
_ALLOWED_TYPE = re.compile(rf"(?:\*|\*/\*|{_WORD}/(?:\*|{_WORD}))(?:;\s*charset=[A-Za-z0-9\-]+)?")


def is_bucket_name(name: str) -> bool:
    return bool(_BUCKET.fullmatch(name)) and name == name.strip() and not name.endswith("--table-s3")


def is_key(key: str) -> bool:
    """Return whether the key is valid; dot segments are refused, as by the file backend."""
    if len(key) > _KEY_LENGTH or not _KEY.fullmatch(key):
        return False
    return not {".", ".."} & set(key.split("/"))


def check_key(key: str) -> None:
    if not is_key(key):
        raise refusals.bad_key(key)


def check_segments(key: str) -> None:
    """Refuse segments too long for the file backend, which uses them as file names."""
    if any(len(part) > _SEGMENT_LENGTH for part in key.split("/")):
        raise refusals.internal()


def size_in_bytes(text: str) -> int:
    """Parse `5MB`, `1.5kb` or `12b` (text that matches SIZE): decimal units, rounded to three significant digits."""
    number = text.rstrip("GMKBgmkb")
    exact = Decimal(number) * _UNITS[text[len(number) :].lower()]
    return int(_THREE_DIGITS.plus(exact))


def check_allowed_types(types: list[str]) -> None:
    for mime in types:
        if not _ALLOWED_TYPE.fullmatch(mime):
            raise refusals.bad_type(mime)


def check_type(mime: str, allowed: list[str] | None) -> None:
    """Require the exact text, or the same type before `/*`; `*` and `*/*` match no ordinary type, as on the service."""
    if not MEDIA_TYPE.fullmatch(mime):
        raise refusals.no_media_type()
    if not allowed:
        return
    kind = mime.split("/", 1)[0]
    if not any(entry == mime or (entry.endswith("/*") and entry[:-2] == kind) for entry in allowed):
        raise refusals.bad_type(mime)
