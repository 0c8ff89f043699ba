"""MD5 of a body, computed during its transfer."""

import hashlib
import io
import threading
from queue import SimpleQueue

from dashboard.interfaces.transport.bodies import SizedReader

# A body of one block is hashed in the same thread, since it takes only a millisecond or two.
SMALL_BYTES = 1 << 20
# Hashing is given up if it falls this far behind.
BEHIND_BYTES = 4 << 20


class DigestedBody:
    """A body that is read once and hashed in a separate thread, and knows its MD5 afterwards.

    MD5 is slower than a fast network. Hashing is given up when it falls 4 MiB behind, so it never slows down a transfer.
    """

    def __init__(self, body: bytes | SizedReader) -> None:
        self._body = io.BytesIO(body) if isinstance(body, bytes) else body
        self._size = len(body)
        self._left = len(body)
        self._hash = hashlib.md5(usedforsecurity=False)
        self._blocks: SimpleQueue[bytes] = SimpleQueue()
        self._behind = 0
        self._lock = threading.Lock()
        self._gave_up = False
        self._thread: threading.Thread | None = None

    def __len__(self) -> int:
        return self._size

    def read(self, size: int = -1, /) -> bytes:
        block = self._body.read(size)
        self._left -= len(block)
        if not self._gave_up:
            self._take(block)
        return block

    def md5(self) -> str:
        """Return the digest in hex; "" if the body is incomplete or hashing was given up."""
        self.close()
        return "" if self._left or self._gave_up else self._hash.hexdigest()

    def close(self) -> None:
        """Finish hashing and stop the thread."""
        if self._thread:
            self._blocks.put(b"")
            self._thread.join()
            self._thread = None

    def _take(self, block: bytes) -> None:
        if self._size <= SMALL_BYTES:
            self._hash.update(block)
            return
        with self._lock:
            self._behind += len(block)
            self._gave_up = self._behind > BEHIND_BYTES
        if self._gave_up:
            return
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name="digest", daemon=True)
            self._thread.start()
        self._blocks.put(block)

    def _work(self) -> None:
        while block := self._blocks.get():
            if not self._gave_up:
                self._hash.update(block)
            with self._lock:
                self._behind -= len(block)
