"""A job from one state to the next, always by a query that finds it only where it is still in the state it leaves."""

from datetime import timedelta
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from dashboard.jobs import queue as job_queue
from dashboard.jobs.models import ENDED, MESSAGE_MAX_LENGTH, Approval, Job, JobItem, Phase, Request, State


def enqueue(jobs: QuerySet[Job], *, state: State = State.QUEUED, after: float = 0.0, message: str = "", **values: Any) -> bool:
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
            message=message[:MESSAGE_MAX_LENGTH],
            ended_at=None,
            **values,
        )
    return True


def finish(jobs: QuerySet[Job], state: State, *, message: str = "", **values: Any) -> bool:
    """Leave the one job that `jobs` finds in a state that no worker takes it from: ended or resting. False: it finds none."""
    with transaction.atomic():
        job = jobs.select_for_update(of=("self",)).first()
        if job is None:
            return False
        job_queue.drop(job.ticket)
        Job.objects.filter(pk=job.pk).update(
            state=state,
            requested=Request.NOTHING,
            ticket=None,
            worker=None,
            heartbeat_at=None,
            next_try_at=None,
            message=message[:MESSAGE_MAX_LENGTH],
            ended_at=timezone.now() if state in ENDED else None,
            **values,
        )
    return True


def replan(jobs: QuerySet[Job], message: str) -> bool:
    """Forget the plan of the one job that `jobs` finds, and make it anew; `words` say why. False: it finds none any more."""
    with transaction.atomic():
        job = jobs.select_for_update(of=("self",)).first()
        if job is None:
            return False
        JobItem.objects.filter(job=job).delete()
        Job.objects.filter(pk=job.pk).update(facts={}, planned_at=None, begun_at=None, total=None, conflicts=0, scanned=0)
        return enqueue(
            jobs,
            phase=Phase.PLAN,
            cursor=job.initial_cursor,
            approval=Approval.REQUIRED,
            replan_reason=message[:MESSAGE_MAX_LENGTH],
            requested=Request.NOTHING,
        )
