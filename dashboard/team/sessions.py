"""Sessions that end after 12 hours without use, and after 14 days at the latest, whatever saves them."""

from datetime import datetime, timedelta
from typing import Any

from django.contrib.auth import SESSION_KEY
from django.contrib.sessions.backends import db
from django.http import HttpRequest
from django.utils import timezone

IDLE = timedelta(hours=12)
LONGEST = timedelta(days=14)
# A session in use is saved again this often.
SAVED_EVERY = timedelta(minutes=5)
STARTED, SEEN = "session_started", "session_seen"


class SessionStore(db.SessionStore):
    """Django's sessions in the database. The row's own end enforces both limits: a row that has ended is never loaded."""

    def load(self) -> dict[str, Any]:
        data: dict[str, Any] = super().load()
        now = timezone.now().timestamp()
        if SESSION_KEY in data and data.get(SEEN, 0) < now - SAVED_EVERY.total_seconds():
            data[SEEN] = now
            data.setdefault(STARTED, now)
            self.modified = True
        return data

    def get_expiry_age(self, **kwargs: Any) -> int:
        if SESSION_KEY not in self:
            return super().get_expiry_age(**kwargs)
        return max(0, round((self.get_expiry_date() - timezone.now()).total_seconds()))

    def get_expiry_date(self, **kwargs: Any) -> datetime:
        if SESSION_KEY not in self:
            return super().get_expiry_date(**kwargs)
        return min(timezone.now() + IDLE, latest_end(self))


def start(request: HttpRequest) -> None:
    """Begin the 14 days, after a sign-in."""
    request.session[STARTED] = request.session[SEEN] = timezone.now().timestamp()


def latest_end(session: Any) -> datetime:
    """When a session ends even if it is used all the time."""
    started = session.get(STARTED)
    return (datetime.fromtimestamp(started, timezone.get_current_timezone()) if started else timezone.now()) + LONGEST
