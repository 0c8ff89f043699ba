"""Group rows by day, and name periods that are often asked for."""

from collections.abc import Iterable
from datetime import date, datetime, timedelta, tzinfo
from itertools import groupby
from typing import NamedTuple, TypeVar

from django.utils import timezone

T = TypeVar("T")


class Period(NamedTuple):
    """Days from `since` until `until`, both included."""

    label: str
    since: date
    until: date

    @property
    def query(self) -> dict[str, str]:
        """Its part of the list's address."""
        return {"since": self.since.isoformat(), "until": self.until.isoformat()}


def day_title(day: date, today: date) -> str:
    """Return "Today", "Yesterday" or "Friday, 20 November", with the year if it is another."""
    if (today - day).days in (0, 1):
        return "Yesterday" if day < today else "Today"
    return f"{day:%A}, {day.day} {day:%B}" + (f" {day.year}" if day.year != today.year else "")


def periods(today: date) -> tuple[Period, ...]:
    """Return the periods to choose from; `today` is the reader's."""
    yesterday = today - timedelta(days=1)
    return (
        Period("Today", today, today),
        Period("Yesterday", yesterday, yesterday),
        Period("Last 7 days", today - timedelta(days=6), today),
    )


def by_day(rows: Iterable[tuple[datetime, T]], zone: tzinfo) -> list[tuple[str, list[tuple[str, T]]]]:
    """Group rows, given as pairs with their moments in order, by day: (title, [(time of day, row), …])."""
    today = timezone.now().astimezone(zone).date()
    days = groupby(((moment.astimezone(zone), row) for moment, row in rows), key=lambda pair: pair[0].date())
    return [(day_title(day, today), [(f"{moment:%H:%M}", row) for moment, row in events]) for day, events in days]
