"""Places for those who wait for a service: one that hangs never takes all threads of this process.

Requests that wait for one project take a quarter of the threads at most, and those that wait for one address half of them.
Calls side by side of one request take one place. A burst on a healthy service is not refused: whoever finds no place waits
until the one that waits longest has waited for a second.
"""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache

from django.conf import settings

from dashboard.interfaces.errors import Crowded
from dashboard.interfaces.operations import Operation, Pace
from dashboard.web.database import give_back

PATIENCE_SECONDS = 1.0
RETRY_SECONDS = 5.0


@dataclass(slots=True)
class _Stay:
    """One request in a place: the number of its calls under way, and when the service last began or ended one."""

    since: float
    calls: int = 0


@dataclass(slots=True)
class Places:
    """Who waits for what, in this process."""

    turn: threading.Condition = field(default_factory=threading.Condition)
    taken: dict[str, dict[object, _Stay]] = field(default_factory=dict)

    def take(self, scope: str, holder: object, *, most: int) -> bool:
        """Return whether there was a place, or one became free in time."""
        with self.turn:

            def is_free() -> bool:
                others = self.taken.get(scope, {})
                return holder in others or len(others) < most

            if not is_free():
                oldest = min(stay.since for stay in self.taken[scope].values())
                if not self.turn.wait_for(is_free, timeout=max(0.0, oldest + PATIENCE_SECONDS - time.monotonic())):
                    return False
            stay = self.taken.setdefault(scope, {}).setdefault(holder, _Stay(time.monotonic()))
            stay.calls += 1
            return True

    def leave(self, scope: str, holder: object) -> None:
        with self.turn:
            stay = self.taken[scope][holder]
            stay.calls -= 1
            stay.since = time.monotonic()
            if not stay.calls:
                del self.taken[scope][holder]
                if not self.taken[scope]:
                    del self.taken[scope]
            self.turn.notify_all()


class Waiting:
    """One request's gate to the services: no database connection is kept beyond it, and a place is held within."""

    @contextmanager
    def gate(self, operation: Operation, scope: str) -> Iterator[None]:
        """Raises `Crowded`. Transfers have places of their own (`web.transfers`)."""
        give_back()
        if operation.pace is Pace.TRANSFER:
            yield
            return
        address = scope.partition(" ")[0]
        with self._place(scope, 4, operation), self._place(address, 2, operation):
            yield

    @contextmanager
    def _place(self, scope: str, share: int, operation: Operation) -> Iterator[None]:
        if not places().take(scope, self, most=max(1, settings.WEB_THREADS // share)):
            raise Crowded(operation=operation.id, service=operation.service, retry_after=RETRY_SECONDS)
        try:
            yield
        finally:
            places().leave(scope, self)


@cache
def places() -> Places:
    """One per process, made at first use (after the workers were forked)."""
    return Places()
