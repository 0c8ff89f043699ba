"""The arguments and the answer of one operation, and the guard that may restrict both."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import msgspec

from dashboard.interfaces.credentials import Token
from dashboard.interfaces.transport.bodies import Payload, SizedReader
from dashboard.interfaces.transport.streams import ObjectStream

OMITTED: Any = object()
"""No JSON body at all; None would send `null`."""


@dataclass(frozen=True, slots=True, repr=False)
class Ask:
    """The arguments of one operation; its repr shows only the operation.

    `secrets` are texts of the body to remove from error messages.
    """

    operation: str
    names: Mapping[str, str] = field(default_factory=dict)
    query: Mapping[str, str] = field(default_factory=dict)
    json: Any = OMITTED
    body: Payload | SizedReader | bytes | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    credential: bool = True
    link: Token | None = None
    path: str | None = None
    body_optional: bool = False
    secrets: tuple[str, ...] = ()

    @property
    def question(self) -> str:
        """The arguments as one text, as a key for `Memory`."""
        asked = [self.names, self.query, None if self.json is OMITTED else self.json, *([self.headers] if self.headers else [])]
        return msgspec.json.encode(asked, order="sorted").decode()

    def __repr__(self) -> str:
        return f"Ask({self.operation})"


@dataclass(frozen=True, slots=True, repr=False)
class Answer:
    """A success with its whole body; `headers` has lower-case names."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    def __repr__(self) -> str:
        return f"Answer({self.status}, {len(self.body)} bytes)"


class Guard(Protocol):
    """Restricts what a credential is used for. Runs in the thread of the call, maybe a pool thread."""

    def check(self, ask: Ask) -> Ask:
        """Return the request to send, or raise if it is not allowed. Called before anything is sent or cached."""

    def fetch(self, ask: Ask, shape: Any, call: Callable[[Ask, Any], Any]) -> Any:
        """Return the part of the decoded answer that is in scope. `call` sends an operation without this guard."""

    def follow(self, ask: Ask, stream: ObjectStream) -> ObjectStream:
        """Return a download that stops when the right to read it ends."""
