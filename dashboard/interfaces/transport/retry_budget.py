"""A retry budget per service address: retries help against a hiccup, and are a second wave over a service that is down."""

import threading


class Budget:
    """Every call saves a tenth of a retry, and every retry spends a whole one.

    At most ten are saved, which is also what there is at the start. So retries add a tenth to the calls, and ten beyond that.
    """

    SHARE = 10
    MOST = 10

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._saved = self.SHARE * self.MOST

    def called(self) -> None:
        """A call goes out for the first time."""
        with self._lock:
            self._saved = min(self._saved + 1, self.SHARE * self.MOST)

    def spend(self) -> bool:
        """Return whether one more retry may go out, and count it."""
        with self._lock:
            if self._saved < self.SHARE:
                return False
            self._saved -= self.SHARE
            return True
