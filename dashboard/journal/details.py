"""What an entry changed, field by field: before and after in words, digests of secrets apart."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from dashboard.journal.models import DIGEST, Entry
from dashboard.web import text

MOST_ITEMS = 20
# Fields of an entry that hold a value of each secret, by its name.
BY_NAME = ("returned", "values")
NAMES = {
    "allowed_mime_types": "Allowed types",
    "body": "Code",
    "body of version": "Code of version",
    "bytes": "Size",
    "dbAllowedCidrs": "IPv4 ranges",
    "dbAllowedCidrsV6": "IPv6 ranges",
    "ends": "Expires",
    "ends_at": "Expires",
    "file_size_limit": "Size limit",
    "keys": "Objects",
    "import_map": "Import map",
    "import_map_path": "Import map path",
    "entrypoint_path": "Entrypoint path",
    "hides_download": "No download button",
    "landing": "Shows a page first",
    "limit": "Download limit",
    "md5": "MD5",
    "until": "Ends",
    "verify_jwt": "JWT verification",
}
# Fields that are numbers of bytes, as they are labelled.
SIZES = ("Size", "Size limit")
# Fields of which only whether there is a value is known.
PRESENCE = ("Password",)
_MISSING = object()


@dataclass(frozen=True, slots=True)
class Side:
    """What a field was or became, in words; empty if it is not known. `digest` is that of a secret."""

    text: str = ""
    digest: str = ""


@dataclass(frozen=True, slots=True)
class Difference:
    """A field before and after; `is_code` if it is named by people, such as a secret."""

    name: str
    before: Side
    after: Side
    is_code: bool

    @property
    def sides(self) -> tuple[Side, Side]:
        return self.before, self.after


def columns(changed: Sequence[Difference]) -> tuple[bool, bool]:
    """Return whether anything is known of before, and of after: what was created or deleted has only one of them."""
    before, after = zip(*(one.sides for one in changed), strict=True) if changed else ((), ())
    return any(side.text for side in before), any(side.text for side in after)


def differences(entry: Entry) -> tuple[list[Difference], list[str]]:
    """Return what changed, and the names of the fields that stayed the same."""
    before, after = _fields(entry, entry.before), _fields(entry, entry.after)
    changed: list[Difference] = []
    same: list[str] = []
    for key in {**before, **after}:
        was, became = before.get(key, _MISSING), after.get(key, _MISSING)
        if was == became and not _is_digest(was):
            same.append(key[0])
        else:
            if key[0] in SIZES:
                was, became = _size(was), _size(became)
            elif key[0] in PRESENCE:
                was, became = _presence(was), _presence(became)
            changed.append(Difference(key[0], *_sides(entry.operation, was, became), is_code=key[1]))
    return changed, same


def _fields(entry: Entry, value: Any) -> dict[tuple[str, bool], Any]:
    """Return the values by the name of their field, and whether people named it."""
    if value is None:
        return {}
    if not isinstance(value, dict):
        return {("Value", False): value}
    found: dict[tuple[str, bool], Any] = {}
    for name, member in value.items():
        if isinstance(member, Mapping) and name in BY_NAME:
            found |= {(inner, True): one for inner, one in member.items()}
        elif isinstance(member, Mapping):
            found |= {(f"{_label(name)}: {inner}", False): one for inner, one in member.items()}
        elif name == "value" and entry.target.startswith("secret "):
            found[entry.target.removeprefix("secret "), True] = member
        else:
            found[_label(name), False] = member
    return found


def _sides(operation: str, was: object, became: object) -> tuple[Side, Side]:
    if not _is_digest(was) and not _is_digest(became):
        return _side(was), _side(became)
    is_secret = operation in ("M6", "M7")
    before = Side("set", str(was)) if _is_digest(was) else Side("not set" if is_secret else "")
    if not _is_digest(became):
        return before, Side("deleted" if operation == "M7" else "")
    word = "set" if not before.digest else "unchanged" if was == became else "changed"
    return before, Side("added" if word == "set" and is_secret else word, str(became))


def _size(value: object) -> object:
    return text.bytes_text(value) if type(value) is int else value


def _presence(value: object) -> object:
    return {True: "set", False: None}[value] if isinstance(value, bool) else value


def _side(value: object) -> Side:
    return Side("" if value is _MISSING else _words(value))


def _words(value: object) -> str:
    if value is None or value == "":
        return "not set"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, Mapping):
        return ", ".join(f"{name}: {_words(member)}" for name, member in value.items()) or "none"
    if isinstance(value, Sequence) and not isinstance(value, str):
        more = f" and {len(value) - MOST_ITEMS:,} more" if len(value) > MOST_ITEMS else ""
        return ", ".join(_item(one) for one in value[:MOST_ITEMS]) + more or "none"
    return _time(value) or str(value)


def _time(value: object) -> str:
    """Return a whole time with its zone as times are written on pages; "" for anything else."""
    try:
        moment = datetime.fromisoformat(value) if isinstance(value, str) and "T" in value else None
    except ValueError:
        return ""
    return text.exact(moment) if moment and moment.tzinfo else ""


def _item(value: object) -> str:
    """Return an item of a list as text: "old → new" for the pair of a moved object."""
    return " → ".join(map(str, value)) if isinstance(value, list) else _words(value)


def _is_digest(value: object) -> bool:
    return isinstance(value, str) and value.startswith(DIGEST)


def _label(name: str) -> str:
    words = NAMES.get(name) or name.replace("_", " ")
    return words[:1].upper() + words[1:]
