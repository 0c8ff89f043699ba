"""What every record of the two interfaces has in common: tolerance, dates, open states."""

import re
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, Protocol, Self, TypeVar

import msgspec

from dashboard.interfaces import errors
from dashboard.interfaces.operations import Operation

FreeForm = dict[str, Any]
"""An object whose members the document leaves open."""

HIDDEN = "••••"

T = TypeVar("T")


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """A frozen record. Unknown members are ignored, missing optional ones are None; a missing required one is `Unexpected`."""


class OpenEnum(StrEnum):
    """States of the document, of which a newer service may know more: an unknown one is kept as it is."""

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
    """Return the time in any ISO 8601 form, in UTC where no zone is named; None for none and for what is no time."""
    # not shown: the format of times. Both generations send ISO 8601, with `Z` or an offset, with and without fractions.
    if not text:
        return None
    try:
        parsed = datetime.fromisoformat(text.strip())
        return parsed.astimezone(UTC) if parsed.tzinfo else parsed.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        return None


class Answered(Protocol):
    """An answer with its whole body. It is handed on as one thing, as its repr hides what a traceback would show."""

    @property
    def status(self) -> int: ...
    @property
    def body(self) -> bytes: ...


def decode(answer: Answered, shape: type[T], *, operation: Operation) -> T:
    """Return the record or list of records in a JSON body, or raise `Unexpected` naming operation and member."""
    try:
        return msgspec.json.decode(answer.body, type=shape)
    except msgspec.ValidationError as error:
        sentence = _complaint(str(error), operation.id)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        sentence = f"The {operation.service} service answered {operation.id} with something that is no JSON."
    raise errors.Unexpected(sentence, operation=operation.id, service=operation.service, status=answer.status)


def _complaint(message: str, operation: str) -> str:
    """Name the member out of msgspec's message; the rest of it may quote a value."""
    missing = re.search(r"missing required field `(\w+)`", message)
    place = re.search(r"at `\$([\w.\[\]….]*)`", message)
    where = place.group(1).lstrip(".") if place else ""
    if missing:
        member = ".".join(part for part in (where, missing.group(1)) if part)
        return f"The answer to {operation} lacks its member “{member}”."
    return f"The answer to {operation} has another form than the document says{f' at “{where}”' if where else ''}."
