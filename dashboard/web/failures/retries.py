"""Automatic retries of reads that the service didn't answer."""

import json
from dataclasses import dataclass

from django.http import HttpRequest

from dashboard.web.failures.cards import AGAIN, Problem
from dashboard.web.http.compression import reveals

# Header with the number of retries that failed.
TRIES_HEADER = "X-Tries"
# Seconds before the next retry; doubles each time.
RETRY_SECONDS, LONGEST_RETRY = 15, 900


@dataclass(frozen=True, slots=True)
class Retry:
    """A retry by the page: its address, its headers as JSON, and the seconds before it."""

    here: str
    headers: str
    pause: int = 0


def retry_of(request: HttpRequest, problem: Problem, **headers: str) -> Retry | None:
    """Return the next retry: when the service says, else after a doubling pause. None unless a read that reveals no secret."""
    if request.method != "GET" or problem.step != AGAIN or reveals(request):
        return None
    named = request.headers.get(TRIES_HEADER, "")
    tries = int(named) if named.isascii() and named.isdecimal() and len(named) < 3 else 0
    pause = problem.retry_after or min(RETRY_SECONDS * 2**tries, LONGEST_RETRY)
    return Retry(request.get_full_path(), json.dumps({TRIES_HEADER: str(tries + 1), **headers}), pause)
