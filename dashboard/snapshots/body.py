"""The bytes of an object in a snapshot, as the body of an upload."""

from concurrent.futures import Future

from dashboard.snapshots.export import content
from dashboard.snapshots.manifest import Entry
from dashboard.snapshots.store import Store
from dashboard.web.files.digests import DigestedBody
from dashboard.web.process.parallel import later


class Body:
    """Read once, with checked chunks: a damaged one raises `Damaged`, and the upload is cut off.

    A chunk is read from the store and checked while the one before is sent.
    """

    def __init__(self, store: Store, entry: Entry) -> None:
        self._blocks = content(store, entry)
        self._length = entry.size or 0
        self._rest = memoryview(b"")
        self._ahead: Future[bytes] | None = None

    def __len__(self) -> int:
        return self._length

    def read(self, size: int = -1, /) -> bytes:
        if not self._rest:
            block = self._ahead.result() if self._ahead else self._next()
            self._ahead = later(self._next) if block else None
            self._rest = memoryview(block)
        taken = bytes(self._rest if size < 0 else self._rest[:size])
        self._rest = self._rest[len(taken) :]
        return taken

    def _next(self) -> bytes:
        return next(self._blocks, b"")


def digested(store: Store, entry: Entry) -> DigestedBody:
    """Return a body that knows the MD5 of what was read, by which the upload is settled."""
    return DigestedBody(Body(store, entry))
