"""Leases on jobs: claim a job, and make the writes that only its holder may make.

The rows are the queue. A claim is a guarded UPDATE that raises the attempt number, so exactly one of several workers gets the job
on SQLite and PostgreSQL alike. Every later write checks that number in its own transaction: other
leases only expire, this one also has to tell who holds it now.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import F, Max, QuerySet
from django.db.models.functions import Coalesce
from django.utils import timezone

from dashboard.jobs.batch import ItemOutcome, Progress, add_items
from dashboard.jobs.models import CLAIMABLE, MESSAGE_MAX_LENGTH, ItemState, Job, JobItem, Phase, State
from dashboard.web.process import liveness

# Look at this many due jobs, since other workers may claim the first ones.
CANDIDATES = 8


class LeaseLost(Exception):  # noqa: N818 - control flow
    """Another worker holds the job now."""


class Interrupted(BaseException):
    """The worker has to exit at once. Not an `Exception`, so that no handler delays it."""


@dataclass(frozen=True, slots=True)
class Lease:
    """The job that a worker holds, as its heartbeat needs it."""

    job_id: int
    attempt: int


class WorkerHandle:
    """What a worker shares with the job it runs: the heartbeat thread reads `lease`, a signal sets `stopping`."""

    def __init__(self, worker_id: int | None = None, has_other_work: Callable[[], bool] = lambda: False) -> None:
        self.worker_id = worker_id
        self.has_other_work = has_other_work
        self.stopping = False
        self.lease: Lease | None = None


def due_jobs() -> QuerySet[Job]:
    return Job.objects.filter(state__in=CLAIMABLE, due_at__lte=timezone.now())


def claim_next(handle: WorkerHandle) -> Job | None:
    """Claim the job that has been due longest."""
    for pk in due_jobs().order_by("due_at", "pk").values_list("pk", flat=True)[:CANDIDATES]:
        if job := claim(pk, handle):
            return job
    return None


def claim(job_id: int, handle: WorkerHandle) -> Job | None:
    """Claim one job if it is due. Return None if it isn't, or if another worker was faster."""
    now = timezone.now()
    claimed = (
        due_jobs()
        .filter(pk=job_id)
        .update(
            state=State.RUNNING,
            attempt=F("attempt") + 1,
            worker=handle.worker_id,
            heartbeat_at=now,
            started_at=Coalesce("started_at", now),
            message="",
        )
    )
    return Job.objects.get(pk=job_id) if claimed else None


class LeasedJob:
    """A claimed job. Every write raises `LeaseLost` once another worker has claimed it."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self.requested = job.requested

    @property
    def row(self) -> QuerySet[Job]:
        """The job's row, as long as this attempt holds it."""
        return Job.objects.filter(pk=self.job.pk, attempt=self.job.attempt, state=State.RUNNING)

    def renew(self, **values: Any) -> None:
        """Check and extend the lease, write `values`, and read requests made by a person. Raises `LeaseLost`."""
        if not self.row.update(heartbeat_at=timezone.now(), **values):
            raise LeaseLost
        liveness.note()
        self.requested = Job.objects.values_list("requested", flat=True).get(pk=self.job.pk)

    def update(self, **values: Any) -> None:
        """Update the job in the database and in memory."""
        self.renew(**values)
        for name, value in values.items():
            setattr(self.job, name, value)

    def claim_items(self, limit: int, *, in_order: bool = False) -> list[JobItem]:
        """Claim the next items, those with fewest tries first. They are marked in flight before anything is sent."""
        order = ("number",) if in_order else ("tries", "number")
        with transaction.atomic():
            self.renew()
            items = list(self.job.items.filter(state=ItemState.WAITING).order_by(*order)[:limit])
            self._mark_in_flight(items, tries=F("tries") + 1, started_at=timezone.now())
        for item in items:
            item.tries += 1
        return items

    def in_flight_items(self, limit: int, *, after: int) -> list[JobItem]:
        """Take over items that an earlier batch left in flight, with numbers above `after`."""
        items = list(self.job.items.filter(state=ItemState.IN_FLIGHT, number__gt=after).order_by("number")[:limit])
        if items:
            with transaction.atomic():
                self.renew()
                self._mark_in_flight(items)
        return items

    def check_until(self, items: Sequence[JobItem], until: datetime | None, entry: int | None = None) -> None:
        """Record that items are being sent, and until when an old state proves nothing. None: they were answered.

        `entry`: the journal entry of the write.
        """
        values = {"check_until": until} | ({"entry": entry} if entry else {})
        with transaction.atomic():
            self.renew()
            JobItem.objects.filter(pk__in=[item.pk for item in items], state=ItemState.IN_FLIGHT).update(**values)
        for item in items:
            item.check_until = until

    def save(self, outcomes: dict[int, ItemOutcome], progress: Progress | None) -> None:
        """Save a step's results in one transaction: item rows and job counters."""
        with transaction.atomic():
            self.renew(**_counters(self.job.phase, outcomes, progress))
            _save_outcomes(outcomes)
            if progress and (more := _save_progress(self.job, progress)):
                self.renew(**more)
        if progress:
            self.job.cursor, self.job.facts = progress.cursor, dict(progress.facts)
        if progress or any(outcome.state != ItemState.WAITING for outcome in outcomes.values()):
            self.job.pauses = 0

    def _mark_in_flight(self, items: Sequence[JobItem], **values: Any) -> None:
        if items:
            rows = JobItem.objects.filter(pk__in=[item.pk for item in items])
            rows.update(state=ItemState.IN_FLIGHT, attempt=self.job.attempt, **values)


def _counters(phase: str, outcomes: Mapping[int, ItemOutcome], progress: Progress | None) -> dict[str, Any]:
    """Return the new values of the job's row. Any progress resets the counts of pauses and lost workers."""
    counts = Counter(outcome.state for outcome in outcomes.values())
    values: dict[str, Any] = {
        "done": F("done") + counts[ItemState.DONE],
        "skipped": F("skipped") + counts[ItemState.SKIPPED],
        "failed": F("failed") + counts[ItemState.FAILED],
        "unknown": F("unknown") + counts[ItemState.UNKNOWN],
    }
    if progress:
        counter = "done" if phase == Phase.RUN else "scanned"
        values |= {"cursor": progress.cursor, "facts": progress.facts, counter: values.get(counter, F(counter)) + progress.seen}
    if progress or counts.total() > counts[ItemState.WAITING]:
        values |= {"pauses": 0, "lost_workers": 0}
    return values


def _save_outcomes(outcomes: Mapping[int, ItemOutcome]) -> None:
    """Save item outcomes with one statement per distinct outcome."""
    grouped: dict[ItemOutcome, list[int]] = defaultdict(list)
    for pk, outcome in outcomes.items():
        grouped[outcome].append(pk)
    now = timezone.now()
    for outcome, pks in grouped.items():
        values: dict[str, Any] = {"state": outcome.state, "message": outcome.message[:MESSAGE_MAX_LENGTH], "check_until": None}
        if outcome.untried:
            values["tries"] = F("tries") - 1
        if outcome.state != ItemState.WAITING:
            values["ended_at"] = now
        JobItem.objects.filter(pk__in=pks, state=ItemState.IN_FLIGHT).update(**values)


def _save_progress(job: Job, progress: Progress) -> dict[str, Any]:
    """Save added and corrected items; return the new values of the job's row."""
    values: dict[str, Any] = {}
    if progress.added:
        last: int = job.items.aggregate(last=Max("number"))["last"] or 0
        total, conflicts = add_items(job, progress.added, after=last)
        values |= {"total": total, "conflicts": F("conflicts") + conflicts}
    grouped: dict[str, list[int]] = defaultdict(list)
    for number, message in progress.corrected.items():
        grouped[message].append(number)
    wrong = 0
    for message, numbers in grouped.items():
        rows = job.items.filter(number__in=numbers, state=ItemState.DONE)
        wrong += rows.update(state=ItemState.FAILED, message=message[:MESSAGE_MAX_LENGTH])
    return values | ({"done": F("done") - wrong, "failed": F("failed") + wrong} if wrong else {})
