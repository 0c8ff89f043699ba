"""A job in a worker's hand: who holds it, and every write that only the holder may make."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.db.models.functions import Coalesce
from django.utils import timezone

from dashboard.jobs import results
from dashboard.jobs.batch import Moved, Said
from dashboard.jobs.models import ItemState, Job, JobItem, State


class Fenced(Exception):  # noqa: N818 - a state
    """The job is in other hands: another worker holds it."""


class Cut(BaseException):
    """The worker has to end now, wherever it is. No `except Exception` may hold it up."""


@dataclass(frozen=True, slots=True)
class Held:
    """What a worker holds, for its heartbeat."""

    job_id: int
    attempt: int
    since: float


class Hand:
    """What a worker lends to a turn. The heartbeat's thread reads `held`; a signal sets `stopping`."""

    def __init__(self, worker_id: int | None = None, elsewhere: Callable[[], bool] = lambda: False) -> None:
        self.worker_id = worker_id
        self.elsewhere = elsewhere
        self.stopping = False
        self.held: Held | None = None


def claim(job_id: int, hand: Hand) -> Job | None:
    """Exactly one of those who try gets it."""
    now = timezone.now()
    early = Q(state=State.WAITING, next_try_at__gt=now)
    taken = (
        Job.objects.filter(pk=job_id, state__in=(State.QUEUED, State.WAITING))
        .exclude(early)
        .update(
            state=State.RUNNING,
            attempt=F("attempt") + 1,
            worker=hand.worker_id,
            heartbeat_at=now,
            started_at=Coalesce("started_at", now),
            next_try_at=None,
            words="",
        )
    )
    return Job.objects.get(pk=job_id) if taken else None


class Holding:
    """A claimed job. Every write is refused as `Fenced` once another worker has it."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self.asked = job.asked

    @property
    def mine(self) -> QuerySet[Job]:
        return Job.objects.filter(pk=self.job.pk, attempt=self.job.attempt, state=State.RUNNING)

    def hold(self, **values: Any) -> None:
        """Prove that the job is still ours, tell the heartbeat, learn what is asked of it. Raises `Fenced`."""
        if not self.mine.update(heartbeat_at=timezone.now(), **values):
            raise Fenced
        self.asked = Job.objects.values_list("asked", flat=True).get(pk=self.job.pk)

    def turn_to(self, **values: Any) -> None:
        """Change the job's own row, here and there."""
        self.hold(**values)
        for name, value in values.items():
            setattr(self.job, name, value)

    def take(self, most: int) -> list[JobItem]:
        """The next items, marked as being in flight before anything is sent."""
        with transaction.atomic():
            self.hold()
            items = list(self.job.items.filter(state=ItemState.WAITING).order_by("tries", "number")[:most])
            self._fly(items, tries=F("tries") + 1, started_at=timezone.now())
        for item in items:
            item.tries += 1
        return items

    def flying(self, most: int) -> list[JobItem]:
        """Items in flight since an earlier slice, taken over by this attempt."""
        items = list(self.job.items.filter(state=ItemState.UNDERWAY).order_by("number")[:most])
        if items:
            with transaction.atomic():
                self.hold()
                self._fly(items)
        return items

    def save(self, said: dict[int, Said], moved: Moved | None) -> None:
        """What a step said: all of it in one transaction."""
        with transaction.atomic():
            self.hold(**results.counted(self.job.phase, said, moved))
            results.write(said)
            if moved and (more := results.move(self.job, moved)):
                self.hold(**more)
        if moved:
            self.job.cursor, self.job.facts = moved.cursor, dict(moved.facts)
        if moved or any(one.state != ItemState.WAITING for one in said.values()):
            self.job.pauses = 0

    def _fly(self, items: Sequence[JobItem], **values: Any) -> None:
        if items:
            found = JobItem.objects.filter(pk__in=[item.pk for item in items])
            found.update(state=ItemState.UNDERWAY, attempt=self.job.attempt, **values)
