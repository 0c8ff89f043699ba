"""The queue: django-tasks-db carries "run job 17" to a worker, and nothing else. A message may come twice or get lost:
a job is claimed by its own row, and the sweep finds jobs whose message is gone."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.utils import timezone
from django_tasks import task
from django_tasks.base import TaskResultStatus
from django_tasks_db.models import DBTaskResult
from django_tasks_db.utils import exclusive_transaction

QUEUE = "jobs"
# Between taking a message and claiming its job no worker needs longer than this.
HANDOVER = timedelta(seconds=10)


@task(queue_name=QUEUE)
def run_job(job_id: int) -> None:
    """Work on a job for one turn, in whatever process this runs."""
    from dashboard.jobs.runner import WorkerHandle, run  # noqa: PLC0415 - a turn puts jobs back in this queue

    run(job_id, WorkerHandle())


@dataclass(frozen=True, slots=True)
class Ticket:
    """A message that was taken out of the queue."""

    id: UUID
    job_id: int


def put(job_id: int, *, at: datetime | None = None) -> UUID:
    """Queue "run this job", not before `at`. Part of the transaction it stands in."""
    wanted = run_job.using(run_after=at) if at else run_job
    return UUID(wanted.enqueue(job_id).id)


def take(worker: str) -> Ticket | None:
    """The next message, for exactly one worker."""
    if not has_ready():
        return None
    with exclusive_transaction():
        found = DBTaskResult.objects.ready().filter(queue_name=QUEUE).get_locked()
        if found is None:
            return None
        found.claim(worker)
    return Ticket(id=found.pk, job_id=int(found.args_kwargs["args"][0]))


def has_ready() -> bool:
    """Is there anything to be taken now?"""
    return DBTaskResult.objects.ready().filter(queue_name=QUEUE).exists()


def drop(ticket: UUID | None) -> None:
    """Forget a message, whether it was taken or not."""
    if ticket is not None:
        DBTaskResult.objects.filter(pk=ticket).delete()


def gone(tickets: Iterable[UUID]) -> set[UUID]:
    """Those that no worker will take any more: not in the queue, or taken a while ago."""
    asked = set(tickets)
    if not asked:
        return asked
    rows = DBTaskResult.objects.filter(pk__in=asked)
    coming = rows.filter(status=TaskResultStatus.READY) | rows.filter(
        status=TaskResultStatus.RUNNING, started_at__gt=timezone.now() - HANDOVER
    )
    return asked - set(coming.values_list("pk", flat=True))


def clean() -> None:
    """Delete messages that a killed worker took with it, a day later."""
    DBTaskResult.objects.filter(queue_name=QUEUE, started_at__lt=timezone.now() - timedelta(days=1)).delete()
