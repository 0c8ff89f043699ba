"""Credentials and signed links: HS256 JWTs under the project's own secret."""

import time
from dataclasses import dataclass
from typing import Final
from uuid import UUID

import jwt
from django.http import HttpRequest
from jwt.types import Options

from dashboard.sandbox import access, generations
from dashboard.sandbox.errors import StorageRefusal
from dashboard.sandbox.settings import SANDBOX_AUTHORIZATION
from dashboard.sandbox.storage import refusals

SERVICE: Final = "service_role"
_ROLES = frozenset({SERVICE, "authenticated", "anon"})
_LATEST = 9_000_000_000_000  # Seconds: the longest life of a signed link.
_CHECKS: Final[Options] = {
    "verify_aud": False,
    "verify_iat": False,
    "verify_sub": False,
    "verify_jti": False,
    "verify_iss": False,
}


@dataclass(frozen=True, slots=True)
class Caller:
    """The caller's role and `sub` claim.

    `has_objects`: may access every object. `has_buckets`: may see every bucket. `inserts`: may only add objects.
    """

    role: str
    subject: str
    has_objects: bool = False
    has_buckets: bool = False
    inserts: bool = False

    @property
    def is_service(self) -> bool:
        return self.role == SERVICE

    @property
    def sees_buckets(self) -> bool:
        return self.is_service or self.has_buckets

    @property
    def sees_objects(self) -> bool:
        return self.is_service or self.has_objects

    @property
    def owner(self) -> str:
        """The subject if it is a UUID, else the empty string (never null: storage3 needs text)."""
        try:
            return str(UUID(self.subject))
        except ValueError:
            return ""


def caller_of(request: HttpRequest, ref: str) -> Caller:
    """Return the caller if a credential is required. Raises Refusal."""
    credential = _credential(request)
    if credential is None:
        raise refusals.invalid(_missing())
    caller = _caller(credential, ref)
    if caller.role not in _ROLES:
        raise refusals.unknown_role()
    return caller


def known_caller(request: HttpRequest, ref: str) -> Caller | None:
    """Return the caller if a credential is optional; None for missing, bad and expired ones."""
    credential = _credential(request)
    if credential is None:
        return None
    try:
        return _caller(credential, ref)
    except StorageRefusal:
        return None


def sign(ref: str, bucket: str, path: str, *, expires_in: int) -> str:
    """Return `/object/sign/<bucket>/<path>?token=…`, valid for `expires_in` seconds; the path is not encoded."""
    now = int(time.time())
    if expires_in > _LATEST:
        raise refusals.bad_expiry()
    claims = {"url": f"{bucket}/{path}", "scope": "download", "iat": now, "exp": now + expires_in}
    if generations.is_older():
        del claims["scope"]
    token = jwt.encode(claims, access.storage_secret(ref), algorithm="HS256", headers={"typ": None})
    return f"/object/sign/{bucket}/{path}?token={token}"


def link_expiry(ref: str, token: str, bucket: str, key: str) -> int:
    """Check a signed link's token; return its expiry in seconds since 1970. Raises Refusal."""
    try:
        claims = _verified(token, ref)
    except _UnverifiedError as problem:
        raise refusals.bad_link(problem.reason) from None
    if claims.get("scope", "download") != "download":
        raise refusals.bad_signature("Token is not scoped for download")
    if claims.get("url") != f"{bucket}/{key}":
        raise refusals.bad_signature("Invalid signature")
    expiry = claims.get("exp")
    return int(expiry) if isinstance(expiry, (int, float)) else int(time.time())


def _caller(credential: str, ref: str) -> Caller:
    try:
        claims = _verified(credential, ref)
    except _UnverifiedError as problem:
        raise refusals.token_refused(problem.reason) from None
    role, subject = claims.get("role", "anon"), claims.get("sub", "")
    policies = claims.get("policies") if role == "authenticated" else ""
    return Caller(
        role=str(role),
        subject=subject if isinstance(subject, str) else "",
        has_objects=policies in {"objects", "all"},
        has_buckets=policies == "all",
        inserts=policies == "insert",
    )


# Claims of verified tokens that never expire, by token and secret.
_lasting: dict[tuple[str, str], dict[str, object]] = {}
_MOST_LASTING = 1000


class _UnverifiedError(Exception):
    """The token could not be verified. `reason` is the message of the service's JWT library."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def _verified(token: str, ref: str) -> dict[str, object]:
    """Return the claims. Raises _UnverifiedError."""
    secret = access.storage_secret(ref)
    if (known := _lasting.get((token, secret))) is not None:
        return known
    try:
        claims: dict[str, object] = jwt.decode(token, secret, algorithms=["HS256"], options=_CHECKS)
    except jwt.InvalidSignatureError:
        reason = "signature verification failed"
    except jwt.InvalidAlgorithmError:
        reason = '"alg" (Algorithm) Header Parameter value not allowed'
    except jwt.ExpiredSignatureError:
        reason = '"exp" claim timestamp check failed'
    except jwt.ImmatureSignatureError:
        reason = '"nbf" claim timestamp check failed'
    except (jwt.PyJWTError, ValueError, TypeError, ArithmeticError, RecursionError):
        reason = "Invalid Compact JWS"
    else:
        if not claims.keys() & {"exp", "nbf"}:
            if len(_lasting) >= _MOST_LASTING:
                _lasting.clear()
            _lasting[token, secret] = claims
        return claims
    raise _UnverifiedError(reason)


def _placement() -> str:
    """Return either, header or query."""
    return SANDBOX_AUTHORIZATION


def _missing() -> str:
    where = "querystring" if _placement() == "query" else "headers"
    return f"{where} must have required property 'authorization'"


def _credential(request: HttpRequest) -> str | None:
    """Return the token from the accepted placement, without "Bearer"; None if missing."""
    placement = _placement()
    value: str | None = request.META.get("HTTP_AUTHORIZATION") if placement != "query" else None
    if value is None and placement != "header":
        value = request.GET.get("authorization")
    if value is None:
        return None
    word, _, rest = value.strip().partition(" ")
    return rest.strip() if word.lower() == "bearer" else value.strip()
