"""Streams of object bytes."""

import http.client
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from types import TracebackType
from typing import Protocol, Self

from urllib3.exceptions import HTTPError

from dashboard.interfaces import errors
from dashboard.interfaces.operations import Operation
from dashboard.interfaces.transport.watchdog import Watch

BLOCK = 1 << 20

PASSED_ON = frozenset(
    {
        "accept-ranges",
        "cache-control",
        "content-disposition",
        "content-encoding",
        "content-length",
        "content-range",
        "content-type",
        "etag",
        "expires",
        "last-modified",
        "x-robots-tag",
    }
)


class Source(Protocol):
    """urllib3's raw response."""

    def stream(self, amt: int, /, *, decode_content: bool) -> Iterator[bytes]: ...


class ObjectStream:
    """The bytes of an object in blocks of at most 1 MiB; iterate once, then close.

    `status` is 200, 206 (a range) or 304 (no bytes); `headers` has the allow-listed headers by lower-case name; `length` is the
    number of bytes, or None if unknown. Iterating raises Broken when the bytes end early and TimedOut when they arrive slower
    than 1 MiB a minute, not counting the consumer's time. `check` is called before each block is passed on, and may raise.
    """

    def __init__(
        self,
        source: Source,
        *,
        operation: Operation,
        status: int,
        headers: Mapping[str, str],
        watch: Watch,
        close: Callable[[], None],
    ) -> None:
        self.status = status
        self.headers = {name: value for name, value in headers.items() if name in PASSED_ON}
        named = self.headers.get("content-length", "")
        self.length = int(named) if named.isascii() and named.isdecimal() and len(named) < 19 else None
        self._source = source
        self._operation = operation
        self._watch = watch
        self._close = close
        self._closed = False
        self.check: Callable[[], None] = _unchecked
        watch.pause()

    def __iter__(self) -> Iterator[bytes]:
        blocks = self._source.stream(BLOCK, decode_content=False)
        received = 0
        while True:
            block, failure = self._next(blocks)
            if failure is not None:
                self.close()
                raise failure
            if block is None:
                break
            received += len(block)
            self._require()
            yield block
        self.close()
        if self.status != 304 and self.length is not None and received != self.length:
            raise self._failure(errors.Broken, "The {service} service ended the object early.")

    def read_all(self, limit: int) -> bytes:
        """Return all bytes. Raises TooLarge beyond `limit` bytes."""
        parts: list[bytes] = []
        left = limit
        with self:
            for block in self:
                left -= len(block)
                if left < 0:
                    raise self._failure(errors.TooLarge, f"The object is larger than {limit} bytes.")
                parts.append(block)
        return b"".join(parts)

    def close(self) -> None:
        """Release the connection, or close it if bytes are left. Safe to call twice."""
        if not self._closed:
            self._closed = True
            self._watch.close()
            with suppress(OSError, HTTPError, http.client.HTTPException):
                self._close()

    def _require(self) -> None:
        try:
            self.check()
        except BaseException:
            self.close()
            raise

    def _next(self, blocks: Iterator[bytes]) -> tuple[bytes | None, errors.InterfaceError | None]:
        self._watch.resume()
        try:
            block = next(blocks, None)
        except (HTTPError, http.client.HTTPException, OSError, ValueError):
            block = b""
            broken = True
        else:
            broken = self._watch.expired
        self._watch.pause()
        if self._watch.expired:
            return None, self._failure(errors.TimedOut, "The {service} service stopped sending the object.")
        if broken:
            return None, self._failure(errors.Broken, "The {service} service closed the connection in the middle of the object.")
        self._watch.moved(len(block or b""))
        return block, None

    def _failure(self, kind: type[errors.InterfaceError], sentence: str) -> errors.InterfaceError:
        operation, service = self._operation.id, self._operation.service
        return kind(
            sentence.format(service=service, operation=operation), operation=operation, service=service, status=self.status
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def __del__(self) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<ObjectStream {self._operation.id} {self.status} {self.length} bytes>"


def _unchecked() -> None:
    """The default `check`: never stops the stream."""
