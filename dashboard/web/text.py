"""Numbers, bytes and times as people read them."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from django.utils import timezone

UNITS = ("KiB", "MiB", "GiB", "TiB", "PiB")
TAIL = 12
# Zones without a place.
NOWHERE = frozenset({"UTC", "Etc", "GMT"})

_STEPS = ((60, "second"), (60, "minute"), (24, "hour"), (30, "day"), (12, "month"))


def bytes_text(count: int | None) -> str:
    """Binary units with one decimal: "1.4 MiB"; below 1 KiB the exact number."""
    if count is None:
        return "—"
    if count < 1024:
        return f"{count} byte{'' if count == 1 else 's'}"
    size = float(count)
    for unit in UNITS:
        size /= 1024
        if round(size, 1) < 1024 or unit == UNITS[-1]:
            break
    return f"{size:,.1f} {unit}"


def exact_bytes(count: int | None) -> str:
    return "" if count is None else f"{count:,} bytes"


def relative(moment: datetime, now: datetime | None = None) -> str:
    """ "3 minutes ago", "in 2 days", "just now". What is past is counted in whole units, what is to come to the nearest."""
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
    """ "2026-11-21 07:47:51 UTC"."""
    return f"{moment.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"


def local(moment: datetime, zone: str) -> str:
    """ "Saturday 28 November 2026, 15:14 in Berlin" for an IANA zone; "" for one that says no more than UTC, or is not known."""
    there = zone_named(zone)
    if there is None or zone.partition("/")[0] in NOWHERE:
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
    """A long key in two parts: the first may be cut by the style sheet, the last stays readable."""
    return (key, "") if len(key) <= 2 * tail else (key[:-tail], key[-tail:])


def counted(count: int, one: str, many: str = "") -> str:
    """ "1 object", "2,500 objects"; `many` where that is not `one` and an s."""
    return f"{count:,} {one if count == 1 else many or f'{one}s'}"
