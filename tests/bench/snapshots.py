"""Taking and restoring snapshots, compared with a bare client that makes the same calls; large objects one by one.

The client that takes hashes what it reads as the format does, the whole and each chunk, and writes it to the same disk; one that
writes nothing is another row. An unchanged bucket is compared with listing all its folders, eight calls side by side.
"""

import os
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from hashlib import sha256
from itertools import islice
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from dashboard.interfaces import StorageInterface
from dashboard.snapshots.store import CHUNK_MAX_BYTES
from dashboard.web.text import bytes_text, counted
from tests.bench.jobs import BUCKET, CONNECTIONS, Place, place
from tests.bench.processes import cost, forget_peaks, peak_mebibytes
from tests.bench.table import say, show
from tests.sandbox.storage.many import seed

SMALL, SMALL_BYTES = 2000, 16 << 10
LARGE, LARGE_BYTES = 2, 512 << 20
UNCHANGED = 20_000
BLOCK = os.urandom(1 << 20)

Times = list[tuple[float, float]]


def run(*, rounds: int) -> None:
    with place() as here:
        rows = [
            *_compared(here, "small", SMALL, SMALL_BYTES, connections=CONNECTIONS, rounds=rounds),
            *_compared(here, "large", LARGE, LARGE_BYTES, connections=1, rounds=rounds),
        ]
        show(
            f"Snapshots, medians of {rounds} alternating rounds",
            ["work", "bare s", "job s", "job objects/s", "job MiB/s", "of bare"],
            rows,
        )
        _unchanged(here, rounds)


def _unchanged(here: Place, rounds: int) -> None:
    seed(here.data, here.space, BUCKET, UNCHANGED)
    worker = [here.started.part("launch.prepare")]
    forget_peaks(worker)
    peak, first = peak_mebibytes(worker), here.work("snapshot")["rest"]
    rows = []
    for _ in range(rounds):
        walk, before = _walk(here.storage), cost(worker)
        again = here.work("snapshot")["rest"]
        rows.append([f"{walk:.2f}", f"{again:.2f}", f"{again / walk:.2f}", f"{(cost(worker) - before).cpu:.2f}"])
    show(f"{UNCHANGED:,} objects again, unchanged", ["walk s", "job s", "of the walk", "worker's CPU s"], rows)
    say(f"taken at first in {first:.1f} s; the worker grew by {peak_mebibytes(worker) - peak:.0f} MiB")


def _compared(here: Place, folder: str, count: int, size: int, *, connections: int, rounds: int) -> list[list[str]]:
    """Take and restore objects. In each round their bytes are new, so that nothing is kept yet."""
    keys = [f"{folder}/{number:05}" for number in range(count)]
    times: dict[str, Times] = {"take": [], "take (bare writes nothing)": [], "restore": []}
    taking, hashing, restoring = times.values()
    for number in range(rounds):
        _written(here, keys, size, connections, salt=f"round {number}")
        hashed = _parallel(keys, lambda key: _read(here.storage, key), connections)
        with TemporaryDirectory(dir=here.data) as store:
            bare = _parallel(keys, partial(_read, here.storage, into=Path(store)), connections)
        job = here.work("snapshot")["rest"]
        taking.append((bare, job))
        hashing.append((hashed, job))
        _delete(here.storage, keys)
        bare = _written(here, keys, size, connections, salt="bare")
        _delete(here.storage, keys)
        restoring.append((bare, here.work("restore")["rest"]))
        _delete(here.storage, keys)
        say(f"{folder}, round {number + 1}: { ({what: found[-1] for what, found in times.items()}) }")
    name = f"{count:,} of {bytes_text(size)}, {counted(connections, 'connection')}"
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


def _parallel(keys: Iterable[str], call: Callable[[str], object], connections: int) -> float:
    begun = time.monotonic()
    with ThreadPoolExecutor(connections) as threads:
        list(threads.map(call, keys))
    return time.monotonic() - begun


def _read(storage: StorageInterface, key: str, *, into: Path | None = None) -> None:
    """S18, of which the whole and each chunk are hashed and, with a folder, written; and S19."""
    whole, number = sha256(), 0
    with storage.objects.read(BUCKET, key) as stream:
        blocks = iter(stream)
        while some := list(islice(blocks, CHUNK_MAX_BYTES // len(BLOCK))):
            chunk = sha256()
            for block in some:
                whole.update(block)
                chunk.update(block)
            if into:
                (into / f"{chunk.hexdigest()}-{number}").write_bytes(b"".join(some))
            number += 1
    storage.objects.info(BUCKET, key)


def _walk(storage: StorageInterface) -> float:
    """S13, level by level."""
    begun, folders = time.monotonic(), [""]

    def inner(folder: str) -> list[str]:
        found: list[str] = []
        offset = 0
        while rows := storage.objects.all(BUCKET, prefix=folder, limit=1000, offset=offset):
            found += [f"{folder}{row.name}/" for row in rows if row.is_folder]
            offset += len(rows)
            if len(rows) < 1000:
                break
        return found

    with ThreadPoolExecutor(CONNECTIONS) as threads:
        while folders:
            folders = [path for paths in threads.map(inner, folders) for path in paths]
    return time.monotonic() - begun


def _written(here: Place, keys: Sequence[str], size: int, connections: int, *, salt: str) -> float:
    """S9."""

    def write(key: str) -> None:
        body = _Bytes(size, f"{salt} {key}")
        here.storage.objects.upload(BUCKET, key, body, content_type="application/octet-stream")

    return _parallel(keys, write, connections)


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
