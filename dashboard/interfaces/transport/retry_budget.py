"""A retry budget per service address, so that retries don't overload a failing service. It counts calls and has no clock."""

import threading


class Budget:
    """Every call earns a tenth of a retry; at most ten are saved, which is also the initial budget.

    So retries add at most 10 percent to the calls, plus ten.
    """

    SHARE = 10
    MOST = 10

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._saved = self.SHARE * self.MOST

    def called(self) -> None:
        """Count a first attempt."""
        with self._lock:
            self._saved = min(self._saved + 1, self.SHARE * self.MOST)

    def spend(self) -> bool:
        """Return whether a retry is allowed, and count it."""
        with self._lock:
            if self._saved < self.SHARE:
                return False
            self._saved -= self.SHARE
            return True
