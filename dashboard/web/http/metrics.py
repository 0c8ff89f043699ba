"""Count requests, calls to the service and finished jobs for Prometheus. Off unless METRICS_ADDRESS is set.

Labels contain only our own words (section, operation, outcome, state), nothing chosen by a person or the service.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from time import perf_counter
from typing import TYPE_CHECKING

from django.conf import settings
from django.core.exceptions import MiddlewareNotUsed
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from dashboard.interfaces.exchange import Exchange

if TYPE_CHECKING:
    from prometheus_client import Counter, Histogram

METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "OPTIONS"})
SECONDS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 15.0, 60.0)
OWN_PATHS = ("/healthz", "/readyz", "/metrics")


@dataclass(frozen=True, slots=True)
class Meters:
    """The metrics of this process; in the web, those of all its workers together."""

    requests: "Counter"
    request_seconds: "Histogram"
    calls: "Counter"
    call_seconds: "Histogram"
    jobs: "Counter"


class Requests:
    """Middleware: count requests and measure the time until the answer begins."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        if meters() is None:
            raise MiddlewareNotUsed
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        began = perf_counter()
        response = self.get_response(request)
        found = meters()
        if found and not request.path_info.startswith(OWN_PATHS):
            section = _section(request)
            method = request.method if request.method in METHODS else "other"
            found.requests.labels(section, method, response.status_code).inc()
            found.request_seconds.labels(section).observe(perf_counter() - began)
        return response


def count_call(exchange: Exchange) -> None:
    """Count one operation of the service; an observer, maybe in a pool thread."""
    if found := meters():
        found.calls.labels(exchange.operation, exchange.outcome).inc()
        found.call_seconds.labels(exchange.operation).observe(exchange.duration_ms / 1000)


def count_job(state: str) -> None:
    """Count a job that ended, or that waits for a person."""
    if found := meters():
        found.jobs.labels(state).inc()


@cache
def meters() -> Meters | None:
    """Create the metrics at first use, which is after the web's workers were forked; None if they are off."""
    if not settings.METRICS_ADDRESS:
        return None
    from prometheus_client import Counter, Histogram  # noqa: PLC0415 - loads only where it is used

    return Meters(
        requests=Counter("pilothouse_requests", "Requests by section, method and status", ["section", "method", "status"]),
        request_seconds=Histogram(
            "pilothouse_request_seconds", "Time until the answer of a request begins", ["section"], buckets=SECONDS
        ),
        calls=Counter("pilothouse_calls", "Calls to the service by operation and outcome", ["operation", "outcome"]),
        call_seconds=Histogram("pilothouse_call_seconds", "Time of a call with its retries", ["operation"], buckets=SECONDS),
        jobs=Counter("pilothouse_jobs_stopped", "Jobs that ended or wait for a person, by state", ["state"]),
    )


def _section(request: HttpRequest) -> str:
    """Return the part of Pilothouse that answered: the URL namespace, or "account" for allauth's."""
    match = request.resolver_match
    if match is None:
        return "static" if request.path_info.startswith(settings.STATIC_URL) else "none"
    return match.namespace or str(match.url_name).partition("_")[0]
