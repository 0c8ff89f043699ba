"""Sessions that expire after 12 hours without use and after 14 days at the latest."""

from datetime import datetime, timedelta
from typing import Any

from django.apps import apps
from django.contrib.auth import SESSION_KEY
from django.contrib.sessions.backends import db
from django.http import HttpRequest
from django.utils import timezone

IDLE = timedelta(hours=12)
MAX_AGE = timedelta(days=14)
# How often a session in use is saved.
SAVE_INTERVAL = timedelta(minutes=5)
STARTED, SEEN = "session_started", "session_seen"


class SessionStore(db.SessionStore):
    """Database sessions whose stored expiry enforces both limits.

    `was_seen` says that this request renewed the time of the last use.
    """

    was_seen = False

    def load(self) -> dict[str, Any]:
        data: dict[str, Any] = super().load()
        now = timezone.now().timestamp()
        if SESSION_KEY in data and data.get(SEEN, 0) < now - SAVE_INTERVAL.total_seconds():
            data[SEEN] = now
            data.setdefault(STARTED, now)
            self.modified = self.was_seen = True
        return data

    def cycle_key(self) -> None:
        """Change the key, also in the list of the person's sessions."""
        before = self.session_key
        super().cycle_key()
        if before:
            model = apps.get_model("usersessions", "UserSession")
            model._default_manager.filter(  # noqa: SLF001 - documented; this module loads before models
                session_key=before
            ).update(session_key=self.session_key)

    def get_expiry_age(self, **kwargs: Any) -> int:
        if SESSION_KEY not in self:
            return super().get_expiry_age(**kwargs)
        return max(0, round((self.get_expiry_date() - timezone.now()).total_seconds()))

    def get_expiry_date(self, **kwargs: Any) -> datetime:
        if SESSION_KEY not in self:
            return super().get_expiry_date(**kwargs)
        return min(timezone.now() + IDLE, latest_end(self))


def start(request: HttpRequest) -> None:
    """Start the 14 days after a sign-in."""
    request.session[STARTED] = request.session[SEEN] = timezone.now().timestamp()


def latest_end(session: Any) -> datetime:
    """Return when a session expires even if it is used all the time."""
    started = session.get(STARTED)
    return (datetime.fromtimestamp(started, timezone.get_current_timezone()) if started else timezone.now()) + MAX_AGE
