"""Base classes and decoding of records: tolerant structs, open enumerations, times."""

import re
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, Protocol, Self, TypeVar

import msgspec

from dashboard.interfaces import errors
from dashboard.interfaces.operations import Operation

FreeForm = dict[str, Any]
"""An object whose members the document does not define."""

HIDDEN = "••••"

T = TypeVar("T")


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """A frozen record. Unknown members are ignored; a missing required one is `Unexpected`."""


class OpenEnum(StrEnum):
    """States that keep unknown values of newer services as they are."""

    @classmethod
    def _missing_(cls, value: object) -> Self | None:
        if not isinstance(value, str):
            return None
        unknown = str.__new__(cls, value)
        unknown._name_ = "UNKNOWN"
        unknown._value_ = value
        return unknown

    @property
    def is_known(self) -> bool:
        return self._name_ != "UNKNOWN"


def moment(text: str | None) -> datetime | None:
    """Parse an ISO 8601 time, in UTC if it names no zone; None if empty or invalid."""
    # not shown: the format of times. Both generations send ISO 8601, with `Z` or an offset, with and without fractions.
    if not text:
        return None
    try:
        parsed = datetime.fromisoformat(text.strip())
        return parsed.astimezone(UTC) if parsed.tzinfo else parsed.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        return None


class Answered(Protocol):
    """An answer with its body; passed as one object because its repr hides the content."""

    @property
    def status(self) -> int: ...
    @property
    def body(self) -> bytes: ...


def decode(answer: Answered, shape: type[T], *, operation: Operation) -> T:
    """Decode a JSON body. Raises `Unexpected`, whose sentence names the member."""
    try:
        return msgspec.json.decode(answer.body, type=shape)
    except msgspec.ValidationError as error:
        sentence = _complaint(str(error))
    except (msgspec.MsgspecError, ValueError, RecursionError):
        sentence = f"The {operation.service} service answered with invalid JSON."
    raise errors.Unexpected(sentence, operation=operation.id, service=operation.service, status=answer.status)


def _complaint(message: str) -> str:
    """Describe msgspec's error by its member only, because the message may quote a value."""
    missing = re.search(r"missing required field `(\w+)`", message)
    place = re.search(r"at `\$([\w.\[\]….]*)`", message)
    where = place.group(1).lstrip(".") if place else ""
    if missing:
        member = ".".join(part for part in (where, missing.group(1)) if part)
        return f"The answer lacks the member “{member}”."
    return f"The answer has an unexpected form{f' at “{where}”' if where else ''}."
