"""The request's path as it was sent, decoded once: `%2F` is a slash of the key, `//` stays, a bad escape is refused."""

import re
from dataclasses import dataclass
from urllib.parse import unquote, unquote_to_bytes

from django.http import HttpRequest

from dashboard.sandbox.storage.refusals import BadAddress

_MOUNT = re.compile(r"/[^/]+/storage/v1(?P<path>/[^?]*)?")
_ESCAPE = re.compile(r"%(?![0-9A-Fa-f]{2})")
_RESERVED = re.compile(r"%(?:2[4BCF6]|3[ABDF]|40|23)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Target:
    """A path below the storage address, percent-encoded as it came, and the query with its question mark."""

    path: str
    query: str

    def __str__(self) -> str:
        return self.path + self.query


def target_of(request: HttpRequest) -> Target:
    """Raises BadAddress where the path is not percent-encoded UTF-8."""
    raw = request.META.get("RAW_URI") or request.get_full_path()
    raw = re.sub(r"^https?://[^/?]*", "", raw, flags=re.IGNORECASE)
    address, mark, query = raw.partition("?")
    found = _MOUNT.fullmatch(address)
    path = (found["path"] if found else None) or "/"
    target = Target(path, mark + query)
    decoded(path)
    return target


def decoded(text: str) -> str:
    """Percent-decoded once; `+` stays a plus."""
    if _ESCAPE.search(text):
        raise BadAddress(text)
    try:
        return unquote_to_bytes(text.encode("latin-1", "strict")).decode("utf-8")
    except UnicodeError:
        raise BadAddress(text) from None


def loosely_decoded(text: str) -> str:
    """As the service writes a path into a signed link: ordinary escapes decoded, those of reserved characters left."""
    pieces = re.split(f"({_RESERVED.pattern})", text, flags=re.IGNORECASE)
    return "".join(piece if _RESERVED.fullmatch(piece) else unquote(piece) for piece in pieces)
