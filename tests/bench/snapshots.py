"""Taking and restoring snapshots, compared with a bare client with as many connections that makes the same calls."""

import os
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from statistics import median

from dashboard.interfaces import StorageInterface
from dashboard.web.text import bytes_text
from tests.bench.jobs import BUCKET, CONNECTIONS, Place, place
from tests.bench.table import say, show

SMALL, SMALL_BYTES = 2000, 16 << 10
LARGE, LARGE_BYTES = 2, 256 << 20
BLOCK = os.urandom(1 << 20)

Times = list[tuple[float, float]]


def run(*, rounds: int) -> None:
    with place() as here:
        rows = [
            *_compared(here, "small", SMALL, SMALL_BYTES, rounds),
            *_compared(here, "large", LARGE, LARGE_BYTES, rounds),
        ]
        show(
            f"Snapshots, {CONNECTIONS} connections, medians of {rounds} alternating rounds",
            ["work", "bare s", "job s", "job objects/s", "job MiB/s", "of bare"],
            rows,
        )


def _compared(here: Place, folder: str, count: int, size: int, rounds: int) -> list[list[str]]:
    """Take, take again unchanged, and restore objects. In each round their bytes are new, so that nothing is kept yet."""
    keys = [f"{folder}/{number:05}" for number in range(count)]
    taking, again, restoring = Times(), Times(), Times()
    for number in range(rounds):
        _written(here, keys, size, salt=f"round {number}")
        bare = _parallel(keys, lambda key: _read(here.storage, key))
        taking.append((bare, here.work("snapshot")["rest"]))
        again.append((_walk(here.storage), here.work("snapshot")["rest"]))
        _delete(here.storage, keys)
        bare = _written(here, keys, size, salt="bare")
        _delete(here.storage, keys)
        restoring.append((bare, here.work("restore")["rest"]))
        _delete(here.storage, keys)
        say(f"{folder}, round {number + 1}: taken {taking[-1]}, again {again[-1]}, restored {restoring[-1]}")
    name = f"{count:,} of {bytes_text(size)}"
    times = {"take": taking, "take again (bare: the walk)": again, "restore": restoring}
    return [_row(f"{name}: {what}", count, size, found) for what, found in times.items()]


def _row(name: str, count: int, size: int, found: Times) -> list[str]:
    seconds = median(ours for _, ours in found)
    return [
        name,
        f"{median(bare for bare, _ in found):.2f}",
        f"{seconds:.2f}",
        f"{count / seconds:.0f}",
        f"{count * size / (1 << 20) / seconds:.0f}",
        f"{median(bare / ours for bare, ours in found):.2f}",
    ]


def _parallel(keys: Iterable[str], call: Callable[[str], object]) -> float:
    begun = time.monotonic()
    with ThreadPoolExecutor(CONNECTIONS) as threads:
        list(threads.map(call, keys))
    return time.monotonic() - begun


def _read(storage: StorageInterface, key: str) -> None:
    """S18, hashed, and S19."""
    whole = sha256()
    with storage.objects.read(BUCKET, key) as stream:
        for block in stream:
            whole.update(block)
    storage.objects.info(BUCKET, key)


def _walk(storage: StorageInterface) -> float:
    begun, waiting = time.monotonic(), [""]
    while waiting:
        folder, offset = waiting.pop(), 0
        while rows := storage.objects.all(BUCKET, prefix=folder, limit=1000, offset=offset):
            waiting += [f"{folder}{row.name}/" for row in rows if row.is_folder]
            offset += len(rows)
    return time.monotonic() - begun


def _written(here: Place, keys: Sequence[str], size: int, *, salt: str) -> float:
    """S9."""
    kind = "application/octet-stream"
    return _parallel(keys, lambda key: here.storage.objects.upload(BUCKET, key, _Bytes(size, f"{salt} {key}"), content_type=kind))


def _delete(storage: StorageInterface, keys: Sequence[str]) -> None:
    for at in range(0, len(keys), 1000):
        storage.objects.delete_many(BUCKET, keys[at : at + 1000])


class _Bytes:
    """Bytes that begin with a text of their own, made as they are read."""

    def __init__(self, size: int, salt: str) -> None:
        self._length = self._left = size
        self._salt = salt.encode()
        self._block = (self._salt + BLOCK)[: 1 << 20]

    def __len__(self) -> int:
        return self._length

    def read(self, size: int = -1, /) -> bytes:
        taken = self._block[: min(self._left, len(self._block) if size < 0 else size)]
        self._left -= len(taken)
        return taken
