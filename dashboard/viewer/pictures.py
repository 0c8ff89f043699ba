"""Thumbnails, pages of PDFs, and texts with their markup, rendered by `process`."""

import subprocess
import sys
import weakref
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from queue import Empty, LifoQueue
from struct import error as StructError  # noqa: N812 - it is an exception
from threading import BoundedSemaphore, Lock

from django.conf import settings

from dashboard.viewer.protocol import HEAD, LENGTH, Task, parts_of
from dashboard.web.limits.slots import Full, slots
from dashboard.web.limits.transfers import Busy

# Isolated: reads no environment variables and imports only Python's modules, installed packages and ours.
PROGRAM = "import sys; sys.path.append(sys.argv[1]); from dashboard.viewer.process import serve; serve()"
ROOT = str(Path(__file__).resolve().parents[2])
KINDS = {
    "image/jpeg": Task.PICTURE,
    "image/png": Task.PICTURE,
    "image/webp": Task.PICTURE,
    "image/gif": Task.PICTURE,
    "application/pdf": Task.FIRST_PAGE,
}
# Larger files get no picture, as they would be read into memory.
MOST_SOURCE_BYTES = 20_000_000
# Each one holds a file in memory.
RENDERERS = 2
PATIENCE_SECONDS = 15.0
CACHE_BYTES = 24 * 1024 * 1024


class Renderer:
    """One rendering process. It ends with ours, because its standard input closes then."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    def make(self, data: bytes, task: Task, option: str = "") -> list[bytes]:
        """Return the parts that could be rendered; empty if none could. A process that died is replaced once."""
        said = option.encode()[:255]
        for _ in range(2):
            process = self._running()
            try:
                process.stdin.write(HEAD.pack(len(data), task, len(said)) + said)  # type: ignore[union-attr] # it is a pipe
                process.stdin.write(data)  # type: ignore[union-attr] # as above
                process.stdin.flush()  # type: ignore[union-attr] # as above
                (length,) = LENGTH.unpack(process.stdout.read(LENGTH.size))  # type: ignore[union-attr] # as above
                return parts_of(process.stdout.read(length))  # type: ignore[union-attr] # as above
            except (OSError, StructError):
                self.close()
        return []

    def close(self) -> None:
        if self._process:
            _end(self._process)
            self._process = None

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None or self._process.poll() is not None:
            command = [sys.executable, "-I", "-c", PROGRAM, ROOT]
            self._process = subprocess.Popen(  # noqa: S603 - our own program
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env={}
            )
            weakref.finalize(self, _end, self._process)
        return self._process


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    with suppress(OSError, ValueError):
        process.communicate()


class Renderings:
    """A cache of the latest renderings, at most `CACHE_BYTES` per process. Remembers failures, too.

    Visitors of links leave one renderer to members, and wait in at most half of the threads.
    """

    def __init__(self) -> None:
        self._found: OrderedDict[Hashable, list[bytes]] = OrderedDict()
        self._bytes = 0
        self._lock = Lock()
        self._making: dict[Hashable, Lock] = {}
        self._visited = BoundedSemaphore(max(1, RENDERERS - 1))
        self._renderers: LifoQueue[Renderer] = LifoQueue()
        for _ in range(RENDERERS):
            self._renderers.put(Renderer())

    def get(self, name: Hashable, task: Task, read: Callable[[], bytes | None], *, is_visitor: bool = False) -> bytes:
        """Return the thumbnail with this name, rendered from what `read` returns; b"" if there is none. Raises `Busy`."""
        return next(iter(self.parts(name, task, read, is_visitor=is_visitor)), b"")

    def parts(
        self, name: Hashable, task: Task, read: Callable[[], bytes | None], option: str = "", *, is_visitor: bool = False
    ) -> list[bytes]:
        """Return all parts. Of simultaneous callers with the same name, one renders and the others wait. Raises `Busy`."""
        if (found := self._kept(name)) is not None:
            return found
        with self._slots(is_visitor=is_visitor):
            return self._made_once(name, task, read, option, is_visitor=is_visitor)

    def render(self, task: Task, read: Callable[[], bytes | None], option: str = "", *, is_visitor: bool = False) -> list[bytes]:
        """Render without the cache. Raises `Busy`."""
        with self._slots(is_visitor=is_visitor):
            return self._rendered(task, read, option, is_visitor=is_visitor)

    @contextmanager
    def _slots(self, *, is_visitor: bool) -> Iterator[None]:
        """Limit how many visitors may wait at once. Raises `Busy`."""
        try:
            with slots().hold({"pictures of visitors": settings.WEB_THREADS // 2} if is_visitor else {}, object()):
                yield
        except Full:
            raise Busy from None

    def _made_once(
        self, name: Hashable, task: Task, read: Callable[[], bytes | None], option: str, *, is_visitor: bool
    ) -> list[bytes]:
        # Members must not wait for a rendering that a visitor queued.
        making = (name, is_visitor)
        with self._lock:
            turn = self._making.setdefault(making, Lock())
        if not turn.acquire(timeout=PATIENCE_SECONDS):
            raise Busy
        try:
            if (found := self._kept(name)) is not None:
                return found
            made = self._rendered(task, read, option, is_visitor=is_visitor)
            self._keep(name, made)
            return made
        finally:
            with self._lock:
                self._making.pop(making, None)
            turn.release()

    def _rendered(self, task: Task, read: Callable[[], bytes | None], option: str, *, is_visitor: bool) -> list[bytes]:
        if is_visitor and not self._visited.acquire(timeout=PATIENCE_SECONDS):
            raise Busy
        try:
            renderer = self._renderers.get(timeout=PATIENCE_SECONDS)
        except Empty:
            raise Busy from None
        else:
            try:
                data = read()
                return renderer.make(data, task, option) if data else []
            finally:
                self._renderers.put(renderer)
        finally:
            if is_visitor:
                self._visited.release()

    def _kept(self, name: Hashable) -> list[bytes] | None:
        with self._lock:
            if name in self._found:
                self._found.move_to_end(name)
            return self._found.get(name)

    def _keep(self, name: Hashable, made: list[bytes]) -> None:
        with self._lock:
            self._bytes += sum(map(len, made)) - sum(map(len, self._found.pop(name, [])))
            self._found[name] = made
            while self._bytes > CACHE_BYTES or len(self._found) > CACHE_BYTES // 1024:
                self._bytes -= sum(map(len, self._found.popitem(last=False)[1]))


# Processes start when they are first used.
renderings = Renderings()
