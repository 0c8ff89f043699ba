"""Bodies that are streamed, and where a request came from."""

import sys
import time
from collections.abc import Callable, Iterator
from ipaddress import ip_address
from typing import Protocol, TypeVar

import msgspec
from django.conf import settings
from django.http import HttpRequest
from django.utils.encoding import escape_uri_path

from dashboard.web.body_stream import arriving

BLOCK = 1 << 20
GRACE_SECONDS = 5.0
FLOOR_BYTES_PER_SECOND = 16 * 1024
_LONGEST_LENGTH = 30

T = TypeVar("T")


class BadBody(Exception):  # noqa: N818 - the names of its kinds say what happened
    """A body that can't be taken. `status` is the HTTP status to answer with."""

    status = 400


class LengthMissing(BadBody):
    status = 411


class BodyTooLarge(BadBody):
    status = 413


class TooSlow(BadBody):
    """Slower than the floor rate: the thread is needed by others."""

    status = 408


class ClientGone(BadBody):
    """The body ended before its announced length; what was sent on so far must not count."""


class Readable(Protocol):
    def read(self, size: int, /) -> bytes: ...


class SizedBody:
    """A body with a length, read once, handed on as it arrives.

    It has `read(n)` and a length, so that it goes out with a Content-Length. A short body raises `ClientGone` (ended
    quietly it would leave a truncated object behind), a dripping one `TooSlow`: only the time spent waiting for
    the sender counts, not that of the receiver.
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
            # Django wraps what the socket says into an error of its own.
            if isinstance(error, TimeoutError) or isinstance(error.__cause__, TimeoutError):
                raise TooSlow("The upload stood still for too long.") from error
            raise ClientGone("The upload was cut off before its end.") from error
        self._waited += self._clock() - started
        if not data:
            raise ClientGone("The upload was cut off before its end.")
        self.left -= len(data)
        if self._waited > GRACE_SECONDS and (self.len - self.left) < FLOOR_BYTES_PER_SECOND * self._waited:
            raise TooSlow("The upload is slower than 16 KiB a second.")
        return data


def sized_body(request: HttpRequest, *, most: int | None = None) -> SizedBody:
    """The raw body of this request. Raises `LengthMissing` (411) or `BodyTooLarge` (413; `most` in bytes)."""
    length = announced_length(request)
    if length is None:
        raise LengthMissing("An upload has to announce its length.")
    if most is not None and length > most:
        raise BodyTooLarge(f"The upload has {length:,} bytes; at most {most:,} are accepted.")
    socket = request.META.get("gunicorn.socket")
    if socket is not None:
        socket.settimeout(GRACE_SECONDS)
    return SizedBody(arriving(request.META.get("wsgi.input")) or request, length)


def announced_length(request: HttpRequest) -> int | None:
    """Bytes of the body as its header says; None where it says nothing. Raises `BadBody` for more than there can be."""
    announced = request.META.get("CONTENT_LENGTH") or ""
    if not announced.isdecimal():
        return None
    if len(announced) > _LONGEST_LENGTH or int(announced) > sys.maxsize:
        raise BadBody("No body is as long as this request says.")
    return int(announced)


def read_json(text: str | bytes, shape: type[T]) -> T:
    """What a script or a hidden field of ours sent. ValueError for another shape, `BadBody` for what is nested too deep."""
    try:
        return msgspec.json.decode(text, type=shape)
    except RecursionError:
        raise BadBody("Its JSON is nested too deep.") from None


def client_address(request: HttpRequest) -> str:
    """The address of the client, as the nearest proxy that we trust saw it (`TRUSTED_PROXIES` of them stand in front)."""
    direct = str(request.META.get("REMOTE_ADDR", ""))
    trusted: int = settings.TRUSTED_PROXIES
    named = [part.strip() for part in request.headers.get("X-Forwarded-For", "").split(",") if part.strip()]
    if not trusted or len(named) < trusted:
        return direct
    candidate = named[-trusted]
    try:
        return str(ip_address(candidate))
    except ValueError:
        return direct


def public_address(request: HttpRequest, path: str = "/") -> str:
    """The absolute address of a path: below PUBLIC_URL where it is set, otherwise where this request arrived.

    Nothing else makes absolute addresses: a client chooses the Host header.
    """
    return f"{settings.PUBLIC_URL}{path}" if settings.PUBLIC_URL else request.build_absolute_uri(path)


def path_of(request: HttpRequest) -> str:
    """This address without its query, fit for a link: Django's own `path` has a "?" of a name as it is."""
    return escape_uri_path(request.path)
