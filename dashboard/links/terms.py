"""The terms of links with a code."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class CommonTerms:
    """The terms that all links have. `password`: None keeps it, "" removes it. `ends_at`: `NO_END` for a link without an end.

    `zone`: IANA time zone in which the expiry is shown besides UTC; "" keeps it.
    """

    ends_at: datetime
    zone: str = ""
    note: str = ""
    password: str | None = None
