"""Map an error answer to the matching `InterfaceError`."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

import msgspec

from dashboard.interfaces import errors
from dashboard.interfaces.errors import InterfaceError
from dashboard.interfaces.operations import Operation

LONGEST_TEXT = 300
LONGEST_WAIT = 60.0
USUAL_WAIT = 5.0

_BY_STATUS: Mapping[int, type[InterfaceError]] = {
    401: errors.TokenRefused,
    402: errors.NotAllowed,  # the plan's number of functions is reached
    403: errors.NotAllowed,
    404: errors.NotFound,
    409: errors.Conflict,
    410: errors.NotFound,
    413: errors.TooLarge,
    415: errors.TooLarge,
    423: errors.Conflict,
    429: errors.SlowDown,
    540: errors.Paused,
}
_NO_ANSWER = (408, 504, 544)

# not shown: the form of error payloads. Where a management status has several meanings, only the text tells them apart.
_MANAGEMENT_TEXTS: tuple[tuple[str, type[InterfaceError]], ...] = (
    ("no custom hostname configuration found", errors.NotFound),
    ("custom hostname not configured", errors.NotFound),
    ("resource has been removed", errors.NotFound),
    ("project not found", errors.NotFound),
    ("not pending custom hostname verification", errors.Conflict),
    ("verification has been completed", errors.Conflict),
    ("verification has not been completed", errors.Conflict),
    ("already been activated", errors.Conflict),
    ("duplicated function slug", errors.Conflict),
)

# not shown: how storage distinguishes a bad token from a missing right. Both are 403 AccessDenied; only the texts differ.
_TOKEN_TEXTS = re.compile(
    r"\b(jws|jwt|jwk)\b|signature verification|invalid signature|claim timestamp|\(algorithm\)|property 'authorization'"
    r"|\b(missing|no|invalid|malformed|expired) (authorization|token|api ?key)",
    re.IGNORECASE,
)
_ROUTE_TEXTS = re.compile(r"^(Route [A-Z]+:|Cannot [A-Z]+ )")
_SECRETS = re.compile(
    r"eyJ[\w-]{4,}\.[\w-]+(\.[\w-]*)?|\bsb[a-z]?_\w{4,}|(?i:(authorization|token|apikey|api_key|access_token)(\s*[=:]\s*)(bearer(\s+|%20|\+))?)[^\s&\"',;]+"
    r"|(?i:bearer)(\s+|%20|\+)[^\s&\"',;]+"
)


def failure_of(
    operation: Operation, status: int, headers: Mapping[str, str], body: bytes, *, secrets: tuple[str, ...] = ()
) -> InterfaceError:
    """Return the exception for an answer outside 2xx.

    `headers` has lower-case names; `secrets` are texts to remove from its message.
    """
    payload = _payload(body)
    counted = _status(operation, status, payload)
    text = clean(_words(payload, headers, body), secrets)
    kind = _kind(operation, counted, text, described=payload is not None or not body)
    wait = retry_after(headers)
    if kind is errors.SlowDown and wait is None:
        wait = USUAL_WAIT
    is_rejected_read = kind is errors.Rejected and operation.reads
    return kind(
        errors.Rejected.asking.format(service=operation.service) if is_rejected_read else None,
        operation=operation.id,
        service=operation.service,
        status=counted,
        text=text,
        retry_after=wait,
        remaining=remaining(headers),
        is_own=payload is not None,
    )


def remaining(headers: Mapping[str, str]) -> int | None:
    """Return the calls left in the service's rate limit, if the answer says so."""
    named = headers.get("x-ratelimit-remaining", "").strip()
    return int(named) if re.fullmatch(r"[0-9]{1,9}", named) else None


def clean(text: str, secrets: tuple[str, ...] = ()) -> str:
    """Return one line of at most 300 characters, without `secrets` and credential-like texts."""
    for secret in secrets:
        text = text.replace(secret, "••••")
    text = _SECRETS.sub("••••", text)
    text = " ".join("".join(character if character.isprintable() else " " for character in text).split())
    return text if len(text) <= LONGEST_TEXT else text[: LONGEST_TEXT - 1] + "…"


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds to wait, 0 to 60, or None if the answer names none.

    A date is relative to the answer's own `Date`, as clocks differ; a past or invalid one gives 5 seconds.
    """
    named = headers.get("retry-after", "").strip()
    if named:
        seconds = float(named) if re.fullmatch(r"\d{1,9}(\.\d{1,6})?", named) else _until(named, headers.get("date", ""))
        return min(seconds, LONGEST_WAIT)
    return reset(headers) if remaining(headers) == 0 else None


def reset(headers: Mapping[str, str]) -> float | None:
    """Return the seconds until the rate limit starts anew, at most 60, or None if the answer doesn't say."""
    named = headers.get("x-ratelimit-reset", "").strip()
    return min(float(named[:9]), LONGEST_WAIT) if named.isdecimal() and named.isascii() else None


def _until(named: str, date: str) -> float:
    try:
        then = parsedate_to_datetime(named)
        now = parsedate_to_datetime(date) if date else datetime.now(UTC)
        seconds = (then - now).total_seconds()
    except (ValueError, TypeError, OverflowError, IndexError):
        return USUAL_WAIT
    return seconds if seconds > 0 else USUAL_WAIT


def _kind(operation: Operation, status: int, text: str, *, described: bool) -> type[InterfaceError]:
    named = (
        _management_kind(operation, status, text) if operation.service == "management" else _storage_kind(operation, status, text)
    )
    if named is not None:
        return named
    if status < 400 or (status == 404 and (not described or _ROUTE_TEXTS.match(text))):
        return errors.Unexpected  # a redirect or an unknown route: the configured address is wrong
    if status in _NO_ANSWER or (status == 502 and not operation.reads):
        # A proxy gave up; the service may still be working on the request.
        return errors.TimedOut if operation.reads else errors.UnknownOutcome
    return _BY_STATUS.get(status, errors.Broken if status >= 500 else errors.Rejected)


def _management_kind(operation: Operation, status: int, text: str) -> type[InterfaceError] | None:
    if operation.id == "M17" and status == 544:
        return errors.Conflict  # the service uses 544, a gateway timeout, for a hostname that exists
    if 400 <= status < 500:
        return next((kind for words, kind in _MANAGEMENT_TEXTS if words in text.lower()), None)
    return None


def _storage_kind(operation: Operation, status: int, text: str) -> type[InterfaceError] | None:
    if operation.id == "S6" and status == 400 and "not empty" in text.lower():
        return errors.Conflict  # not shown: the status for a bucket with objects in it; older services say 400, newer ones 409
    if status in (400, 401, 403) and _TOKEN_TEXTS.search(text):
        # The refused token is the signed link's, not the person's.
        return errors.NotAllowed if operation.id == "S16" else errors.TokenRefused
    return None


def _payload(body: bytes) -> dict[str, Any] | None:
    try:
        payload = msgspec.json.decode(body)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return None
    return payload if isinstance(payload, dict) else None


def _status(operation: Operation, status: int, payload: Mapping[str, Any] | None) -> int:
    """Return the real status: storage sends most errors as HTTP 400 with the status in the body."""
    named = (payload or {}).get("statusCode") if operation.service == "storage" else None
    if isinstance(named, str) and re.fullmatch(r"[45]\d\d", named):
        return int(named)
    if isinstance(named, int) and 400 <= named <= 599:
        return named
    return status


def _words(payload: Mapping[str, Any] | None, headers: Mapping[str, str], body: bytes) -> str:
    if payload is None:
        plain = headers.get("content-type", "").lower().startswith("text/plain")
        return body[: 4 * LONGEST_TEXT].decode("utf-8", "replace") if plain else ""
    for member in ("message", "msg", "error_description", "error"):
        words = payload.get(member)
        if isinstance(words, list):
            words = "; ".join(word for word in words if isinstance(word, str))
        if isinstance(words, str) and words:
            return words
    return ""
