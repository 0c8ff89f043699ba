"""Days of the activity that are often asked for."""

from datetime import date, timedelta
from typing import NamedTuple


class Period(NamedTuple):
    """Days from `since` until `until`, both included."""

    label: str
    since: date
    until: date

    @property
    def query(self) -> dict[str, str]:
        """Its part of the list's address."""
        return {"since": self.since.isoformat(), "until": self.until.isoformat()}


def periods(today: date) -> tuple[Period, ...]:
    """Return the periods to choose from; `today` is the reader's."""
    yesterday = today - timedelta(days=1)
    return (
        Period("Today", today, today),
        Period("Yesterday", yesterday, yesterday),
        Period("Last 7 days", today - timedelta(days=6), today),
        Period("Last 30 days", today - timedelta(days=29), today),
    )
