"""Differences of the document's generation (January 2023), chosen by `--generation document`.

Buckets have no limits, and records have only the members that the document lists. Times have another format. S10 replaces and
never creates, S11 and S12 ignore another bucket, S12 ignores x-upsert, S19 and S21 send headers only. A listing shows folders
first and has no cap. Errors have no `code` and other texts.
"""

import time
from collections.abc import Mapping
from functools import lru_cache

from dashboard.sandbox.settings import SANDBOX_GENERATION, SANDBOX_LIST_CAP

TODAY_CAP = 1500
NO_CAP = 1 << 40

# not shown: the older texts, by the newer `code`: status, label, message.
_WORDS: Mapping[str, tuple[str, str, str]] = {
    "NoSuchBucket": ("404", "Not found", "The resource was not found"),
    "NoSuchKey": ("404", "Not found", "The resource was not found"),
    "ResourceNotEmpty": ("400", "Storage not empty", "Storage not empty"),
    "InvalidKey": ("400", "Invalid Input", "The key is not valid"),
    "InvalidBucketName": ("400", "Invalid Input", "The bucket name is not valid"),
}
_TOKENS: Mapping[str, str] = {
    "Invalid Compact JWS": "jwt malformed",
    "signature verification failed": "invalid signature",
    '"exp" claim timestamp check failed': "jwt expired",
    '"nbf" claim timestamp check failed': "jwt not active",
    '"alg" (Algorithm) Header Parameter value not allowed': "invalid algorithm",
}


def is_older() -> bool:
    return SANDBOX_GENERATION == "document"


def most_rows() -> int:
    """Return the maximum number of rows of one S13 page."""
    return SANDBOX_LIST_CAP or (NO_CAP if is_older() else TODAY_CAP)


@lru_cache(maxsize=4096)
def iso(moment: int) -> str:
    """Format milliseconds since 1970 as `2026-11-20T10:18:03.479Z`, or in the older form."""
    seconds = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(moment // 1000))
    return f"{seconds}.{moment % 1000:03d}000+00:00" if is_older() else f"{seconds}.{moment % 1000:03d}Z"


def record(members: Mapping[str, object], *newer: str) -> dict[str, object]:
    """Return a record in this generation's form: the older one has no `newer` members."""
    if not is_older():
        return dict(members)
    return {name: value or None if name == "owner" else value for name, value in members.items() if name not in newer}


def refusal(body: dict[str, object] | None) -> dict[str, object] | None:
    """Return a storage error's body in this generation's form."""
    if body is None or not is_older():
        return body
    code, message = str(body.get("code", "")), str(body.get("message", ""))
    older = {name: value for name, value in body.items() if name != "code"}
    if code in _WORDS:
        status, label, message = _WORDS[code]
        return older | {"statusCode": status, "error": label, "message": message}
    if message in _TOKENS:
        return older | {"statusCode": "400", "error": _TOKENS[message], "message": _TOKENS[message]}
    return older
