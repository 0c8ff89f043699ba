"""Throttle guessing: at most 10 attempts in 15 minutes per subject, counted in the database.

A subject is a client's address, an account, or a link as opened from one address. The other limits are kept in the process and
end with it; attempts have to outlive a restart and hold for all processes, so they are rows. A cache would not do, as filling it
evicts entries.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from types import MappingProxyType

from django.db import connection
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.crypto import salted_hmac

from dashboard.web.http.requests import client_of
from dashboard.web.models import Attempt
from dashboard.web.process.database import read_rows

MAX_ATTEMPTS = 10
WINDOW = timedelta(minutes=15)
DAY = timedelta(days=1)
# Prefix of subjects that are counted per day.
DAILY = "day:"


class TooMany(Exception):  # noqa: N818 - reads as a sentence
    """The attempts are used up. `seconds` until the next one is allowed."""

    def __init__(self, seconds: int) -> None:
        super().__init__(f"the next try in {seconds} s")
        self.seconds = seconds


def of_address(address: str) -> str:
    """Return a client's address as a subject."""
    return subject("address", client_of(address))


def subject(kind: str, name: str) -> str:
    """Return a subject whose name is stored as a keyed digest."""
    return f"{kind}:{salted_hmac('dashboard.web.limits.throttle', f'{kind}:{name}', algorithm='sha256').hexdigest()[:48]}"


def require_room(subject: str) -> None:
    """Raise `TooMany` if the subject's attempts are used up. Counts none."""
    since = connection.ops.adapt_datetimefield_value(timezone.now() - WINDOW)
    recent = read_rows(Attempt, "WHERE subject = %s AND at > %s ORDER BY at LIMIT %s", (subject, since, MAX_ATTEMPTS))
    if len(recent) >= MAX_ATTEMPTS:
        raise _too_many(recent[0].at)


def count(*subjects: str, most: Mapping[str, int] = MappingProxyType({})) -> list[int]:
    """Count an attempt for each subject before checking it; return row ids for `forgive`. `most`: limits by subject.

    Raises `TooMany`; the attempt must not be checked then. Rows are inserted before counting, so parallel attempts can't exceed
    the limit.
    """
    Attempt.objects.filter(at__lt=timezone.now() - WINDOW).exclude(subject__startswith=DAILY).delete()
    made = [Attempt.objects.create(subject=subject).pk for subject in subjects]
    for subject in subjects:
        limit = most.get(subject, MAX_ATTEMPTS)
        recent = list(_recent(subject).values_list("at", flat=True)[: limit + 1])
        if len(recent) > limit:
            forgive(made)
            raise _too_many(recent[0])
    return made


def count_of_day(name: str, most: int) -> list[int]:
    """Count an attempt against a limit per 24 hours, as `count` does."""
    since, subject = timezone.now() - DAY, f"{DAILY}{name}"
    Attempt.objects.filter(subject__startswith=DAILY, at__lt=since).delete()
    made = [Attempt.objects.create(subject=subject).pk]
    recent = list(Attempt.objects.filter(subject=subject).order_by("at").values_list("at", flat=True)[: most + 1])
    if len(recent) > most:
        forgive(made)
        raise TooMany(max(1, round((recent[0] - since).total_seconds())))
    return made


def forgive(attempts: list[int]) -> None:
    """Delete counted attempts that succeeded or were not checked."""
    Attempt.objects.filter(pk__in=attempts).delete()


def _recent(subject: str) -> QuerySet[Attempt]:
    return Attempt.objects.filter(subject=subject, at__gt=timezone.now() - WINDOW).order_by("at")


def _too_many(oldest: datetime) -> TooMany:
    return TooMany(max(1, round((oldest + WINDOW - timezone.now()).total_seconds())))
