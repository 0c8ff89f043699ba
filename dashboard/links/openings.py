"""The openings of share links: when, viewed or downloaded, and by what kind of device. No address and no user agent is kept.

What counts as an opening is decided where `access.take` and `access.begun` are called.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, time, timedelta, tzinfo

from django.db import connection
from django.db.models import Count, QuerySet
from django.db.models.functions import TruncDate
from django.http import HttpRequest
from django.utils import timezone

from dashboard.links.models import Device, Opening, Share

KEPT = timedelta(days=90)
CHARTED_DAYS = 14
MOST_FORGOTTEN = 2000
# The first that matches; programs such as curl name no browser.
_DEVICES = (
    (Device.TABLET, re.compile(r"iPad|Tablet|Android(?!.*Mobile)")),
    (Device.PHONE, re.compile(r"iPhone|Android|Mobi")),
    (Device.COMPUTER, re.compile(r"Mozilla.*(Windows|Macintosh|X11|Linux|CrOS)")),
)
# Plain SQL, because composing the query takes time at every opening.
_KEEP = "INSERT INTO links_opening (share_id, at, downloaded, device) VALUES (%s, %s, %s, %s)"


@dataclass(frozen=True, slots=True)
class Visit:
    """How a link is opened. `downloaded`: else it is viewed."""

    downloaded: bool
    device: str


def visit_of(request: HttpRequest, *, downloaded: bool) -> Visit:
    agent = request.headers.get("User-Agent", "")
    return Visit(downloaded, next((device for device, pattern in _DEVICES if pattern.search(agent)), Device.OTHER))


def keep(share_id: int, visit: Visit, at: datetime) -> None:
    """Keep one opening. Call it in the transaction that counts it."""
    moment = connection.ops.adapt_datetimefield_value(at)
    with connection.cursor() as cursor:
        cursor.execute(_KEEP, (share_id, moment, visit.downloaded, visit.device))


def listed(share: Share) -> QuerySet[Opening]:
    """Return the openings of the last 90 days, newest first. For the link's owner only."""
    return Opening.objects.filter(share=share, at__gt=timezone.now() - KEPT).order_by("-pk")


def daily(share_ids: Iterable[int], zone: tzinfo) -> dict[int, list[int]]:
    """Return how often each of these links was opened on each of the last 14 days in this time zone, today last.

    For the links' owner only. Links without openings in these days are left out.
    """
    begins = timezone.localdate(timezone=zone) - timedelta(days=CHARTED_DAYS - 1)
    recent = Opening.objects.filter(share__in=list(share_ids), at__gte=datetime.combine(begins, time.min, zone))
    counts = recent.values_list("share", TruncDate("at", tzinfo=zone)).annotate(Count("pk")).order_by()
    found: dict[int, list[int]] = {}
    for share_id, day, count in counts:
        found.setdefault(share_id, [0] * CHARTED_DAYS)[min((day - begins).days, CHARTED_DAYS - 1)] += count
    return found


def forget() -> None:
    """Delete a batch of openings that are older than 90 days."""
    old = Opening.objects.filter(at__lte=timezone.now() - KEPT).order_by("at").values_list("pk", flat=True)
    Opening.objects.filter(pk__in=list(old[:MOST_FORGOTTEN])).delete()
