"""The activity by day, and days that are often asked for."""

from collections.abc import Sequence
from datetime import date, timedelta, tzinfo
from itertools import groupby
from typing import NamedTuple

from django.utils import timezone

from dashboard.journal.queries import Row


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


def by_day(rows: Sequence[Row], zone: tzinfo) -> list[tuple[str, list[tuple[str, Row]]]]:
    """Return the rows of each day, with their times of day."""
    today = timezone.now().astimezone(zone).date()
    days = groupby(((row.started_at.astimezone(zone), row) for row in rows), key=lambda pair: pair[0].date())
    return [(day_title(day, today), [(f"{moment:%H:%M}", row) for moment, row in events]) for day, events in days]
