"""A job in a worker's hand: who holds it, and every write that only the holder may make."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.db.models.functions import Coalesce
from django.utils import timezone

from dashboard.jobs import results
from dashboard.jobs.batch import ItemOutcome, Progress
from dashboard.jobs.models import ItemState, Job, JobItem, State


class LeaseLost(Exception):  # noqa: N818 - a state
    """The job is in other hands: another worker holds it."""


class Interrupted(BaseException):
    """The worker has to end now, wherever it is. No `except Exception` may hold it up."""


@dataclass(frozen=True, slots=True)
class Lease:
    """What a worker holds, for its heartbeat."""

    job_id: int
    attempt: int
    since: float


class WorkerHandle:
    """What a worker lends to a turn. The heartbeat's thread reads `held`; a signal sets `stopping`."""

    def __init__(self, worker_id: int | None = None, elsewhere: Callable[[], bool] = lambda: False) -> None:
        self.worker_id = worker_id
        self.elsewhere = elsewhere
        self.stopping = False
        self.lease: Lease | None = None


def claim(job_id: int, handle: WorkerHandle) -> Job | None:
    """Exactly one of those who try gets it."""
    now = timezone.now()
    early = Q(state=State.WAITING, next_try_at__gt=now)
    taken = (
        Job.objects.filter(pk=job_id, state__in=(State.QUEUED, State.WAITING))
        .exclude(early)
        .update(
            state=State.RUNNING,
            attempt=F("attempt") + 1,
            worker=handle.worker_id,
            heartbeat_at=now,
            started_at=Coalesce("started_at", now),
            next_try_at=None,
            message="",
        )
    )
    return Job.objects.get(pk=job_id) if taken else None


class LeasedJob:
    """A claimed job. Every write is refused as `LeaseLost` once another worker has it."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self.requested = job.requested

    @property
    def mine(self) -> QuerySet[Job]:
        return Job.objects.filter(pk=self.job.pk, attempt=self.job.attempt, state=State.RUNNING)

    def renew(self, **values: Any) -> None:
        """Prove that the job is still ours, tell the heartbeat, learn what is asked of it. Raises `LeaseLost`."""
        if not self.mine.update(heartbeat_at=timezone.now(), **values):
            raise LeaseLost
        self.requested = Job.objects.values_list("requested", flat=True).get(pk=self.job.pk)

    def update(self, **values: Any) -> None:
        """Change the job's own row, here and there."""
        self.renew(**values)
        for name, value in values.items():
            setattr(self.job, name, value)

    def claim_items(self, most: int, *, in_order: bool = False) -> list[JobItem]:
        """The next items, those that were tried less often first, marked as being in flight before anything is sent."""
        order = ("number",) if in_order else ("tries", "number")
        with transaction.atomic():
            self.renew()
            items = list(self.job.items.filter(state=ItemState.WAITING).order_by(*order)[:most])
            self._mark_in_flight(items, tries=F("tries") + 1, started_at=timezone.now())
        for item in items:
            item.tries += 1
        return items

    def in_flight(self, most: int, *, after: int) -> list[JobItem]:
        """Items in flight since an earlier slice, from number `after` on, taken over by this attempt."""
        items = list(self.job.items.filter(state=ItemState.IN_FLIGHT, number__gt=after).order_by("number")[:most])
        if items:
            with transaction.atomic():
                self.renew()
                self._mark_in_flight(items)
        return items

    def check_until(self, items: Sequence[JobItem], until: datetime | None) -> None:
        """Note that these items are being sent, and until when an old state proves nothing; None: they were answered."""
        with transaction.atomic():
            self.renew()
            JobItem.objects.filter(pk__in=[item.pk for item in items], state=ItemState.IN_FLIGHT).update(check_until=until)
        for item in items:
            item.check_until = until

    def save(self, said: dict[int, ItemOutcome], moved: Progress | None) -> None:
        """What a step said: all of it in one transaction."""
        with transaction.atomic():
            self.renew(**results.counted(self.job.phase, said, moved))
            results.write(said)
            if moved and (more := results.move(self.job, moved)):
                self.renew(**more)
        if moved:
            self.job.cursor, self.job.facts = moved.cursor, dict(moved.facts)
        if moved or any(one.state != ItemState.WAITING for one in said.values()):
            self.job.pauses = 0

    def _mark_in_flight(self, items: Sequence[JobItem], **values: Any) -> None:
        if items:
            found = JobItem.objects.filter(pk__in=[item.pk for item in items])
            found.update(state=ItemState.IN_FLIGHT, attempt=self.job.attempt, **values)
