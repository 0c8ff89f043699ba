"""Jobs that lost their worker, or their message, come back in line; what nobody needs any more goes."""

import logging
from datetime import timedelta

from django.db.models import F, Q
from django.utils import timezone

from dashboard.jobs import kinds, queue, retention, transitions, workers
from dashboard.jobs.models import ItemState, Job, State, Worker

log = logging.getLogger(__name__)

STALE = timedelta(seconds=30)
MOST_LOST = 8


def sweep(me: int | None = None) -> int:
    """Queue every orphaned job anew; how many there were. `me` is the worker that asks, holding nothing at the moment."""
    dead = workers.dead()
    stale = Q(heartbeat_at__lt=timezone.now() - STALE) | Q(worker_id__in=dead)
    if me is not None:
        stale |= Q(worker_id=me)
    orphans = list(Job.objects.filter(stale, state=State.RUNNING))
    for job in orphans:
        _recover(job)
    Worker.objects.filter(pk__in=dead).delete()
    retention.tidy()
    return len(orphans) + _without_message()


def _recover(job: Job) -> None:
    """The attempt is part of the guard: a worker that only seemed dead and has ended its turn meanwhile is left alone."""
    theirs = Job.objects.filter(pk=job.pk, state=State.RUNNING, attempt=job.attempt)
    if job.lost_workers + 1 >= MOST_LOST:
        transitions.finish(theirs, State.FAILED, message=f"The worker ended {MOST_LOST} times in a row while it was doing this.")
        return
    kind = kinds.find(job.kind)
    in_flight = job.items.filter(state=ItemState.IN_FLIGHT).exists()
    after = kind.settle_delay if kind and in_flight else 0.0
    # A dead worker's attempt never comes back, whoever claims next.
    if transitions.enqueue(theirs, after=after, attempt=F("attempt") + 1, lost_workers=F("lost_workers") + 1):
        log.warning("Job %s lost its worker and was queued anew", job.pk)


def _without_message() -> int:
    lined = {job.ticket: job for job in Job.objects.filter(state__in=(State.QUEUED, State.WAITING)) if job.ticket}
    found = 0
    for ticket in queue.gone(lined):
        job = lined[ticket]
        after = max(0.0, (job.next_try_at - timezone.now()).total_seconds()) if job.next_try_at else 0.0
        same = Job.objects.filter(pk=job.pk, state=job.state, ticket=ticket)
        found += transitions.enqueue(same, state=State(job.state), after=after, message=job.message)
    queue.clean()
    return found
