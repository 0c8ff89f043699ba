"""Log each request that failed or was slow (or every request), and each call without a usable answer."""

import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from threading import Lock
from time import perf_counter

from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils import timezone

from dashboard.interfaces.exchange import Exchange, Observer
from dashboard.web.failures.cards import Problem
from dashboard.web.http.logs import current_request
from dashboard.web.http.metrics import count_call

log = logging.getLogger(__name__)

# Time until the answer begins. What follows depends on the reader.
SLOW_MS = 2000
# Outcomes of a call for which the service or the network is to blame.
UNANSWERED = frozenset({"Unreachable", "TimedOut", "UnknownOutcome", "Broken", "Unexpected"})
PROBES = ("/healthz", "/readyz", "/metrics")
# Keys in a request's META: its calls, and the problem that was answered.
CALLS, PROBLEM = "pilothouse.calls", "pilothouse.problem"


@dataclass(slots=True)
class Calls:
    """The calls to the service that one request made, maybe several at once, and when the request came in."""

    since: datetime = field(default_factory=timezone.now)
    count: int = 0
    ms: float = 0.0
    _lock: Lock = field(default_factory=Lock)

    def add(self, exchange: Exchange) -> None:
        with self._lock:
            self.count += 1
            self.ms += exchange.duration_ms


class RequestLog:
    """Middleware, within `Policy`: log the request if it failed or was slow, or if ACCESS_LOG is on."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        calls = request.META[CALLS] = Calls()
        began = perf_counter()
        response = self.get_response(request)
        ms = (perf_counter() - began) * 1000
        problem: Problem | None = request.META.get(PROBLEM)
        # A page has status 200 even if a read of the service failed.
        failed = response.status_code >= 500 or (problem is not None and problem.status >= 500)
        if failed or ms >= SLOW_MS or (settings.ACCESS_LOG and not request.path_info.startswith(PROBES)):
            facts = {"method": request.method, "path": request.path, "status": response.status_code, "ms": round(ms)}
            facts |= {"calls": calls.count, "calls_ms": round(calls.ms)}
            what = (
                f"Failed: {problem.title}" if failed and problem else "Failed" if failed else "Slow" if ms >= SLOW_MS else "Done"
            )
            log.log(logging.WARNING if failed else logging.INFO, what, extra={"request": request, "facts": facts})
        elif problem:
            log.info("Answered with %s: %s", problem.status, problem.title)
        return response


def arrival(request: HttpRequest) -> datetime:
    """Return when a request came in. All that its page shows was read since."""
    calls: Calls = request.META[CALLS]
    return calls.since


def call_observer() -> Observer:
    """Return an observer for calls of the current request; they may end in a pool thread."""
    request = current_request()
    calls: Calls | None = request.META.get(CALLS) if request else None

    def observe(exchange: Exchange) -> None:
        count_call(exchange)
        if calls:
            calls.add(exchange)
        if exchange.outcome in UNANSWERED:
            line = "%s ended as %s after %.0f ms"
            log.info(line, exchange.operation, exchange.outcome, exchange.duration_ms, extra={"request": request})

    return observe
