"""Budgets of processor time per client: one that used a lot is delayed while others ask.

A client is a person, or the address of somebody who isn't signed in. Unlike slots, which limit how many requests do one thing at
a time, a budget counts seconds. Transfers aren't counted: they have slots (`transfers`).
"""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from enum import Enum, auto
from hashlib import sha256

from django.conf import settings
from django.http import HttpRequest
from django.http.cookie import parse_cookie

from dashboard.web.http.requests import client_of, outermost

# Share of one processor per client while others ask. Enough for six pages a second in each process.
SHARE = 0.25
# Processor seconds that may be used at once, such as by a page with many parts.
BURST_SECONDS = 0.2
# Work done while a client was alone delays it later by at most (MOST_OWED_SECONDS - BURST_SECONDS) / SHARE.
MOST_OWED_SECONDS = 0.7
OTHERS_SECONDS = 10.0
# Charged when a request starts, and corrected when it ends, so that a client can start only a few at the same time.
ADVANCE_SECONDS = 0.02
MOST_WAITING = 64
MOST_KNOWN = 4096
# Probes, and files that cost next to nothing.
FREE = ("/healthz", "/readyz", "/metrics", "/static/")


class Answer(Enum):
    """What happens to a request."""

    RUNS = auto()
    WAITS = auto()
    REFUSED = auto()


class _Client:
    """The processor seconds that a client owes, which decrease with time, and how many of its requests wait."""

    def __init__(self, now: float) -> None:
        self.owed = 0.0
        self.since = now
        self.asked = now
        self.waiting = 0


class Budgets:
    """The budgets of one process. A request is charged in advance, and corrected by its real cost at its end."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._clients: OrderedDict[Hashable, _Client] = OrderedDict()
        self._turn = threading.Lock()

    def ask(self, client: Hashable) -> Answer:
        """Charge a new request of this client if it may run now. If it waits, call `resume` later."""
        with self._turn:
            state = self._asking(client)
            if not state.waiting and not self._due(client, state):
                state.owed += ADVANCE_SECONDS
                return Answer.RUNS
            if state.waiting >= MOST_WAITING:
                return Answer.REFUSED
            state.waiting += 1
            return Answer.WAITS

    def resume(self, client: Hashable, *, at_once: bool = False) -> float:
        """Charge a waiting request and return 0, or return the seconds after which to try again."""
        with self._turn:
            state = self._clients[client]
            seconds = 0.0 if at_once else self._due(client, state)
            if not seconds:
                state.waiting -= 1
                state.owed += ADVANCE_SECONDS
            return seconds

    def end(self, client: Hashable, seconds: float) -> None:
        """Charge the seconds that a request took, in place of the advance."""
        with self._turn:
            state = self._asking(client)
            state.owed = max(state.owed + seconds - ADVANCE_SECONDS, 0.0)
            if self._is_alone(client):
                state.owed = min(state.owed, MOST_OWED_SECONDS)

    def _asking(self, client: Hashable) -> _Client:
        now = self._clock()
        state = self._clients.setdefault(client, _Client(now))
        state.asked = now
        self._clients.move_to_end(client)
        while len(self._clients) > MOST_KNOWN and not next(iter(self._clients.values())).waiting:
            self._clients.popitem(last=False)
        return state

    def _due(self, client: Hashable, state: _Client) -> float:
        """Return after how many seconds the next request may run."""
        now = self._clock()
        state.owed = max(0.0, state.owed - SHARE * (now - state.since))
        state.since = now
        if state.owed <= BURST_SECONDS or self._is_alone(client):
            return 0.0
        return (state.owed - BURST_SECONDS) / SHARE

    def _is_alone(self, client: Hashable) -> bool:
        """Whether no other client asked lately. The latest ones are at the end."""
        other = next((other for name, other in reversed(self._clients.items()) if name != client), None)
        return other is None or other.asked < self._clock() - OTHERS_SECONDS


# Whose session it is, by the digest of its cookie.
_people: OrderedDict[bytes, Hashable] = OrderedDict()
_lock = threading.Lock()
_here = threading.local()


def client_asking(path: str, cookies: str, address: str, forwarded: str) -> Hashable | None:
    """Return the client whose budget a request uses; None if it never waits."""
    if path.startswith(FREE):
        return None
    cookie = parse_cookie(cookies).get(settings.SESSION_COOKIE_NAME, "") if cookies else ""
    person = _people.get(_digest(cookie)) if cookie else None
    return ("address", client_of(outermost(address, forwarded))) if person is None else ("person", person)


def note_person(request: HttpRequest) -> None:
    """Charge the next requests of this session to the person signed in, or to their address if nobody is."""
    cookie = request.COOKIES.get(settings.SESSION_COOKIE_NAME)
    if not cookie:
        return
    with _lock:
        key = _digest(cookie)
        _people.pop(key, None)
        if request.user.is_authenticated:
            _people[key] = request.user.pk
        while len(_people) > MOST_KNOWN:
            _people.popitem(last=False)


def start() -> None:
    """Start measuring the request that this thread runs."""
    _here.began, _here.is_transfer = time.thread_time(), False


def free() -> None:
    """Stop measuring the request that this thread runs: it is a transfer."""
    _here.is_transfer = True


def taken() -> float:
    """Return the processor seconds that the request took."""
    return 0.0 if _here.is_transfer else time.thread_time() - _here.began


def _digest(cookie: str) -> bytes:
    return sha256(cookie.encode()).digest()
