"""Limit how many requests wait for a service, so that a hung one can't block all threads.

Unlike a slot of `transfers`, which is taken or refused, one of these is waited for, and parallel calls share it. Requests waiting
for one project take at most a quarter of the threads, those waiting for one address half of them. All visitors of links together
take at most half of both; members keep the rest. A burst on a healthy service is not refused: without a free slot, a request
waits until the longest-waiting one has waited for a second.
"""

import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import cache

from django.conf import settings

from dashboard.interfaces.errors import Crowded
from dashboard.interfaces.operations import Operation, Pace
from dashboard.web.process.database import give_back

PATIENCE_SECONDS = 1.0
RETRY_SECONDS = 5.0


@dataclass(slots=True)
class _Stay:
    """One request in a slot: its running calls, and when one last began or ended."""

    since: float
    calls: int = 0


@dataclass(slots=True)
class Slots:
    """The slots of this process, by scope."""

    turn: threading.Condition = field(default_factory=threading.Condition)
    taken: dict[str, dict[object, _Stay]] = field(default_factory=dict)

    def take(self, scope: str, holder: object, *, most: int) -> bool:
        """Take a slot; return False if none becomes free in time."""
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
    """The gate of one request: returns the database connection to the pool and holds a slot."""

    def __init__(self, *, is_visitor: bool = False) -> None:
        self._is_visitor = is_visitor

    @contextmanager
    def gate(self, operation: Operation, scope: str) -> Iterator[None]:
        """Hold a slot during a call. Raises `Crowded`. Transfers have their own (`web.transfers`)."""
        give_back()
        if operation.pace is Pace.TRANSFER:
            yield
            return
        address = scope.partition(" ")[0]
        shares = {f"visitors {scope}": 8, f"visitors {address}": 4} if self._is_visitor else {}
        with ExitStack() as held:
            for name, share in {**shares, scope: 4, address: 2}.items():
                held.enter_context(self._slot(name, share, operation))
            yield

    @contextmanager
    def _slot(self, scope: str, share: int, operation: Operation) -> Iterator[None]:
        if not slots().take(scope, self, most=max(1, settings.WEB_THREADS // share)):
            raise Crowded(operation=operation.id, service=operation.service, retry_after=RETRY_SECONDS)
        try:
            yield
        finally:
            slots().leave(scope, self)


@cache
def slots() -> Slots:
    """Create the process's slots at first use, which is after the workers were forked."""
    return Slots()
