"""The circuit breaker of our database: while it is unreachable, requests fail at once, until a thread has reached it again."""

import logging
import threading
import time
from collections.abc import Callable

log = logging.getLogger(__name__)

RETRY_SECONDS = 1.0
# A failed connection proves nothing if another one answered this recently.
FRESH_SECONDS = 1.0


class Circuit:
    """Closed while the database answers. Logs one line when it opens, and one when it closes."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._opened: float | None = None
        self._answered = float("-inf")

    @property
    def is_open(self) -> bool:
        return self._opened is not None

    def answered(self) -> None:
        """Record that a connection answered just now."""
        self._answered = time.monotonic()

    def failed(self, reason: str, *, reach: Callable[[], bool], leave: Callable[[], None]) -> None:
        """Open the circuit, unless another connection has just answered.

        A thread then calls `leave`, which ends all waiting, and `reach` every second until it returns True.
        """
        with self._lock:
            now = time.monotonic()
            if self._opened is not None or now - self._answered < FRESH_SECONDS:
                return
            self._opened = now
        log.error("The database is away, so requests that need it are refused: %s", reason)
        threading.Thread(target=self._reach, args=(reach, leave, now), name="database-circuit", daemon=True).start()

    def _reach(self, reach: Callable[[], bool], leave: Callable[[], None], since: float) -> None:
        leave()
        while not reach():
            time.sleep(RETRY_SECONDS)
        self.answered()
        self._opened = None
        log.warning("The database answers again, after %.1f seconds.", time.monotonic() - since)


# The circuit of this process.
CIRCUIT = Circuit()
