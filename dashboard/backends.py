"""Build settings from DATABASE_URL and EMAIL_URL. A query of the former (`?sslmode=verify-full`) adds options."""

from pathlib import Path
from secrets import token_hex
from typing import Any

import environ

DUMMY = "django.core.mail.backends.dummy.EmailBackend"
MAIL_SECONDS = 10
# For libpq: drop a connection after five seconds without an acknowledgement, or when the server has gone silent.
SILENCE = {"tcp_user_timeout": 5000, "keepalives_idle": 5, "keepalives_interval": 2, "keepalives_count": 2}


def database(env: environ.Env, folder: Path) -> dict[str, Any]:
    """Return DATABASES["default"]; SQLite in the data folder if DATABASE_URL is not set."""
    found: dict[str, Any] = env.db_url_config(env.str("DATABASE_URL", default="") or f"sqlite:///{folder / 'pilothouse.sqlite3'}")
    if found["ENGINE"] == "django.db.backends.sqlite3":
        prepared = "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;"
        ours: dict[str, Any] = {"transaction_mode": "IMMEDIATE", "timeout": 5, "init_command": prepared}
        found["CONN_MAX_AGE"] = 60  # opening it costs each request a millisecond
    else:
        # Fewer than threads: requests return their connection while they wait. That would end a server-side cursor. The name
        # tells the server's connections of this process apart (`launch.processes`).
        name = f"{found.get('OPTIONS', {}).pop('application_name', 'pilothouse')} {token_hex(4)}"
        ours = {"pool": {"min_size": 1, "max_size": 10, "timeout": 5}, "connect_timeout": 2, "application_name": name, **SILENCE}
        found |= {"ENGINE": "dashboard.web.process.postgresql", "DISABLE_SERVER_SIDE_CURSORS": True}
    found["OPTIONS"] = {**ours, **found.get("OPTIONS", {})}
    return found


def mail(env: environ.Env, host: str) -> dict[str, Any]:
    """Return the EMAIL_ settings and the sender; without EMAIL_URL nothing is mailed. `host` is that of PUBLIC_URL."""
    if not env.str("EMAIL_URL", default=""):
        return {"EMAIL_BACKEND": DUMMY}
    sender = env.str("EMAIL_FROM", default="") or f"pilothouse@{host or 'localhost'}"
    found: dict[str, Any] = env.email_url("EMAIL_URL")
    return {**found, "EMAIL_TIMEOUT": MAIL_SECONDS, "DEFAULT_FROM_EMAIL": sender, "SERVER_EMAIL": sender}
