"""Call the embedded sandbox's own addresses: storage keys, faults and DNS records. They are not part of the interface."""

import json
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException
from typing import Any, Literal
from urllib.parse import urlsplit

from django.conf import settings

from dashboard.interfaces import Token
from dashboard.team.models import Person
from dashboard.tokens.errors import TokenMissing
from dashboard.tokens.models import Kind

TIMEOUT_SECONDS = 5
MAX_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class SandboxTls:
    """The address of the sandbox's TLS server, and its authority as PEM."""

    address: str
    port: int
    authority: str


class SandboxError(Exception):
    """The sandbox failed; the message is for people. `is_refusal`: it did nothing; otherwise that is unknown."""

    def __init__(self, message: str, *, is_refusal: bool = False) -> None:
        super().__init__(message)
        self.is_refusal = is_refusal


def ask(token: Token, method: Literal["GET", "POST", "DELETE"], path: str, body: object = None) -> Any:
    """Call one of the sandbox's own addresses with a personal token and return the decoded answer.

    The address comes from the settings only, redirects are not followed, and the answer's size is limited.
    """
    place = urlsplit(settings.SANDBOX_URL)
    connection = HTTPConnection(place.hostname or "", place.port, timeout=TIMEOUT_SECONDS)
    headers = {"Authorization": f"Bearer {token.reveal()}", "Content-Type": "application/json"}
    try:
        sent = None if body is None else json.dumps(body)
        connection.request(method, f"{place.path.rstrip('/')}{path}", body=sent, headers=headers)
        answer = connection.getresponse()
        text = answer.read(MAX_BYTES)
    except (OSError, HTTPException):
        raise SandboxError("The sandbox does not answer. Try again in a moment.") from None
    finally:
        connection.close()
    if answer.status == 401:
        raise SandboxError("The sandbox does not accept your management token.", is_refusal=True)
    try:
        found = json.loads(text)
    except ValueError:
        raise SandboxError("The sandbox's answer can't be read.") from None
    if answer.status >= 400:
        raise SandboxError(f"The sandbox refused it: “{found.get('message', '')}”", is_refusal=True)
    return found


def sandbox_tls(person: Person) -> SandboxTls | None:
    """Return the sandbox's TLS server; None if there is no sandbox or it doesn't answer."""
    if not settings.SANDBOX_URL:
        return None
    try:
        found = ask(personal_token(person), "GET", "/_tls")
        return SandboxTls(str(found["address"]), int(found["port"]), str(found["authority"]))
    except (SandboxError, TokenMissing, KeyError, TypeError, ValueError):
        return None


def personal_token(person: Person) -> Token:
    """Return the person's management token. Raises `SandboxError` if none is stored, and the errors of `StoredToken.open`."""
    stored = person.stored_tokens.filter(kind=Kind.MANAGEMENT).first()
    if stored is None:
        raise SandboxError("Store your management token first. The sandbox needs it.", is_refusal=True)
    return Token(stored.open())
