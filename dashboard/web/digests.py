"""The MD5 of a body, worked out beside its transfer."""

import hashlib
import io
import threading
from queue import SimpleQueue
from typing import Protocol

# A body of one block is hashed on its way: a millisecond or two.
SMALL_BYTES = 1 << 20
# So much may wait for the hash; a transfer that is faster goes on without one.
BEHIND_BYTES = 4 << 20


class Readable(Protocol):
    def read(self, size: int = -1, /) -> bytes: ...
    def __len__(self) -> int: ...


class DigestedBody:
    """A body that is read once and hashed by a thread of its own.

    A transfer is never slowed down: MD5 is slower than a fast network, so a body that leaves the hash 4 MiB behind has none.
    """

    def __init__(self, body: bytes | Readable) -> None:
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
        """Return the digest in hex; "" where the body did not pass as a whole or the hash could not keep up."""
        self.close()
        return "" if self._left or self._gave_up else self._hash.hexdigest()

    def close(self) -> None:
        """Let the thread end; what waits is hashed first."""
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
