"""Delete old rows in bounded batches, one of each kind per sweep.

An upper layer registers a batch of its own in its `feature`: a few statements that are safe to repeat and to interrupt, since
several workers may run them at once.
"""

from collections.abc import Callable
from datetime import timedelta
from typing import TypeVar

from allauth.usersessions.models import UserSession
from django.contrib.sessions.models import Session
from django.db import models, transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from dashboard.jobs.models import ENDED, Job, State
from dashboard.journal import archive
from dashboard.notifications import outbox
from dashboard.reviews import reviews

KEEP_ENDED = timedelta(days=30)
KEEP_PLANNED = timedelta(days=7)
SESSION_SAVED_WITHIN = timedelta(hours=1)
# Batch size: keeps the delete's lock short.
MOST_ROWS = 2000

M = TypeVar("M", bound=models.Model)
Deletion = Callable[[], None]
_registered: list[Deletion] = []


def register(deletion: Deletion) -> None:
    """Run this deletion in every sweep."""
    _registered.append(deletion)


def tidy() -> None:
    """Delete one batch of everything that is too old."""
    for deletion in (_delete_old_job, _delete_expired_sessions, reviews.tidy, outbox.tidy, archive.prune, *_registered):
        deletion()


def delete_some(rows: QuerySet[M]) -> bool:
    """Delete the first 2,000 of these rows. Return False if there were no more."""
    pks = list(rows.values_list("pk", flat=True)[:MOST_ROWS])
    rows.filter(pk__in=pks).delete()
    return len(pks) == MOST_ROWS


def _delete_expired_sessions() -> None:
    """Delete expired sessions in batches, as Django's `clearsessions` would, and the rows about deleted sessions."""
    delete_some(Session.objects.filter(expire_date__lt=timezone.now()))
    session = Session.objects.filter(session_key=OuterRef("session_key"))
    # Spare new rows: one may be older than its session, which is saved at the end of the request.
    delete_some(UserSession.objects.filter(~Exists(session), last_seen_at__lt=timezone.now() - SESSION_SAVED_WITHIN))


def _delete_old_job() -> None:
    """Delete a job that ended long ago or a plan that was never applied, items first. Its journal entries stay."""
    now = timezone.now()
    ended = Q(state__in=ENDED, ended_at__lt=now - KEEP_ENDED)
    never_applied = Q(state__in=(State.PLANNED, State.CANCELLED), begun_at=None, planned_at__lt=now - KEEP_PLANNED)
    old = Job.objects.filter(ended | never_applied)
    if not old.exists():
        return
    with transaction.atomic():
        job = old.select_for_update().order_by("pk").first()
        if job is None:
            return
        if delete_some(job.items.all()):
            # Half of its items are deleted, so it must not be resumed.
            Job.objects.filter(pk=job.pk).update(state=State.CANCELLED)
        else:
            job.delete()
