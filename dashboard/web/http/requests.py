"""Streamed request bodies, the client's address, and public addresses."""

import time
from collections.abc import Callable, Iterator
from ipaddress import IPv6Address, ip_address
from typing import Protocol, TypeVar

import msgspec
from django.conf import settings
from django.http import HttpRequest
from django.utils.encoding import escape_uri_path
from gunicorn.http.body import Body, LengthReader

BLOCK = 1 << 20
GRACE_SECONDS = 5.0
FLOOR_BYTES_PER_SECOND = 16_000
LARGEST = 2**63 - 1

T = TypeVar("T")


class BadBody(Exception):  # noqa: N818 - reads as a sentence, like its subclasses
    """A body that can't be accepted. `status` is the HTTP status of the answer."""

    status = 400


class LengthMissing(BadBody):
    status = 411


class BodyTooLarge(BadBody):
    status = 413


class TooSlow(BadBody):
    """The upload is below the minimum rate, and other requests need the thread."""

    status = 408


class ClientGone(BadBody):
    """The body ended before its announced length, so what was forwarded must not count."""


class Readable(Protocol):
    def read(self, size: int, /) -> bytes: ...


class SizedBody:
    """A body of known length, read once as it arrives and sent on with a Content-Length.

    A short body raises `ClientGone`, since ending silently would leave a truncated object. A slow one raises `TooSlow`; only the
    time spent waiting for the sender counts.
    """

    def __init__(self, stream: Readable, length: int, *, clock: Callable[[], float] = time.monotonic) -> None:
        self.stream = stream
        self.len = length
        self.left = length
        self._clock = clock
        self._waited = 0.0

    def __len__(self) -> int:
        return self.len

    def __iter__(self) -> Iterator[bytes]:
        return iter(lambda: self.read(BLOCK), b"")

    def read(self, size: int | None = -1) -> bytes:
        wanted = self.left if size is None or size < 0 else min(size, self.left)
        if wanted == 0:
            return b""
        started = self._clock()
        try:
            data = self.stream.read(wanted)
        except OSError as error:
            # Django wraps the socket's error in one of its own.
            if isinstance(error, TimeoutError) or isinstance(error.__cause__, TimeoutError):
                raise TooSlow("The upload stood still for too long.") from error
            raise ClientGone("The upload was cut off before its end.") from error
        self._waited += self._clock() - started
        if not data:
            raise ClientGone("The upload was cut off before its end.")
        self.left -= len(data)
        if self._waited > GRACE_SECONDS and (self.len - self.left) < FLOOR_BYTES_PER_SECOND * self._waited:
            raise TooSlow("The upload is slower than 16 KB a second.")
        return data


def sized_body(request: HttpRequest, *, most: int | None = None) -> SizedBody:
    """Return the raw body. Raises `LengthMissing` (411), or `BodyTooLarge` (413) above `most` bytes."""
    length = announced_length(request)
    if length is None:
        raise LengthMissing("The upload has no Content-Length.")
    if most is not None and length > most:
        raise BodyTooLarge(f"The upload has {length:,} bytes; at most {most:,} are accepted.")
    socket = request.META.get("gunicorn.socket")
    if socket is not None:
        socket.settimeout(GRACE_SECONDS)
    return SizedBody(_arriving_body(request.META.get("wsgi.input")) or request, length)


class _ArrivingBody:
    """A body whose `read(n)` returns one receive of at most n bytes; b"" when the client is gone.

    Gunicorn's reader returns from `read(1 MiB)` only when the block is complete. That copies every byte three times (40 percent
    of an upload's CPU time), and a client that sends a byte per second never triggers a timeout.

    It relies on gunicorn's documented parts: `Unreader.read(None, read_ahead=n)` is one receive, `unread` returns what belongs to
    the next request, `failed` prevents reuse of the connection.
    """

    def __init__(self, body: Body, reader: LengthReader) -> None:
        self._body = body
        self._reader = reader

    def read(self, size: int, /) -> bytes:
        wanted = min(size, self._reader.length)
        if wanted <= 0:
            return b""
        try:
            piece: bytes = self._reader.unreader.read(None, read_ahead=wanted)
        except OSError:
            self._body.failed = True
            raise
        if len(piece) > wanted:
            self._reader.unreader.unread(piece[wanted:])
            piece = piece[:wanted]
        self._reader.length -= len(piece)
        return piece


def _arriving_body(source: object) -> _ArrivingBody | None:
    """Wrap an unread `wsgi.input` of known length; None for other servers than gunicorn."""
    if not isinstance(source, Body) or not isinstance(source.reader, LengthReader) or source.buf.tell():
        return None
    return _ArrivingBody(source, source.reader)


def announced_length(request: HttpRequest) -> int | None:
    """Return the Content-Length, or None. Raises `BadBody` for an impossible one."""
    announced = request.META.get("CONTENT_LENGTH") or ""
    length = read_number(announced)
    if length is None and announced.isdecimal():
        raise BadBody("The Content-Length is impossibly large.")
    return length


def read_number(text: str, *, most: int = LARGEST) -> int | None:
    """Parse a whole number from outside; None for anything else, and above `most`."""
    is_number = text.isascii() and text.isdecimal() and len(text) <= len(str(most))
    return int(text) if is_number and int(text) <= most else None


def read_json(text: str | bytes, shape: type[T]) -> T:
    """Decode JSON sent by our scripts. ValueError for another shape, `BadBody` for deep nesting."""
    try:
        return msgspec.json.decode(text, type=shape)
    except RecursionError:
        raise BadBody("The JSON is nested too deeply.") from None


def client_address(request: HttpRequest) -> str:
    """Return the client's address as seen by the outermost of our `TRUSTED_PROXIES` proxies."""
    return outermost(str(request.META.get("REMOTE_ADDR", "")), request.headers.get("X-Forwarded-For", ""))


def outermost(direct: str, forwarded: str) -> str:
    """Return the client address seen by our outermost proxy, from X-Forwarded-For if valid, else that of the connection."""
    trusted: int = settings.TRUSTED_PROXIES
    named = [part.strip() for part in forwarded.split(",") if part.strip()]
    if not trusted or len(named) < trusted:
        return direct
    candidate = named[-trusted]
    try:
        return str(ip_address(candidate))
    except ValueError:
        return direct


def client_of(address: str) -> str:
    """Return what identifies a client: its address, or for IPv6 its /64, since one client controls all of it."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return address
    return str(parsed.ipv4_mapped or (int(parsed) >> 64)) if isinstance(parsed, IPv6Address) else address


def public_address(request: HttpRequest, path: str = "/") -> str:
    """Return the absolute address of a path: below PUBLIC_URL if set, else of this request.

    Build all absolute addresses here, because clients choose the Host header.
    """
    return f"{settings.PUBLIC_URL}{path}" if settings.PUBLIC_URL else request.build_absolute_uri(path)


def message_address(path: str) -> str:
    """Return the absolute address of a path for a message, which has no request; empty if none is known."""
    own: str = settings.PUBLIC_URL or settings.START_URL
    return f"{own}{path}" if own else ""


def path_of(request: HttpRequest) -> str:
    """Return this path for use in a link. Django's `path` leaves "?" unescaped."""
    return escape_uri_path(request.path)
