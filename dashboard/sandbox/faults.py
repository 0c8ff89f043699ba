"""Simulated failures, set by `POST /_faults` and kept in memory only.

A fault is an object: `operation` (an id of `urls`, or "*" for all), one or several of
    status       429 (with `retry_after` seconds, default 2) or any 4xx/5xx, in the interface's form
    message      the message of that status, instead of the usual one
    delay        seconds to wait before anything else
    cut          close the connection: "before" (nothing is done), "after" (done, no answer), "mid" (after half of the body)
    late         true: no answer; the request is carried out when the fault is cleared, or after `LATEST` seconds
    html         true: the HTML page of a proxy with status 502 (or `status`) instead of JSON
    plain        true: the plain text of a proxy that gave up ("upstream request timeout") with status 504 (or `status`)
    empty        true: no body, with `status` or 200
    stay         true: the answer reports success, but a new project stays COMING_UP (M2), a hostname keeps its state (M18),
                 restrictions stay `stored` (M25), a bucket keeps its objects (S3, S8), a function its flags (M9, M12), and
                 a project its root key (M21)
    spoil        true: the answer reports success, but a copy (S12) holds as many zero bytes, a deletion (S8) passes over every
                 object, as with a token that may delete none, and a list by name from Z to A (S13) leaves out folders that come
                 after an object, as services of 2026 do
and `rate` (0 to 1, default 1: always), `times` (how often; default: until cleared), `skip` (how many calls succeed first) and
`every` (then every nth call fails).
"""

import io
import random
import socket
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Condition, Lock
from typing import Annotated, Literal, cast

import msgspec
from django.http import HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse

from dashboard.sandbox import generations
from dashboard.sandbox.answers import answer

LATEST = 120.0
LARGEST_LATE = 1 << 20
# The ids of the operations that are served; `dispatch` fills it.
known: set[str] = set()
PAGE = "<html>\r\n<head><title>{0} Bad Gateway</title></head>\r\n<body><h1>{0} Bad Gateway</h1></body>\r\n</html>\r\n"


class Fault(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """One fault; `times` counts down, None means until cleared."""

    operation: str
    status: Annotated[int, msgspec.Meta(ge=400, le=599)] | None = None
    message: str = ""
    retry_after: Annotated[float, msgspec.Meta(ge=0)] = 2
    delay: Annotated[float, msgspec.Meta(ge=0, le=600)] = 0
    cut: Literal["", "before", "after", "mid"] = ""
    late: bool = False
    html: bool = False
    plain: bool = False
    empty: bool = False
    stay: bool = False
    spoil: bool = False
    rate: Annotated[float, msgspec.Meta(ge=0, le=1)] = 1
    times: Annotated[int, msgspec.Meta(ge=1)] | None = None
    skip: Annotated[int, msgspec.Meta(ge=0)] = 0
    every: Annotated[int, msgspec.Meta(ge=1)] = 1

    def __post_init__(self) -> None:
        if self.operation not in known | {"*"}:
            raise ValueError(f"There is no operation {self.operation!r}.")

    def instead(self, request: HttpRequest) -> HttpResponseBase | None:
        """Return the answer that replaces the view's, or None to call the view."""
        if self.delay:
            time.sleep(self.delay)
        if self.cut == "before":
            return hang_up(request)
        if self.html:
            return HttpResponse(PAGE.format(self.status or 502), status=self.status or 502, content_type="text/html")
        if self.plain:
            return HttpResponse("upstream request timeout", status=self.status or 504, content_type="text/plain")
        if self.empty:
            return HttpResponse(status=self.status or 200)
        return self._refusal(request) if self.status else None

    def after(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        """Change the view's answer."""
        if self.cut == "after":
            response.close()
            return hang_up(request)
        return half(request, response) if self.cut == "mid" else response

    def _refusal(self, request: HttpRequest) -> HttpResponse:
        status = cast("int", self.status)
        usual = (
            "ThrottlerException: Too Many Requests" if status == 429 else "Internal server error" if status >= 500 else "Refused"
        )
        message = self.message or usual
        body: dict[str, object] = {"message": message}
        if "/storage/v1/" in request.path:
            message = self.message or ("Too many connections issued to the database" if status == 429 else usual)
            body = {
                "statusCode": str(status),
                "error": message,
                "message": message,
                "code": "SlowDown" if status == 429 else "InternalError",
            }
        response = answer(generations.refusal(body) if "statusCode" in body else body, status)
        if status in {429, 503}:
            response["Retry-After"] = f"{self.retry_after:g}"
        return response


_lock = Lock()
_faults: dict[str, Fault] = {}
_seen: Counter[str] = Counter()
_late = Condition()
_late_requests: Counter[str] = Counter()


def set_one(fault: Fault) -> None:
    with _lock:
        _faults[fault.operation] = fault
        _seen.clear()


def clear(operation: str = "") -> None:
    with _lock:
        if operation:
            _faults.pop(operation, None)
        else:
            _faults.clear()
    with _late:
        _late_requests["cleared"] += 1
        _late.notify_all()
        _late.wait_for(lambda: not _late_requests["waiting"], LATEST)


def listed() -> list[dict[str, object]]:
    with _lock:
        return [msgspec.to_builtins(fault) for fault in _faults.values()]


def stays(operation: str) -> bool:
    """Return whether changes started by this operation stay pending."""
    return any(fault.stay for fault in _set_for(operation))


def spoils(operation: str) -> bool:
    """Return whether this operation does less than it reports."""
    return any(fault.spoil for fault in _set_for(operation))


def _set_for(operation: str) -> list[Fault]:
    with _lock:
        return [fault for fault in (_faults.get(operation), _faults.get("*")) if fault]


def roll(operation: str) -> Fault | None:
    """Return the fault for this call, if any, and count `times` down."""
    with _lock:
        fault = _faults.get(operation) or (None if operation.startswith("_") else _faults.get("*"))
        if fault is None or random.random() >= fault.rate:  # noqa: S311 - no secret
            return None
        if fault.skip:
            fault.skip -= 1
            return None
        _seen[operation] += 1
        if _seen[operation] % fault.every:
            return None
        if fault.times is not None:
            fault.times -= 1
            if fault.times <= 0:
                del _faults[fault.operation]
        return fault


@contextmanager
def late(request: HttpRequest) -> Iterator[None]:
    """Close the connection, and run the block once faults are cleared, before clearing returns."""
    # Read the whole body before closing the connection.
    request.META["wsgi.input"] = io.BytesIO(request.META["wsgi.input"].read(LARGEST_LATE))
    with _late:
        # Set it before closing the connection, since the client may clear the fault at once.
        _late_requests["waiting"] += 1
        before = _late_requests["cleared"]
    hang_up(request)
    with _late:
        _late.wait_for(lambda: _late_requests["cleared"] > before, LATEST)
    try:
        yield
    finally:
        with _late:
            _late_requests["waiting"] -= 1
            _late.notify_all()


def hang_up(request: HttpRequest) -> HttpResponse:
    """Close the connection without an answer."""
    connection = request.META.get("gunicorn.socket")
    if isinstance(connection, socket.socket):
        with suppress(OSError):
            connection.shutdown(socket.SHUT_RDWR)
    return HttpResponse(status=500)


def half(request: HttpRequest, response: HttpResponseBase) -> StreamingHttpResponse:
    """Send the headers and half of the announced bytes, then close the connection."""
    if isinstance(response, StreamingHttpResponse):
        chunks, size = iter(cast("Iterator[bytes]", response.streaming_content)), int(response.get("Content-Length", "2"))
    else:
        body = cast("HttpResponse", response).content
        chunks, size = iter([body]), len(body)

    def cut() -> Iterator[bytes]:
        left = max(1, size // 2)
        for chunk in chunks:
            yield chunk[:left]
            left -= len(chunk)
            if left <= 0:
                break
        response.close()
        hang_up(request)

    headers = dict(response.headers) | {"Content-Length": str(size)}
    return StreamingHttpResponse(cut(), status=response.status_code, headers=headers)
