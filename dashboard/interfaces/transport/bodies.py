"""Request bodies: hidden from tracebacks, and streamed with a known length."""

import io
from collections.abc import Iterator
from typing import Protocol

from dashboard.interfaces.transport.watchdog import Watch

BLOCK = 1 << 20
_HASHED_A_SECOND = 32 * BLOCK


class SizedReader(Protocol):
    """A body of known length that is read while it is sent."""

    def read(self, size: int = -1, /) -> bytes: ...
    def __len__(self) -> int: ...


class ReaderFailed(Exception):  # noqa: N818 - carries another exception past libraries that would wrap it
    """The body's reader raised `original`."""

    def __init__(self, original: Exception) -> None:
        super().__init__()
        self.original = original


class Payload:
    """A JSON or bundle body; its repr shows only the size, as it may contain secrets."""

    __slots__ = ("content_type", "data")

    def __init__(self, data: bytes, content_type: str) -> None:
        self.data = data
        self.content_type = content_type

    def __repr__(self) -> str:
        return f"Payload({len(self.data)} bytes, {self.content_type})"


class Upload:
    """A streamed body with a Content-Length. Pauses the deadline while its reader is slow.

    It never reads beyond the length. A reader that ends early raises an error, so that no truncated object is stored.
    """

    def __init__(self, body: bytes | SizedReader, watch: Watch) -> None:
        self.size = len(body)
        self._left = self.size
        self._reader = io.BytesIO(body) if isinstance(body, bytes) else body
        self._watch = watch

    def read(self, size: int = -1) -> bytes:
        if not self._left:
            return b""
        wanted = self._left if size is None or size < 0 else min(size, self._left)
        self._watch.pause()
        block = self._read(wanted)
        self._left -= len(block)
        self._watch.resume()
        self._watch.moved(len(block))
        if not self._left:
            # not shown: how long storing takes after the last byte. The service hashes and copies, so allow time by size.
            self._watch.renew(extra=self.size / _HASHED_A_SECOND)
        return block

    def _read(self, wanted: int) -> bytes:
        try:
            block = self._reader.read(wanted)
        except Exception as error:  # noqa: BLE001 - passed to the caller unchanged
            raise ReaderFailed(error) from None
        if not block or len(block) > wanted:
            raise ReaderFailed(EOFError(f"The body ended {self._left} bytes before its announced length of {self.size}."))
        return block

    def __len__(self) -> int:
        return self.size

    def __iter__(self) -> Iterator[bytes]:
        return iter(lambda: self.read(BLOCK), b"")
