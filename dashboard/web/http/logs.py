"""Log lines as JSON with facts of the request and without credentials."""

import json
import logging
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from django.db.utils import OperationalError

from dashboard.web.process.postgresql.circuit import CIRCUIT

if TYPE_CHECKING:
    from django.http import HttpRequest

DOTS = "•••"

CONFIG: Mapping[str, Any] = {
    "version": 1,
    "disable_existing_loggers": False,
    "filters": {"database": {"()": "dashboard.web.http.logs.WhileDatabaseAnswers"}},
    "formatters": {"line": {"()": "dashboard.web.http.logs.JsonFormatter"}},
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["console"], "level": "WARNING"},
    # Skip Django's warnings about 404 and the like; log our own errors.
    "loggers": {
        "dashboard": {"level": "INFO"},
        "django.request": {"level": "ERROR", "filters": ["database"]},
        # `web.postgresql.circuit` logs once that the database is unreachable, and why.
        "psycopg.pool": {"level": "ERROR"},
        "urllib3": {"level": "WARNING"},
        "apprise": {"level": "CRITICAL"},
    },
}

_CREDENTIALS = re.compile(
    r"(?P<jwt>\beyJ[\w-]+\.[\w-]+\.[\w-]*)"
    r"|(?P<personal>\bsb[a-z]?_[A-Za-z0-9_]{8,})"
    r"|(?P<share>(?<=/[lr]/)[A-Za-z0-9_-]{22}(?:/file/[A-Za-z0-9_-]{22})?)"
    r"|(?P<reset>(?<=/password/reset/key/)[^\s\"']+)"
    r"|(?P<unsubscribe>(?<=/notifications/unsubscribe/)[^\s\"'/]+)"
    r"|(?P<label>(?<=[?&])(?:code|state)=|\b(?:bearer\s+|(?:authorization|token|apikey|api_key|access_token|password)(?:\"|')?\s*[=:]\s*(?:\"|')?(?:bearer(?:\s|%20|\+)+)?))"
    r"(?P<value>[^\s\"'&,;<>]+)",
    re.IGNORECASE,
)
_request: "ContextVar[HttpRequest | None]" = ContextVar("request", default=None)


def redact(text: str) -> str:
    """Replace tokens, JWTs, codes and keys in links, a provider's codes and values of credential-like names."""
    return _CREDENTIALS.sub(lambda found: f"{found['label']}{DOTS}" if found["label"] else DOTS, text)


@contextmanager
def lines_of(request: "HttpRequest") -> Iterator[None]:
    """Add this request's id, person and address to log lines within the block."""
    before = _request.set(request)
    try:
        yield
    finally:
        _request.reset(before)


def current_request() -> "HttpRequest | None":
    """Return the request that is being answered; None in workers and commands."""
    return _request.get()


class WhileDatabaseAnswers(logging.Filter):
    """Leave out failures of requests while the database is unreachable: one line reports it for all."""

    def filter(self, record: logging.LogRecord) -> bool:
        error = record.exc_info[1] if record.exc_info else None
        return not (CIRCUIT.is_open and isinstance(error, OperationalError))


class JsonFormatter(logging.Formatter):
    """Format log lines as redacted JSON. A filter couldn't redact the traceback's text."""

    def format(self, record: logging.LogRecord) -> str:
        text = super().format(record)  # the message, then the traceback
        message = record.getMessage()
        line = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            **_facts(record),
            "message": redact(message),
        }
        if details := text.removeprefix(message).strip():
            line["traceback"] = redact(details)
        return json.dumps(line, ensure_ascii=False)


def _facts(record: logging.LogRecord) -> dict[str, object]:
    """Return known facts of the request. `extra={"person": id}` overrides the person, `{"facts": …}` adds more."""
    facts: dict[str, object] = {}
    request: Any = getattr(record, "request", None) or _request.get()
    if hasattr(request, "request_id"):
        person = getattr(request, "_cached_user", None)  # Only if already loaded: loading it could use the database.
        facts = {"request": request.request_id, "person": person and person.pk, "address": request.client_address}
    if hasattr(record, "person"):
        facts["person"] = record.person
    known = {name: value for name, value in facts.items() if value} | getattr(record, "facts", {})
    return {name: redact(value) if isinstance(value, str) else value for name, value in known.items()}
