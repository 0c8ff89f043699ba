"""The failures of the two interfaces: raised here once, by the transport, and caught once, far above.

::

    InterfaceError                                                                          effect
    ├── Unreachable      no connection                                                      not sent
    │   └── Crowded      enough requests wait for the service already                       not sent
    ├── TimedOut         no answer in time (reads only, so nothing changed)                 not sent
    ├── UnknownOutcome   a write was sent and not answered: read back before saying more    unknown
    ├── TokenRefused     the token is not accepted                                          refused
    ├── NotAllowed       the token is accepted, but not for this                            refused
    ├── NotFound         no such thing, or not visible                                      refused
    ├── Conflict         it exists already, is in use, or is not in the state this needs    refused
    ├── Rejected         the service does not like what was sent                            refused
    │   └── NameRefused  refused here; `suggestion` may hold a name that works              not sent
    ├── TooLarge         size or type refused                                               refused
    ├── SlowDown         rate limited; `retry_after` says for how many seconds              refused
    ├── Broken           the service failed on its side, or broke off                       unknown
    └── Unexpected       an answer that the document does not describe                      unknown

`effect` says what became of a write that failed this way. Ask it instead of listing classes.

`str(error)` is a sentence of ours. It never holds a credential, an address of the service or another library's text.
`error.text` holds the service's own words, at most 300 characters, with credentials taken out.
"""

# ruff: noqa: N818 - the names say what happened, in the words of the interface

from enum import StrEnum
from typing import Any, ClassVar, Literal

Service = Literal["management", "storage"]

# With these the service itself ended the request. Behind 502 or 504, or without an answer, it may still be running.
ENDED = frozenset({500, 501, 503, 540})


class Effect(StrEnum):
    """What became of a write that failed."""

    NOT_SENT = "not sent"
    REFUSED = "refused"
    UNKNOWN = "unknown"


class InterfaceError(Exception):
    """An operation did not succeed.

    `operation` is its id ("S9"), `service` which interface, `status` the status that counted (in storage the body's
    `statusCode` wins over HTTP's) or None without an answer, `retry_after` seconds or None, `remaining` the calls
    left in the rate limit where the answer said so, `duration_ms` the time spent.
    """

    sentence: ClassVar[str] = "The {service} service did not do {operation}."
    effect: ClassVar[Effect] = Effect.UNKNOWN

    def __init__(
        self,
        sentence: str | None = None,
        *,
        operation: str,
        service: Service,
        status: int | None = None,
        text: str = "",
        retry_after: float | None = None,
        remaining: int | None = None,
        duration_ms: float = 0.0,
    ) -> None:
        super().__init__(self.sentence.format(service=service, operation=operation) if sentence is None else sentence)
        self.operation = operation
        self.service: Service = service
        self.status = status
        self.text = text
        self.retry_after = retry_after
        self.remaining = remaining
        self.duration_ms = duration_ms

    @property
    def facts(self) -> dict[str, Any]:
        """The arguments that make an error of another class say the same."""
        names = ("operation", "service", "status", "text", "retry_after", "remaining", "duration_ms")
        return {name: getattr(self, name) for name in names}

    @property
    def is_over(self) -> bool:
        """Whether the service itself ended the request, so that what is read from now on is how it ended."""
        return self.status in ENDED


class Unreachable(InterfaceError):
    """No connection could be made, so nothing was sent."""

    sentence = "The {service} service cannot be reached ({operation})."
    effect = Effect.NOT_SENT


class Crowded(Unreachable):
    """As many requests as may wait for this service do so already, so this one was not sent."""

    sentence = "Enough requests wait for the {service} service already ({operation})."


class TimedOut(InterfaceError):
    """A read was sent and not answered in time."""

    sentence = "The {service} service did not answer in time ({operation})."
    effect = Effect.NOT_SENT


class UnknownOutcome(InterfaceError):
    """A write was sent and no answer came: it may have happened or not."""

    sentence = "The {service} service was asked for {operation} and did not say whether it was done."


class TokenRefused(InterfaceError):
    """The token is missing, wrong or expired."""

    sentence = "The {service} service does not accept the token ({operation})."
    effect = Effect.REFUSED


class NotAllowed(InterfaceError):
    """The token is good, but its owner may not do this."""

    sentence = "The {service} service does not allow this ({operation})."
    effect = Effect.REFUSED


class NotFound(InterfaceError):
    """There is no such thing, or it is not visible with this token."""

    sentence = "The {service} service knows no such thing ({operation})."
    effect = Effect.REFUSED


class Conflict(InterfaceError):
    """It exists already, is in use, or is not in the state that this needs."""

    sentence = "What is there already stands in the way ({operation})."
    effect = Effect.REFUSED


class Rejected(InterfaceError):
    """The service does not like what was sent."""

    sentence = "The {service} service did not accept what was sent ({operation})."
    effect = Effect.REFUSED


class NameRefused(Rejected):
    """A name that cannot be used; found before anything was sent. `suggestion` is a name that can, or None."""

    sentence = "This name cannot be used ({operation})."
    effect = Effect.NOT_SENT

    def __init__(self, problem: str, *, operation: str, service: Service, suggestion: str | None = None) -> None:
        super().__init__(problem, operation=operation, service=service)
        self.suggestion = suggestion


class TooLarge(InterfaceError):
    """Its size or its type is refused."""

    sentence = "The {service} service refuses a thing of this size or type ({operation})."
    effect = Effect.REFUSED


class SlowDown(InterfaceError):
    """Rate limited; `retry_after` is never None here."""

    sentence = "The {service} service asks to slow down ({operation})."
    effect = Effect.REFUSED


class Broken(InterfaceError):
    """The service failed on its side, or its answer broke off."""

    sentence = "The {service} service failed ({operation})."


class Unexpected(InterfaceError):
    """The answer is not one that the document describes."""

    sentence = "The {service} service gave an answer that the document does not describe ({operation})."
