"""The second net: what looks like a credential never leaves through a log line, traceback included."""

import logging
import re

DOTS = "•••"

_CREDENTIALS = re.compile(
    r"(?P<jwt>\beyJ[\w-]+\.[\w-]+\.[\w-]*)"
    r"|(?P<personal>\bsb[a-z]?_[A-Za-z0-9_]{8,})"
    r"|(?P<share>(?<=/l/)[A-Za-z0-9_-]{22}(?:/file/[A-Za-z0-9_-]{22})?)"
    r"|(?P<label>\b(?:bearer\s+|(?:authorization|token|apikey|api_key|access_token|password)(?:\"|')?\s*[=:]\s*(?:\"|')?(?:bearer(?:\s|%20|\+)+)?))"
    r"(?P<value>[^\s\"'&,;<>]+)",
    re.IGNORECASE,
)


def redact(text: str) -> str:
    """The text with tokens, JWTs, codes of share links and values of credential-like names replaced by dots."""
    return _CREDENTIALS.sub(lambda found: f"{found['label']}{DOTS}" if found["label"] else DOTS, text)


class RedactingFormatter(logging.Formatter):
    """A formatter and not a filter, because a traceback becomes text only here."""

    def format(self, record: logging.LogRecord) -> str:
        return redact(super().format(record))
