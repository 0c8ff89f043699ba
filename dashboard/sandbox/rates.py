"""Rate limits: 120 a minute per person, scope and operation; 10 for M16, M17, M18; none for M4.

Every answer reports them. Calls above the limit get 429 only with `--rate-limit`.
"""

from threading import Lock
from time import monotonic
from typing import Protocol

from dashboard.sandbox.errors import ManagementRefusal
from dashboard.sandbox.models import Person
from dashboard.sandbox.settings import SANDBOX_RATE_LIMIT

WINDOW = 60
SLOW = {"M16", "M17", "M18"}
UNCOUNTED = {"M4"}

_lock = Lock()
_counts: dict[tuple[str, str, str], tuple[float, int]] = {}


class Row(Protocol):
    @property
    def id(self) -> str: ...


def spend(person: Person, row: Row, ref: str) -> dict[str, str]:
    """Count one call; return the X-RateLimit-* headers (Reset in seconds until the window ends). Raises 429."""
    if not row.id.startswith("M") or row.id in UNCOUNTED:
        return {}
    limit = 10 if row.id in SLOW else 120
    key, now = (str(person.pk), ref, row.id), monotonic()
    with _lock:
        started, used = _counts.get(key, (now, 0))
        if now - started >= WINDOW:
            started, used = now, 0
        _counts[key] = (started, used + 1)
        if len(_counts) > 10_000:
            _counts.clear()
    reset = max(1, round(WINDOW - (now - started)))
    left = limit - used - 1
    if left < 0 and SANDBOX_RATE_LIMIT:
        raise ManagementRefusal(
            429, "ThrottlerException: Too Many Requests", _headers(limit, 0, reset) | {"Retry-After": str(reset)}
        )
    return _headers(limit, max(left, 0 if SANDBOX_RATE_LIMIT else 1), reset)


def _headers(limit: int, left: int, reset: int) -> dict[str, str]:
    return {"X-RateLimit-Limit": str(limit), "X-RateLimit-Remaining": str(left), "X-RateLimit-Reset": str(reset)}
