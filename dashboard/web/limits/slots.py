"""Limit how many requests do one thing at a time, by shares of the threads.

Requests that wait for one project take at most a quarter of the threads, those that wait for one address half of them. All
visitors of links together take at most half of both; members keep the rest. A burst on a healthy service is not refused: without
a free slot, a call waits until the longest-waiting one has waited for a second. A transfer (`transfers`), which may take hours,
and a visitor's picture are refused at once.
"""

import threading
import time
from collections.abc import Hashable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache

from django.conf import settings

from dashboard.interfaces.errors import Crowded
from dashboard.interfaces.operations import Operation, Pace
from dashboard.web.process.database import give_back

PATIENCE_SECONDS = 1.0
RETRY_SECONDS = 5.0


class Full(Exception):  # noqa: N818 - a state; each taker answers with an error of its own
    """A share has no free slot."""

    def __init__(self, share: Hashable) -> None:
        super().__init__(share)
        self.share = share


@dataclass(slots=True)
class _Stay:
    """A holder in its slot: `times` counts its holds, `since` is when it came or last ended one."""

    since: float
    times: int = 0


class Slots:
    """The slots of this process, by share and holder. A holder that takes a share again stays in its one slot."""

    def __init__(self) -> None:
        self.taken: dict[Hashable, dict[object, _Stay]] = {}
        self._turn = threading.Condition()

    def take(self, shares: Mapping[Hashable, int], holder: object, *, patience: float = 0.0) -> None:
        """Take a slot of each share, or raise `Full` and take none. `shares`: how many holders each allows, at least one.

        Waits until the longest holder of the full share has had its slot for `patience` seconds.
        """
        with self._turn:
            until = None
            while (full := self._full(shares, holder)) is not None:
                now = time.monotonic()
                until = until or min(stay.since for stay in self.taken[full].values()) + patience
                if until <= now:
                    raise Full(full)
                self._turn.wait(until - now)
            for share in shares:
                stay = self.taken.setdefault(share, {}).setdefault(holder, _Stay(time.monotonic()))
                stay.times += 1

    def leave(self, shares: Iterable[Hashable], holder: object) -> None:
        with self._turn:
            for share in shares:
                stay = self.taken[share][holder]
                stay.times -= 1
                stay.since = time.monotonic()
                if not stay.times:
                    del self.taken[share][holder]
                    if not self.taken[share]:
                        del self.taken[share]
            self._turn.notify_all()

    @contextmanager
    def hold(self, shares: Mapping[Hashable, int], holder: object, *, patience: float = 0.0) -> Iterator[None]:
        """Hold what `take` takes. Raises `Full`."""
        self.take(shares, holder, patience=patience)
        try:
            yield
        finally:
            self.leave(shares, holder)

    def _full(self, shares: Mapping[Hashable, int], holder: object) -> Hashable | None:
        for share, most in shares.items():
            holders = self.taken.get(share, {})
            if holder not in holders and len(holders) >= max(1, most):
                return share
        return None


class Waiting:
    """The gate of one request: returns the database connection to the pool and holds a slot, shared by its parallel calls."""

    def __init__(self, *, is_visitor: bool = False) -> None:
        self._is_visitor = is_visitor

    @contextmanager
    def gate(self, operation: Operation, scope: str) -> Iterator[None]:
        """Hold a slot during a call. Raises `Crowded`. Transfers have slots of their own."""
        give_back()
        if operation.pace is Pace.TRANSFER:
            yield
            return
        here, threads, address = slots(), settings.WEB_THREADS, scope.partition(" ")[0]
        shares: dict[Hashable, int] = {scope: threads // 4, address: threads // 2}
        if self._is_visitor:
            shares |= {f"visitors {scope}": threads // 8, f"visitors {address}": threads // 4}
        try:
            here.take(shares, self, patience=PATIENCE_SECONDS)
        except Full:
            raise Crowded(operation=operation.id, service=operation.service, retry_after=RETRY_SECONDS) from None
        try:
            yield
        finally:
            here.leave(shares, self)


@cache
def slots() -> Slots:
    """Create the process's slots at first use, which is after the workers were forked."""
    return Slots()
