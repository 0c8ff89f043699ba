"""Format numbers, sizes and times for people."""

import re
from datetime import UTC, datetime
from itertools import islice
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from django.utils import timezone
from django.utils.html import format_html

UNITS = ("KB", "MB", "GB", "TB", "PB")
TAIL = 12
SEARCH_CHARACTERS, SEARCH_WORDS = 1000, 20
# Zone areas whose names contain no city.
AREAS_WITHOUT_CITY = frozenset({"UTC", "Etc", "GMT"})

_WORD = re.compile(r"\s*\S+\s*")
_STEPS = ((60, "second"), (60, "minute"), (24, "hour"), (30, "day"), (12, "month"))


def search_text(typed: str) -> str:
    """Return the text to search a list for: what was typed, limited to `SEARCH_CHARACTERS` and `SEARCH_WORDS`."""
    return "".join(found[0] for found in islice(_WORD.finditer(typed[:SEARCH_CHARACTERS]), SEARCH_WORDS))


def bytes_text(count: int | None) -> str:
    """Return units of 1,000 with one decimal ("1.4 MB"); below 1 KB the exact number; "Unknown" for None."""
    if count is None:
        return "Unknown"
    if count < 1000:
        return exact_bytes(count)
    size = float(count)
    for unit in UNITS:
        size /= 1000
        if round(size, 1) < 1000 or unit == UNITS[-1]:
            break
    return f"{size:,.1f} {unit}"


def exact_bytes(count: int | None) -> str:
    return "" if count is None else counted(count, "byte")


def countdown(seconds: int) -> str:
    """Return markup that says "in 7 s", counts down and ends with "now" (times.js). Screen readers say it once."""
    return format_html('<time datetime="PT{0}S" data-in="{0}" aria-live="off">in {0} s</time>', seconds)


def relative(moment: datetime, now: datetime | None = None) -> str:
    """Return "3 minutes ago", "in 2 days", "just now". The past rounds down, the future to nearest."""
    seconds = ((now or timezone.now()) - moment).total_seconds()
    amount = abs(seconds)
    if amount < 10:
        return "just now" if seconds >= 0 else "in a moment"
    name = "year"
    for size, step in _STEPS:
        if amount < size:
            name = step
            break
        amount /= size
    number = int(amount) if seconds >= 0 else round(amount)
    text = f"{number} {name}{'' if number == 1 else 's'}"
    return f"{text} ago" if seconds >= 0 else f"in {text}"


def exact(moment: datetime) -> str:
    """Return the time as "21 Nov 2026, 07:47:51 UTC"."""
    return f"{moment.astimezone(UTC):%-d %b %Y, %H:%M:%S} UTC"


def sortable(moment: datetime) -> str:
    """Return the time as "2026-11-21 07:47:51 UTC", for tables read by other programs."""
    return f"{moment.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"


def local(moment: datetime, zone: str) -> str:
    """Return "Saturday 28 November 2026, 15:14 in Berlin"; "" for UTC or an unknown zone."""
    there = zone_named(zone)
    if there is None or zone.partition("/")[0] in AREAS_WITHOUT_CITY:
        return ""
    at = moment.astimezone(there)
    city = zone.rpartition("/")[2].replace("_", " ")
    return f"{at:%A} {at.day} {at:%B %Y, %H:%M} in {city}"


def zone_named(name: str) -> ZoneInfo | None:
    try:
        return ZoneInfo(name) if name else None
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None


def halves(key: str, tail: int = TAIL) -> tuple[str, str]:
    """Split a long key: CSS may truncate the first part, the last stays readable."""
    return (key, "") if len(key) <= 2 * tail else (key[:-tail], key[-tail:])


def counted(count: int, one: str, many: str = "") -> str:
    """Return "1 object" or "2,500 objects"; `many` is the plural if irregular."""
    return f"{count:,} {one if count == 1 else many or f'{one}s'}"
