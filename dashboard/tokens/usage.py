"""Usage of each token, collected in memory during a request and saved at its end.

Calls may end in a pool thread, which must not touch the database, so `note` only appends and the request's thread calls `flush`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from threading import Lock

from django.utils import timezone

from dashboard.interfaces.exchange import Exchange
from dashboard.tokens import abilities, last_known
from dashboard.tokens.models import Kind, StoredToken
from dashboard.web.failures.request_log import call_observer
from dashboard.web.process import liveness

WRITE_EVERY = timedelta(minutes=1)
REFUSED = "TokenRefused"
# Outcomes that prove nothing about the token.
TOKEN_NOT_CHECKED = frozenset({"Unreachable", "Crowded", "TimedOut", "UnknownOutcome", "Broken", "Paused"})


@dataclass(frozen=True, slots=True)
class Noted:
    """One finished operation and the id of the token it used."""

    token_id: int
    exchange: Exchange


class Usage:
    """The exchanges of one request; `rest` is the longest Retry-After in seconds."""

    def __init__(self) -> None:
        self._noted: list[Noted] = []
        self._lock = Lock()
        self._observe = call_observer()
        self.rest = 0.0

    def observer(self, token: StoredToken) -> Callable[[Exchange], None]:
        """Return the callback that an interface calls after each operation with this token."""
        token_id = token.pk

        def note(exchange: Exchange) -> None:
            self._observe(exchange)
            liveness.note()
            with self._lock:
                self._noted.append(Noted(token_id, exchange))
                self.rest = max(self.rest, exchange.retry_after or 0.0)

        return note

    def mark(self) -> int:
        """Return a position for `status_since`."""
        return len(self._noted)

    def status_since(self, mark: int, operation: str) -> int | None:
        """Return the status of the last answer to `operation` since `mark`."""
        with self._lock:
            statuses = [noted.exchange.status for noted in self._noted[mark:] if noted.exchange.operation == operation]
        return statuses[-1] if statuses else None

    def seconds_below(self, reserve: int) -> float:
        """Return the seconds until rate limits with fewer than `reserve` calls left start anew."""
        with self._lock:
            low = [one.exchange for one in self._noted if one.exchange.remaining is not None and one.exchange.remaining < reserve]
        return max((exchange.reset or 0.0 for exchange in low), default=0.0)

    def flush(self, tokens: dict[int, StoredToken], *, words: str = "") -> None:
        """Save when each token was last accepted (at most once a minute) and last refused, and what its answers prove.

        What a refused token read is forgotten.
        """
        with self._lock:
            noted, self._noted = self._noted, []
        now = timezone.now()
        for token_id in dict.fromkeys(item.token_id for item in noted):
            token = tokens[token_id]
            exchanges = [item.exchange for item in noted if item.token_id == token_id]
            changed: dict[str, object] = {}
            if any(exchange.outcome == REFUSED for exchange in exchanges):
                changed = {"refused_at": now, "refusal": words}
            elif any(exchange.outcome not in TOKEN_NOT_CHECKED for exchange in exchanges) and _is_due(token, now):
                changed = {"last_used_at": now}
            if changed:
                # Matching the fingerprint skips a token replaced since: the answer was about the old one.
                StoredToken.objects.filter(pk=token_id, fingerprint=token.fingerprint).update(**changed)
            if "refused_at" in changed:
                last_known.forget(token.fingerprint)
            if token.kind == Kind.STORAGE:
                abilities.learn(token, exchanges)


def _is_due(token: StoredToken, now: datetime) -> bool:
    written = token.last_used_at
    return written is None or written < now - WRITE_EVERY or (token.refused_at is not None and token.refused_at > written)
