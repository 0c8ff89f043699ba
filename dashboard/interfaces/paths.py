"""Build request paths. Only here do names become part of an address.

`requests` resolves `.` and `..` even if quoted, so deleting an object named `../../bucket/x` would delete a bucket. Such names
are refused, and the transport compares the path it sends with the one built here.
"""

import re
from collections.abc import Mapping
from urllib.parse import quote, unquote

# not shown: which characters stay literal. A signed link to a key with one of these percent-encoded does not work (S14).
LITERAL = "-_.!*'()+&,:@=$;"


class BadPathError(ValueError):
    """A name that can't be part of a path; the message is for people."""


def build(template: str, names: Mapping[str, str]) -> str:
    """Fill a template's `{name}` fields; `{wildcard}` may span segments, other names are one."""
    filled = {name: _key(value) if name == "wildcard" else _segment(value) for name, value in names.items()}
    return template.format(**filled)


def quoted(path: str) -> str:
    """Percent-encode the path of a signed link, which the service sends partly encoded."""
    return "/".join(quote(unquote(part), safe=LITERAL) for part in path.split("/"))


def check_segments(path: str) -> None:
    """Raise BadPathError for a segment `.` or `..` or a control character."""
    if any(part in (".", "..") for part in path.split("/")):
        message = "A name can't have “.” or “..” between its slashes, because it would become another name."
        raise BadPathError(message)
    if re.search("[\x00-\x1f\x7f\ud800-\udfff]", path):
        message = "A name can't contain control characters."
        raise BadPathError(message)


def _segment(name: str) -> str:
    if "/" in name:
        message = "This name can't contain a slash."
        raise BadPathError(message)
    return _key(name)


def _key(name: str) -> str:
    if not name:
        message = "The name is empty."
        raise BadPathError(message)
    check_segments(name)
    return "/".join(quote(part, safe=LITERAL) for part in name.split("/"))
