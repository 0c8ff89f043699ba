"""Slow down guessing: at most 10 attempts in 15 minutes for each subject, counted in the database.

A subject is what attempts are counted for: a client's address, a share link, an account. Nothing but time removes the rows, while
entries of a cache can be pushed out by filling it.
"""

from datetime import datetime, timedelta
from ipaddress import IPv6Address, ip_address

from django.db import connection
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.crypto import salted_hmac

from dashboard.web.database import read_rows
from dashboard.web.models import Attempt

MOST = 10
WINDOW = timedelta(minutes=15)


class TooMany(Exception):  # noqa: N818 - what happened, for a sentence
    """No further attempt for now. `seconds` until the next one."""

    def __init__(self, seconds: int) -> None:
        super().__init__(f"the next try in {seconds} s")
        self.seconds = seconds


def of_address(address: str) -> str:
    """A client's address as a subject. Of IPv6 the network counts, since one client has all of it."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return subject("address", address)
    if isinstance(parsed, IPv6Address):
        address = str(parsed.ipv4_mapped or (int(parsed) >> 64))
    return subject("address", address)


def subject(kind: str, name: str) -> str:
    """A subject whose name is not to be read in the database: it is stored as a keyed digest."""
    return f"{kind}:{salted_hmac('dashboard.web.throttle', f'{kind}:{name}', algorithm='sha256').hexdigest()[:48]}"


def require_room(subject: str) -> None:
    """Raise `TooMany` where the attempts of this subject are used up. Counts nothing."""
    since = connection.ops.adapt_datetimefield_value(timezone.now() - WINDOW)
    recent = read_rows(Attempt, "WHERE subject = %s AND at > %s ORDER BY at LIMIT %s", (subject, since, MOST))
    if len(recent) >= MOST:
        raise _too_many(recent[0].at)


def count(*subjects: str) -> list[int]:
    """Count one attempt for each subject before it is looked at; return the rows for `forgive`. Raises `TooMany`: don't look.

    The row comes first and the counting after it, so that however many try at once, no more than 10 get through.
    """
    Attempt.objects.filter(at__lt=timezone.now() - WINDOW).delete()
    made = [Attempt.objects.create(subject=subject).pk for subject in subjects]
    for subject in subjects:
        recent = list(_recent(subject).values_list("at", flat=True)[: MOST + 1])
        if len(recent) > MOST:
            forgive(made)
            raise _too_many(recent[0])
    return made


def forgive(attempts: list[int]) -> None:
    """Take counted attempts back: they were right, or were not looked at."""
    Attempt.objects.filter(pk__in=attempts).delete()


def _recent(subject: str) -> QuerySet[Attempt]:
    return Attempt.objects.filter(subject=subject, at__gt=timezone.now() - WINDOW).order_by("at")


def _too_many(oldest: datetime) -> TooMany:
    return TooMany(max(1, round((oldest + WINDOW - timezone.now()).total_seconds())))
