"""A circuit breaker per service address."""

import threading
import time
from collections import deque


class Circuit:
    """Opens after failed connections, not after error answers, as projects share an address.

    Five failures within ten seconds open it. After five seconds one call is let through as a probe. Each failed probe doubles
    the pause, up to thirty seconds; a connection closes the circuit. A connect timeout counts twice.
    """

    FAILURES = 5
    WINDOW = 10.0
    PAUSE = 5.0
    LONGEST = 30.0

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._failures: deque[float] = deque(maxlen=self.FAILURES)
        self._open_until: float | None = None
        self._pause = self.PAUSE

    def wait(self) -> float:
        """Return 0 if a call may proceed, else the seconds to wait. Half-open, only one caller gets 0."""
        with self._lock:
            if self._open_until is None:
                return 0.0
            now = time.monotonic()
            if now < self._open_until:
                return self._open_until - now
            self._open_until = now + self._pause
            return 0.0

    def connected(self) -> None:
        with self._lock:
            self._failures.clear()
            self._open_until = None
            self._pause = self.PAUSE

    def failed(self, *, waited: bool) -> None:
        """Count a failed connection; `waited` means a timeout."""
        with self._lock:
            now = time.monotonic()
            self._failures.extend([now] * (2 if waited else 1))
            if self._open_until is not None:
                self._pause = min(self._pause * 2, self.LONGEST)
                self._open_until = now + self._pause
            elif len(self._failures) == self.FAILURES and now - self._failures[0] <= self.WINDOW:
                self._open_until = now + self._pause
