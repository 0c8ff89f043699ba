"""Read the request's body in blocks, detecting one that ends early."""

import json
import time
from typing import NoReturn

from django.http import HttpRequest
from gunicorn.http.errors import ParseException

from dashboard.sandbox.storage import refusals
from dashboard.sandbox.storage.disk import BLOCK
from dashboard.sandbox.storage.schema import Members

_JSON_LIMIT = 1 << 20
_DRAIN_SECONDS = 30


class Cut(Exception):  # noqa: N818 - says what happened
    """The client disconnected before the end of the body."""


class Body:
    """A reader over the server's own stream. `length` in bytes is None for a chunked body."""

    def __init__(self, request: HttpRequest) -> None:
        self._stream = request.META["wsgi.input"]
        announced = request.META.get("CONTENT_LENGTH")
        chunked = not announced and "HTTP_TRANSFER_ENCODING" in request.META
        self.length: int | None = None if chunked else int(announced or 0)
        self._left = self.length

    def read(self, size: int = BLOCK) -> bytes:
        """Return at most `size` bytes, none at the end. Raises Cut if the body ends early."""
        if self._left is not None:
            size = min(size, self._left)
        if size == 0:
            return b""
        try:
            block: bytes = self._stream.read(size)
        except (OSError, ParseException):
            raise Cut from None
        if self._left is not None:
            if not block:
                raise Cut
            self._left -= len(block)
        return block

    def drain(self) -> None:
        """Read the rest, so that a client that is still sending can read the answer."""
        deadline = time.monotonic() + _DRAIN_SECONDS
        try:
            while self.read() and time.monotonic() < deadline:
                pass
        except Cut:
            pass


def json_members(request: HttpRequest) -> Members:
    """Return the required JSON object."""
    return Members("body", read_json(request))


def read_json(request: HttpRequest, *, may_be_empty: bool = False) -> object:
    """Return the JSON value; None for another content type or an allowed empty body."""
    if request.content_type != "application/json":
        return None
    raw = _whole_body(request)
    if not raw and may_be_empty:
        return None
    if not raw:
        raise refusals.unreadable("Body cannot be empty when content-type is set to 'application/json'")
    try:
        value: object = json.loads(raw.decode("utf-8-sig"), parse_constant=_no_constant)
    except (ValueError, RecursionError):
        message = "Body is not valid JSON but content-type is set to 'application/json'"
        raise refusals.unreadable(message) from None
    return value


def _whole_body(request: HttpRequest) -> bytes:
    body, raw = Body(request), b""
    try:
        while len(raw) <= _JSON_LIMIT and (block := body.read()):
            raw += block
    except Cut:
        raise refusals.unreadable("Request body size did not match Content-Length") from None
    if len(raw) > _JSON_LIMIT:
        body.drain()
        raise refusals.body_too_large()
    return raw


def _no_constant(name: str) -> NoReturn:
    raise ValueError(name)
