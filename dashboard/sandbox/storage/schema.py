"""Read members of a JSON body or query as the service's schema does, coercing simple values."""

import math
import re
from collections.abc import Mapping, Sequence
from typing import Self

from dashboard.sandbox.storage import names, refusals

_WHOLE = re.compile(r"\s*[+-]?\d{1,300}(?:\.0*)?\s*")
_HUGE = 1 << 62
ANY_OF = "must match a schema in anyOf"


class Members:
    """A JSON object. `where` begins each message: `body`, `body/sortBy`, `querystring`."""

    def __init__(self, where: str, data: object) -> None:
        if not isinstance(data, Mapping):
            raise refusals.invalid(f"{where} must be object")
        self.where = where
        self.data = data

    def require(self, *members: str) -> None:
        for member in members:
            if member not in self.data:
                raise refusals.invalid(f"{self.where} must have required property '{member}'")

    def __contains__(self, member: str) -> bool:
        return member in self.data

    def inner(self, member: str) -> Self | None:
        return type(self)(f"{self.where}/{member}", self.data[member]) if member in self.data else None

    def text(self, member: str, default: str = "") -> str:
        if member not in self.data:
            return default
        return self._text(member, self.data[member])

    def one_of(self, member: str, allowed: Sequence[str], default: str) -> str:
        value = self.text(member, default)
        if value not in allowed:
            raise self._refusal(member, "must be equal to one of the allowed values")
        return value

    def integer(self, member: str, default: int, *, least: int, most: int | None = None) -> int:
        if member not in self.data:
            return default
        value = whole(self.data[member])
        if value is None:
            raise self._refusal(member, "must be integer")
        if value < least:
            raise self._refusal(member, f"must be >= {least}")
        if most is not None and value > most:
            raise self._refusal(member, f"must be <= {most}")
        return min(value, _HUGE)

    def boolean(self, member: str, *, default: bool) -> bool:
        if member not in self.data:
            return default
        match _single(self.data[member]):
            case bool(value):
                return value
            case None | "false" | 0:
                return False
            case "true" | 1:
                return True
        raise self._refusal(member, "must be boolean")

    def texts(self, member: str, *, least: int = 0, most: int | None = None) -> list[str]:
        """Return a list of texts; a single value counts as a list of one."""
        value = self.data[member]
        items = value if isinstance(value, list) else [value]
        if len(items) < least:
            raise self._refusal(member, f"must NOT have fewer than {least} items")
        if most is not None and len(items) > most:
            raise self._refusal(member, f"must NOT have more than {most} items")
        return [self._text(f"{member}/{at}", item) for at, item in enumerate(items)]

    def size(self, member: str) -> int | None:
        """Return bytes from a number or a text such as `5MB`; None for null."""
        value = _single(self.data[member])
        if value is None:
            return None
        number = whole(value)
        if number is not None and number >= 0:
            return number
        if isinstance(value, str) and names.SIZE.fullmatch(value):
            return names.size_in_bytes(value)
        complaints = ["must be integer"] if number is None else ["must be >= 0"]
        if number is None and not (isinstance(value, int | float) and math.isfinite(value)):
            complaints.append('must pass "finite" keyword validation')
        pattern = r"^[0-9]+(?:\.[0-9]+)?(?:[gG][bB]|[mM][bB]|[kK][bB]|[bB])$"
        complaints.append(f'must match pattern "{pattern}"' if isinstance(value, str | int | float) else "must be string")
        raise refusals.invalid(", ".join(f"{self.where}/{member} {complaint}" for complaint in [*complaints, ANY_OF]))

    def _text(self, member: str, value: object) -> str:
        value = _single(value)
        match value:
            case None:
                return ""
            case bool():
                return "true" if value else "false"
            case str():
                return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
            case int() | float():
                return str(value)
        raise self._refusal(member, "must be string")

    def _refusal(self, member: str, complaint: str) -> Exception:
        return refusals.invalid(f"{self.where}/{member} {complaint}")


def whole(value: object) -> int | None:
    """Return an integer from a JSON or query value, or None."""
    value = _single(value)
    match value:
        case None:
            return 0
        case bool() | int():
            return int(value)
        case float() if value.is_integer():
            return int(value)
        case str() if _WHOLE.fullmatch(value) and value.isascii():
            return int(value.partition(".")[0])
    return None


def _single(value: object) -> object:
    """Unwrap a list of one item."""
    if isinstance(value, list) and len(value) == 1 and not isinstance(value[0], (list, Mapping)):
        return value[0]
    return value
