"""The failures of the two interfaces, raised by the transport.

::

    InterfaceError                                                                          effect
    ├── Unreachable      no connection                                                      not sent
    │   └── Crowded      too many requests are waiting for the service                      not sent
    ├── TimedOut         no answer in time (reads only, so nothing changed)                 not sent
    ├── UnknownOutcome   a write was sent and not answered: read back to settle it          unknown
    ├── TokenRefused     the token is not accepted                                          refused
    ├── NotAllowed       the token is accepted, but not for this                            refused
    ├── NotFound         it does not exist or is not visible                                refused
    ├── Conflict         it exists already, is in use, or is not in the state this needs    refused
    ├── Rejected         the service does not accept what was sent                          refused
    │   └── NameRefused  refused here; `suggestion` may hold a name that works              not sent
    ├── TooLarge         size or type refused                                               refused
    ├── SlowDown         rate limited; `retry_after` says for how many seconds              refused
    ├── Broken           the service failed on its side, or broke off                       unknown
    │   └── Paused       the project is paused and has no running database                  unknown
    └── Unexpected       an answer that the document does not describe                      unknown

`effect` says whether a failed write may have been applied. Ask it instead of listing classes.

`str(error)` is the sentence by which every page, entry and job says what happened. It never contains a credential, a service
address or another library's text.
`error.text` is the service's message, at most 300 characters, with credentials removed.
"""

# ruff: noqa: N818 - the names say what happened, in the words of the interface

from enum import StrEnum
from typing import Any, ClassVar, Literal

Service = Literal["management", "storage"]

# Statuses with which the service itself ends a request. After a proxy's 502, 504 or 544, or no answer, it may still be running.
ENDED = frozenset({500, 501, 503, 540})


class Effect(StrEnum):
    """Whether a failed write may have been applied."""

    NOT_SENT = "not sent"
    REFUSED = "refused"
    UNKNOWN = "unknown"


class InterfaceError(Exception):
    """An operation did not succeed.

    `operation` is its id ("S9"). `status` is None without an answer; for storage the body's `statusCode` wins over HTTP's.
    `retry_after` is in seconds. `remaining` is the number of calls left in the rate limit, if reported.
    `is_own`: the answer had the service's own form, so it is not a proxy's.
    """

    sentence: ClassVar[str] = "The {service} service did not do this."
    # Replaces `sentence` where an answer came; takes its status.
    answered: ClassVar[str] = ""
    # An error whose outcome was determined later overrides this on the instance.
    effect: Effect = Effect.UNKNOWN

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
        is_own: bool = False,
    ) -> None:
        usual = (status is not None and self.answered) or self.sentence
        super().__init__(usual.format(service=service, status=status) if sentence is None else sentence)
        # Tracebacks name the operation id; `sentence` leaves it out, as people don't know the ids.
        self.add_note(f"Operation {operation}")
        self.operation = operation
        self.service: Service = service
        self.status = status
        self.text = text
        self.retry_after = retry_after
        self.remaining = remaining
        self.duration_ms = duration_ms
        self.is_own = is_own

    @property
    def facts(self) -> dict[str, Any]:
        """Return constructor arguments for copying this failure into another class."""
        names = ("operation", "service", "status", "text", "retry_after", "remaining", "duration_ms", "is_own")
        return {name: getattr(self, name) for name in names}

    @property
    def is_over(self) -> bool:
        """Whether the service itself ended the request, so that reading it back shows the final state."""
        return self.is_own and self.status in ENDED


class Unreachable(InterfaceError):
    """No connection could be made, so nothing was sent."""

    sentence = "Pilothouse could not connect to the {service} service."
    effect = Effect.NOT_SENT


class Crowded(Unreachable):
    """Too many requests are waiting for this service, so this one was not sent."""

    sentence = "Too many requests are waiting for the {service} service."


class TimedOut(InterfaceError):
    """A read was not answered in time."""

    sentence = "The {service} service sent no answer in time."
    answered = "The {service} service took too long and answered {status}."
    effect = Effect.NOT_SENT


class UnknownOutcome(InterfaceError):
    """A write was sent and not answered, so it may have been applied."""

    sentence = "The request was sent to the {service} service, but no answer came back."
    answered = "The {service} service answered {status}, but not whether this was done."


class TokenRefused(InterfaceError):
    """The token is missing, wrong or expired."""

    sentence = "The {service} service did not accept the {service} token."
    effect = Effect.REFUSED


class NotAllowed(InterfaceError):
    """The token is valid but does not allow this."""

    sentence = "The {service} service accepts your token, but not for this."
    effect = Effect.REFUSED


class NotFound(InterfaceError):
    """The target does not exist or is not visible with this token."""

    sentence = "The {service} service has no such item, or your token can't see it."
    effect = Effect.REFUSED


class Conflict(InterfaceError):
    """The target already exists, is in use, or is in the wrong state."""

    sentence = "The {service} service reports that it already exists or is in use."
    effect = Effect.REFUSED


class Rejected(InterfaceError):
    """The service does not accept what was sent."""

    sentence = "The {service} service does not accept these values."
    # For reads, which send nothing to accept.
    asking: ClassVar[str] = "The {service} service does not accept this request."
    effect = Effect.REFUSED


class NameRefused(Rejected):
    """A name that can't be used, found before sending. `suggestion` is a valid name or None."""

    sentence = "This name cannot be used."
    effect = Effect.NOT_SENT

    def __init__(self, problem: str, *, operation: str, service: Service, suggestion: str | None = None) -> None:
        super().__init__(problem, operation=operation, service=service)
        self.suggestion = suggestion


class TooLarge(InterfaceError):
    """The size or type is refused."""

    sentence = "The {service} service does not accept this size or type."
    effect = Effect.REFUSED


class SlowDown(InterfaceError):
    """Rate limited; `retry_after` is never None here."""

    sentence = "The {service} service asks us to slow down."
    effect = Effect.REFUSED


class Broken(InterfaceError):
    """The service failed on its side, or its answer broke off."""

    sentence = "The {service} service broke off its answer."
    answered = "The {service} service returned an error ({status})."


class Paused(Broken):
    """The project is paused, so what needs its database doesn't work."""

    sentence = answered = "The project is paused."


class Unexpected(InterfaceError):
    """The document does not describe this answer."""

    sentence = "The {service} service sent an answer that Pilothouse can't read."
