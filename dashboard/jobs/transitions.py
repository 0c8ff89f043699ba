"""A job from one state to the next, always by a query that finds it only where it is still in the state it leaves."""

from datetime import timedelta
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from dashboard.jobs import queue as job_queue
from dashboard.jobs.models import ENDED, WORDS_LIMIT, Asked, Go, Job, JobItem, Phase, State


def queue(jobs: QuerySet[Job], *, state: State = State.QUEUED, after: float = 0.0, words: str = "", **values: Any) -> bool:
    """Put the one job that `jobs` finds in line for a worker, not before `after` seconds. False: it finds none any more."""
    with transaction.atomic():
        job = jobs.select_for_update(of=("self",)).first()
        if job is None:
            return False
        at = timezone.now() + timedelta(seconds=after) if after > 0 else None
        job_queue.drop(job.ticket)
        Job.objects.filter(pk=job.pk).update(
            state=state,
            ticket=job_queue.put(job.pk, at=at),
            worker=None,
            heartbeat_at=None,
            next_try_at=at if state == State.WAITING else None,
            words=words[:WORDS_LIMIT],
            ended_at=None,
            **values,
        )
    return True


def rest(jobs: QuerySet[Job], state: State, *, words: str = "", **values: Any) -> bool:
    """Leave the one job that `jobs` finds in a state that no worker takes it from: ended or resting. False: it finds none."""
    with transaction.atomic():
        job = jobs.select_for_update(of=("self",)).first()
        if job is None:
            return False
        job_queue.drop(job.ticket)
        Job.objects.filter(pk=job.pk).update(
            state=state,
            asked=Asked.NOTHING,
            ticket=None,
            worker=None,
            heartbeat_at=None,
            next_try_at=None,
            words=words[:WORDS_LIMIT],
            ended_at=timezone.now() if state in ENDED else None,
            **values,
        )
    return True


def plan_again(jobs: QuerySet[Job], words: str) -> bool:
    """Forget the plan of the one job that `jobs` finds, and make it anew; `words` say why. False: it finds none any more."""
    with transaction.atomic():
        job = jobs.select_for_update(of=("self",)).first()
        if job is None:
            return False
        JobItem.objects.filter(job=job).delete()
        Job.objects.filter(pk=job.pk).update(facts={}, planned_at=None, begun_at=None, total=None, conflicts=0, looked=0)
        why = words[:WORDS_LIMIT]
        return queue(jobs, phase=Phase.PLAN, cursor=job.origin, go=Go.ASK, again=why, asked=Asked.NOTHING)
