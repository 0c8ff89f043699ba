"""Sessions that expire after 12 hours without use and after 14 days at the latest."""

from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any

from django.apps import apps
from django.contrib.auth import SESSION_KEY
from django.contrib.sessions.backends import db
from django.http import HttpRequest
from django.utils import timezone

IDLE = timedelta(hours=12)
MAX_AGE = timedelta(days=14)
# A session in use is saved this often.
SAVE_INTERVAL = timedelta(minutes=5)
STARTED, SEEN = "session_started", "session_seen"


def digest(key: str | None) -> str:
    """Return the digest of a session's key that the tables hold. Nobody can sign in with it."""
    return sha256((key or "").encode()).hexdigest()[:40]


class SessionStore(db.SessionStore):
    """Database sessions whose stored expiry enforces both limits. Rows are found by the digest of their key.

    `was_seen`: this request renewed the time of the last use.
    """

    was_seen = False

    @property
    def row(self) -> str:
        """The key of this session's row."""
        return digest(self.session_key)

    def exists(self, session_key: str) -> bool:
        return bool(super().exists(digest(session_key)))

    def create_model_instance(self, data: dict[str, Any]) -> Any:
        row = super().create_model_instance(data)
        row.session_key = self.row
        return row

    def delete(self, session_key: str | None = None) -> None:
        self.model.objects.filter(session_key=digest(session_key) if session_key else self.row).delete()

    def load(self) -> dict[str, Any]:
        row = self.model.objects.filter(session_key=self.row, expire_date__gt=timezone.now()).first()
        if row is None:
            self._session_key = None
        data: dict[str, Any] = self.decode(row.session_data) if row else {}
        now = timezone.now().timestamp()
        if SESSION_KEY in data and data.get(SEEN, 0) < now - SAVE_INTERVAL.total_seconds():
            data[SEEN] = now
            data.setdefault(STARTED, now)
            self.modified = self.was_seen = True
        return data

    def cycle_key(self) -> None:
        """Change the key, also in the list of the person's sessions."""
        before = self.row
        super().cycle_key()
        if before != self.row:
            model = apps.get_model("usersessions", "UserSession")
            model._default_manager.filter(  # noqa: SLF001 - documented; this module loads before models
                session_key=before
            ).update(session_key=self.row)

    def get_expiry_age(self, **kwargs: Any) -> int:
        if SESSION_KEY not in self:
            return super().get_expiry_age(**kwargs)
        return max(0, round((self.get_expiry_date() - timezone.now()).total_seconds()))

    def get_expiry_date(self, **kwargs: Any) -> datetime:
        if SESSION_KEY not in self:
            return super().get_expiry_date(**kwargs)
        return min(timezone.now() + IDLE, latest_end(self))


class ByRow(SessionStore):
    """A session known only by its row, to look at or end it. It can't be saved."""

    @property
    def key_salt(self) -> str:
        """Use the salt of `SessionStore`: Django derives it from the class, and that class signed the data."""
        return SessionStore().key_salt

    @property
    def row(self) -> str:
        return self.session_key or ""

    def cycle_key(self) -> None:
        """Do nothing. Django renews a session signed by an earlier `SECRET_KEY`, but the browser would not get the new key."""


def start(request: HttpRequest) -> None:
    """Start the limit of 14 days after a sign-in."""
    request.session[STARTED] = request.session[SEEN] = timezone.now().timestamp()


def latest_end(session: Any) -> datetime:
    """Return when a session expires even if it is used all the time."""
    started = session.get(STARTED)
    return (datetime.fromtimestamp(started, timezone.get_current_timezone()) if started else timezone.now()) + MAX_AGE
