"""Read request bodies; errors are 400 with the text "<field>: <reason>"."""

import json
from collections.abc import Callable, Mapping
from typing import TypeVar

from django.http import HttpRequest
from gunicorn.http.errors import ParseException

from dashboard.sandbox.errors import ManagementRefusal

LARGEST = 32 << 20
T = TypeVar("T")
NAMES = {str: "string", bool: "boolean", int: "number", float: "number", list: "array", dict: "object", type(None): "null"}


def refuse(field: str, reason: str) -> ManagementRefusal:
    return ManagementRefusal(400, f"{field}: {reason}" if field else reason)


def read(request: HttpRequest) -> bytes:
    """Read the whole body; refuse one over 32 MiB or one that ends early."""
    length = request.META.get("CONTENT_LENGTH") or ""
    if length.isdigit() and int(length) > LARGEST:
        raise ManagementRefusal(413, "request entity too large")
    try:
        body: bytes = request.META["wsgi.input"].read(LARGEST + 1)
    except (OSError, ParseException):
        raise ManagementRefusal(400, "request aborted") from None
    if len(body) > LARGEST:
        raise ManagementRefusal(413, "request entity too large")
    if length.isdigit() and len(body) < int(length):
        raise ManagementRefusal(400, "request aborted")
    return body


def json_body(request: HttpRequest) -> object:
    """Return the body's JSON value; an empty body counts as `{}`."""
    body = read(request)
    if not body.strip():
        return {}
    if request.content_type != "application/json":
        # not shown: the answer to a body of another type
        raise ManagementRefusal(415, "Unsupported Media Type")
    try:
        return json.loads(body, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        # not shown: the text for a body that is no JSON
        raise ManagementRefusal(400, "Request body is not valid JSON") from None


def _no_constant(name: str) -> object:
    raise ValueError(name)


class Members(Mapping[str, object]):
    """A JSON object with typed access to members."""

    def __init__(self, value: object, *, at: str = "", only: frozenset[str] | None = None) -> None:
        if not isinstance(value, dict):
            raise refuse(at or "body", f"Expected object, received {NAMES[type(value)]}")
        unknown = sorted(set(value) - only) if only is not None else []
        if unknown:
            raise refuse(unknown[0], "Unrecognized key in object")
        self.value: dict[str, object] = value
        self.at = at

    def __getitem__(self, name: str) -> object:
        return self.value[name]

    def __iter__(self):  # type: ignore[no-untyped-def]  # as Mapping says
        return iter(self.value)

    def __len__(self) -> int:
        return len(self.value)

    def path(self, name: str) -> str:
        return f"{self.at}.{name}" if self.at else name

    def text(self, name: str, *, least: int = 0, most: int | None = None) -> str:
        """Return a required string of `least` to `most` characters."""
        return string(self.required(name), self.path(name), least=least, most=most)

    def required(self, name: str) -> object:
        if name not in self.value:
            raise refuse(self.path(name), "Required")
        return self.value[name]

    def optional(self, name: str, check: Callable[[object, str], T]) -> T | None:
        """Return the checked member, or None if absent."""
        return check(self.value[name], self.path(name)) if name in self.value else None


def string(value: object, at: str, *, least: int = 0, most: int | None = None) -> str:
    if not isinstance(value, str):
        raise refuse(at, f"Expected string, received {NAMES[type(value)]}")
    if len(value) < least:
        raise refuse(at, f"String must contain at least {least} character(s)")
    if most is not None and len(value) > most:
        raise refuse(at, f"String must contain at most {most} character(s)")
    if "\x00" in value or any("\ud800" <= character <= "\udfff" for character in value):
        raise refuse(at, "Invalid characters")
    return value


def boolean(value: object, at: str) -> bool:
    if not isinstance(value, bool):
        raise refuse(at, f"Expected boolean, received {NAMES[type(value)]}")
    return value


def array(value: object, at: str) -> list[object]:
    if not isinstance(value, list):
        raise refuse(at, f"Expected array, received {NAMES[type(value)]}")
    return value


def texts(value: object, at: str) -> list[str]:
    return [string(item, f"{at}.{place}" if at else str(place)) for place, item in enumerate(array(value, at or "body"))]
