"""Thumbnails of pictures and of the first pages of PDFs, decoded by `picture_process`."""

import subprocess
import sys
import weakref
from collections import OrderedDict
from collections.abc import Callable, Hashable
from contextlib import suppress
from pathlib import Path
from queue import Empty, LifoQueue
from struct import pack, unpack
from threading import Lock

from dashboard.web.transfers import Busy

PROGRAM = Path(__file__).with_name("picture_process.py")
KINDS = {"image/jpeg": 0, "image/png": 0, "image/webp": 0, "image/gif": 0, "application/pdf": 1}
# Larger files get no thumbnail: they would be read into memory.
MOST_SOURCE_BYTES = 20 * 1024 * 1024
# Each holds one file in memory.
DECODERS = 2
PATIENCE_SECONDS = 15.0
CACHE_BYTES = 16 * 1024 * 1024


class Decoder:
    """One process. It ends with ours, because its standard input ends then."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    def make(self, data: bytes, kind: int) -> bytes:
        """Return a WebP picture, or b"" for a file that can't be shown. A process that died is replaced once."""
        for _ in range(2):
            process = self._running()
            try:
                process.stdin.write(pack("!IB", len(data), kind) + data)  # type: ignore[union-attr] # it is a pipe
                process.stdin.flush()  # type: ignore[union-attr] # as above
                head = process.stdout.read(4)  # type: ignore[union-attr] # as above
                if len(head) == 4:
                    return process.stdout.read(unpack("!I", head)[0])  # type: ignore[union-attr] # as above
            except OSError:
                pass
            self.close()
        return b""

    def close(self) -> None:
        if self._process:
            _end(self._process)
            self._process = None

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None or self._process.poll() is not None:
            # Isolated: no variable of the environment and no module of ours.
            command = [sys.executable, "-I", str(PROGRAM)]
            self._process = subprocess.Popen(  # noqa: S603 - our own program
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env={}
            )
            weakref.finalize(self, _end, self._process)
        return self._process


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    with suppress(OSError, ValueError):
        process.communicate()


class Thumbnails:
    """The latest thumbnails, at most `CACHE_BYTES` per process. What can't be shown is remembered, too."""

    def __init__(self) -> None:
        self._found: OrderedDict[Hashable, bytes] = OrderedDict()
        self._bytes = 0
        self._lock = Lock()
        self._decoders: LifoQueue[Decoder] = LifoQueue()
        for _ in range(DECODERS):
            self._decoders.put(Decoder())

    def get(self, name: Hashable, kind: int, read: Callable[[], bytes | None]) -> bytes:
        """Return the picture of this name, made from what `read` returns. Raises `Busy`."""
        with self._lock:
            if name in self._found:
                self._found.move_to_end(name)
                return self._found[name]
        try:
            decoder = self._decoders.get(timeout=PATIENCE_SECONDS)
        except Empty:
            raise Busy from None
        try:
            data = read()
            made = decoder.make(data, kind) if data else b""
        finally:
            self._decoders.put(decoder)
        self._keep(name, made)
        return made

    def _keep(self, name: Hashable, made: bytes) -> None:
        with self._lock:
            self._bytes += len(made) - len(self._found.pop(name, b""))
            self._found[name] = made
            while self._bytes > CACHE_BYTES or len(self._found) > CACHE_BYTES // 1024:
                self._bytes -= len(self._found.popitem(last=False)[1])
