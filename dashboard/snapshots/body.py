"""The bytes of an object in a snapshot, as the body of an upload."""

from hashlib import md5

from dashboard.snapshots.export import content
from dashboard.snapshots.manifest import Entry
from dashboard.snapshots.store import Store


class Body:
    """Read once, with checked chunks: a damaged one raises `Damaged`, and the upload is cut off. `md5` of what was read."""

    def __init__(self, store: Store, entry: Entry) -> None:
        self._blocks = content(store, entry)
        self._length = entry.size or 0
        self._rest = memoryview(b"")
        self._digest = md5(usedforsecurity=False)

    def __len__(self) -> int:
        return self._length

    def read(self, size: int = -1, /) -> bytes:
        if not self._rest:
            self._rest = memoryview(next(self._blocks, b""))
        taken = bytes(self._rest if size < 0 else self._rest[:size])
        self._rest = self._rest[len(taken) :]
        self._digest.update(taken)
        return taken

    def md5(self) -> str:
        return self._digest.hexdigest()
