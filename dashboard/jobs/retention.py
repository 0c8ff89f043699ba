"""How long things are kept. What nobody needs any more goes by bounded pieces, one of each whenever a worker sweeps.

An upper floor whose rows have an end registers a piece of its own, in `AppConfig.ready`: `keeping.register(piece)`. It is a few
statements, safe to repeat and to be cut off at any moment; another worker may be at the same rows.
"""

from collections.abc import Callable
from datetime import timedelta
from typing import TypeVar

from django.contrib.sessions.models import Session
from django.db import models, transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from dashboard.jobs.models import ENDED, Job, State
from dashboard.reviews import reviews

ENDED_FOR = timedelta(days=30)
PLANNED_FOR = timedelta(days=7)
# So many rows go in a moment; whoever wants to write meanwhile waits no longer.
AT_ONCE = 2000

M = TypeVar("M", bound=models.Model)
Piece = Callable[[], None]
_pieces: list[Piece] = []


def register(batch: Piece) -> None:
    """Have this done, too."""
    if batch not in _pieces:
        _pieces.append(batch)


def tidy() -> None:
    """One piece of everything that has to go. For the sweep."""
    for batch in (_old_job, _ended_sessions, reviews.tidy, *_pieces):
        batch()


def delete_some(rows: QuerySet[M]) -> bool:
    """Delete the first 2,000 of these rows. False: that was all."""
    pks = list(rows.values_list("pk", flat=True)[:AT_ONCE])
    rows.filter(pk__in=pks).delete()
    return len(pks) == AT_ONCE


def _ended_sessions() -> None:
    """What Django's `clearsessions` does, in pieces."""
    delete_some(Session.objects.filter(expire_date__lt=timezone.now()))


def _old_job() -> None:
    """A job that ended long ago, or a plan that nobody began: its items first. What it changed stays in the journal."""
    now = timezone.now()
    ended = Q(state__in=ENDED, ended_at__lt=now - ENDED_FOR)
    never_begun = Q(state__in=(State.PLANNED, State.CANCELLED), begun_at=None, planned_at__lt=now - PLANNED_FOR)
    old = Job.objects.filter(ended | never_begun)
    if not old.exists():
        return
    with transaction.atomic():
        job = old.select_for_update().order_by("pk").first()
        if job is None:
            return
        if delete_some(job.items.all()):
            # Nobody may go on with half of it.
            Job.objects.filter(pk=job.pk).update(state=State.CANCELLED)
        else:
            job.delete()
