"""Total deadlines. Socket timeouts can't enforce them, as they restart with every byte.

One thread per process shuts down the sockets of expired exchanges. The thread that waits on such a socket gets an error or an
early end, and checks `expired`.
"""

import os
import socket
import threading
import time
from types import TracebackType
from typing import Self

from dashboard.interfaces.operations import MEBIBYTE

TICK = 0.1


class Watch:
    """The deadline of one exchange: `arm` starts it, `pause` and `resume` stop the clock, `close` ends it."""

    def __init__(self) -> None:
        self.expired = False
        self.connected = False
        self.patience = 60.0
        self._due: float | None = None
        self._left = 0.0
        self._grant = 0.0
        self._moved = 0
        self._lock = threading.Lock()
        self._handles: list[socket.socket] = []

    def arm(self, seconds: float) -> None:
        """Start the deadline."""
        self._left = self._grant = self.patience = seconds
        self._due = time.monotonic() + seconds
        _watchdog.add(self)

    def remaining(self) -> float:
        return self._left if self._due is None else self._due - time.monotonic()

    def pause(self) -> None:
        """Stop the clock while we are not waiting for the service."""
        if self._due is not None:
            self._left, self._due = self._due - time.monotonic(), None

    def resume(self) -> None:
        if self._due is None:
            self._due = time.monotonic() + self._left

    def moved(self, size: int) -> None:
        """Count transferred bytes; every MiB renews the deadline."""
        self._moved += size
        if self._moved >= MEBIBYTE:
            self._moved = 0
            self.renew()

    def renew(self, extra: float = 0.0) -> None:
        self._left = self._grant + extra
        if self._due is not None:
            self._due = time.monotonic() + self._left

    def hold(self, sock: socket.socket) -> None:
        """Watch this socket instead of an earlier one.

        A duplicated descriptor stays valid when urllib3 closes the socket or wraps it in TLS, and `shutdown` on it reaches the
        connection itself.
        """
        handle = socket.socket(sock.family, sock.type, fileno=os.dup(sock.fileno()))
        with self._lock:
            self._release()
            if self.expired:
                _shut(handle)
            self._handles.append(handle)

    def expire(self, now: float) -> None:
        """Shut down the socket if the deadline has passed."""
        with self._lock:
            if self._due is not None and now >= self._due:
                self.expired = True
                for handle in self._handles:
                    _shut(handle)

    def close(self) -> None:
        _watchdog.remove(self)
        with self._lock:
            self._due = None
            self._release()

    def _release(self) -> None:
        while self._handles:
            self._handles.pop().close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


class _Watchdog:
    """The thread that checks deadlines; it sleeps while nothing runs."""

    def __init__(self) -> None:
        self._wake = threading.Condition()
        self._watches: set[Watch] = set()
        self._thread: threading.Thread | None = None

    def add(self, watch: Watch) -> None:
        with self._wake:
            self._watches.add(watch)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="interface-watchdog", daemon=True)
                self._thread.start()
            self._wake.notify()

    def remove(self, watch: Watch) -> None:
        with self._wake:
            self._watches.discard(watch)

    def _run(self) -> None:
        while True:
            with self._wake:
                while not self._watches:
                    self._wake.wait()
                running = tuple(self._watches)
            now = time.monotonic()
            for watch in running:
                watch.expire(now)
            time.sleep(TICK)


def _shut(handle: socket.socket) -> None:
    try:
        handle.shutdown(socket.SHUT_RDWR)
    except OSError:
        return  # already disconnected


_watchdog = _Watchdog()


def _start_over() -> None:
    global _watchdog  # noqa: PLW0603 - a forked child has the object but not its thread
    _watchdog = _Watchdog()


os.register_at_fork(after_in_child=_start_over)
