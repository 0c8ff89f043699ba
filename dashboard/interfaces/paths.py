"""Paths of requests: the one place where a name becomes a part of an address.

`requests` resolves `.` and `..` even when they are quoted, which would turn the deletion of an object called `../../bucket/x`
into the deletion of a bucket. So such names are refused, and the transport compares what it is about to send with what is built
here.
"""

import re
from collections.abc import Mapping
from urllib.parse import quote, unquote

# not shown: which characters stay literal. A signed link to a key with one of these percent-encoded can't be redeemed (S14).
LITERAL = "-_.!*'()+&,:@=$;"


class BadPathError(ValueError):
    """A name that can't be part of an address; the message is a sentence."""


def build(template: str, names: Mapping[str, str]) -> str:
    """Return the template with its `{name}` filled; `{wildcard}` may span several segments, every other name is one."""
    filled = {name: _key(value) if name == "wildcard" else _segment(value) for name, value in names.items()}
    return template.format(**filled)


def quoted(path: str) -> str:
    """Return the path of a signed link as the service wrote it, percent-encoded. It mixes literal and encoded characters."""
    return "/".join(quote(unquote(part), safe=LITERAL) for part in path.split("/"))


def check_segments(path: str) -> None:
    """Raise BadPathError when a segment is `.` or `..`, or a character can't be sent at all."""
    if any(part in (".", "..") for part in path.split("/")):
        message = "A name can't have “.” or “..” between its slashes: on the way it would become another name."
        raise BadPathError(message)
    if re.search("[\x00-\x1f\x7f\ud800-\udfff]", path):
        message = "A name can't hold control characters."
        raise BadPathError(message)


def _segment(name: str) -> str:
    if "/" in name:
        message = "This name can't hold a slash."
        raise BadPathError(message)
    return _key(name)


def _key(name: str) -> str:
    if not name:
        message = "The name is empty."
        raise BadPathError(message)
    check_segments(name)
    return "/".join(quote(part, safe=LITERAL) for part in name.split("/"))
