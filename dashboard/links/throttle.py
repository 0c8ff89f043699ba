"""Guessing is slow: at most 10 wrong codes or passwords in 15 minutes, per address and per link, counted in the database."""

from datetime import datetime, timedelta
from ipaddress import IPv6Address, ip_address

from django.db.models import QuerySet
from django.utils import timezone

from dashboard.links.codes import digest
from dashboard.links.models import Share, Trial

MOST = 10
WINDOW = timedelta(minutes=15)


class TooMany(Exception):  # noqa: N818 - what happened, for a sentence
    """No further try for now. `seconds` until the next one."""

    def __init__(self, seconds: int) -> None:
        super().__init__(f"the next try in {seconds} s")
        self.seconds = seconds


def of_address(address: str) -> str:
    """How a client's address stands in the table: as a digest; of IPv6 the network, since one client has all of it."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return f"address:{digest(address, purpose='address')[:48]}"
    if isinstance(parsed, IPv6Address):
        address = str(parsed.ipv4_mapped or (int(parsed) >> 64))
    return f"address:{digest(address, purpose='address')[:48]}"


def of_share(share: Share) -> str:
    return f"share:{share.pk}"


def require_room(subject: str) -> None:
    """Raise `TooMany` where the tries of this subject are used up. Counts nothing."""
    recent = list(_recent(subject).values_list("at", flat=True)[:MOST])
    if len(recent) >= MOST:
        raise _too_many(recent[0])


def count(*subjects: str) -> list[int]:
    """Count one try for each subject before it is looked at, and return the rows for `forgive`. Raises `TooMany`: don't look.

    The row comes first and the counting after it, so that however many try at once, no more than 10 get through.
    """
    Trial.objects.filter(at__lt=timezone.now() - WINDOW).delete()
    made = [Trial.objects.create(subject=subject).pk for subject in subjects]
    for subject in subjects:
        recent = list(_recent(subject).values_list("at", flat=True)[: MOST + 1])
        if len(recent) > MOST:
            forgive(made)
            raise _too_many(recent[0])
    return made


def forgive(tries: list[int]) -> None:
    """Take counted tries back: they were right, or were not looked at."""
    Trial.objects.filter(pk__in=tries).delete()


def _recent(subject: str) -> QuerySet[Trial]:
    return Trial.objects.filter(subject=subject, at__gt=timezone.now() - WINDOW).order_by("at")


def _too_many(oldest: datetime) -> TooMany:
    return TooMany(max(1, round((oldest + WINDOW - timezone.now()).total_seconds())))
