"""The rows of long work: they hold the truth, and whatever is in a worker's memory may be lost at any moment.

No token and no secret ever stands here: parameters and cursors are ids and plain facts in JSON.
"""

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

MESSAGE_MAX_LENGTH = 300


class State(models.TextChoices):
    QUEUED = "queued", "Queued"
    RUNNING = "running", "Running"
    WAITING = "waiting", "Waiting"
    PAUSED = "paused", "Paused"
    PLANNED = "planned", "Ready to begin"
    DONE = "done", "Done"
    FAILED = "failed", "Stopped"
    CANCELLED = "cancelled", "Cancelled"


ALIVE = (State.QUEUED, State.RUNNING, State.WAITING)
ENDED = (State.DONE, State.FAILED, State.CANCELLED)


class Phase(models.TextChoices):
    """Where a job stands on its way: what is to be done is found out, then done, then read back."""

    PLAN = "plan", "Planning"
    RUN = "run", "Running"
    VERIFY = "verify", "Checking"


class Approval(models.TextChoices):
    """Whether the owner has to approve the plan before the run."""

    REQUIRED = "required", "Required"
    ON_CONFLICT = "conflict", "Required if there are conflicts"
    NONE = "none", "Not required"


class Request(models.TextChoices):
    """What a person asks of a running job; the worker reads it before its next step."""

    NOTHING = "", "Nothing"
    CANCEL = "cancel", "Cancel"
    PAUSE = "pause", "Pause"


class ItemState(models.TextChoices):
    WAITING = "waiting", "Waiting"
    IN_FLIGHT = "in_flight", "In progress"
    DONE = "done", "Done"
    SKIPPED = "skipped", "Skipped"
    FAILED = "failed", "Failed"
    UNKNOWN = "unknown", "Outcome unknown"


class Worker(models.Model):
    """A worker process. Its row goes with it; what a killed one left behind is found by its heartbeat, or by its process."""

    where = models.CharField("namespace of process ids, empty where it can't be known", max_length=80, blank=True)
    pid = models.PositiveIntegerField()
    born = models.CharField("when the process began, in the kernel's words", max_length=24, blank=True)
    started_at = models.DateTimeField(default=timezone.now)
    heartbeat_at = models.DateTimeField(default=timezone.now)

    objects: ClassVar[models.Manager["Worker"]] = models.Manager()

    def __str__(self) -> str:
        return f"worker {self.pk} (process {self.pid})"


class Job(models.Model):
    """One piece of long work that a person began: `total` items or, by `cursor`, an amount that shows itself on the way."""

    kind = models.CharField(max_length=40)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="jobs")
    title = models.CharField(max_length=200)
    place = models.CharField("project or space", max_length=64, blank=True)
    back = models.CharField("address of the page it belongs to", max_length=500, blank=True)
    parameters = models.JSONField(default=dict)
    cursor = models.JSONField("where work beyond the items stands in this phase; null: there is none left", null=True)
    initial_cursor = models.JSONField("the cursor it began with, for a plan that is made again", null=True)
    facts = models.JSONField("what the plan found out", default=dict)
    phase = models.CharField(max_length=6, choices=Phase.choices, default=Phase.RUN)
    replan_reason = models.CharField("why the plan was made once more", max_length=MESSAGE_MAX_LENGTH, blank=True)
    approval = models.CharField(max_length=8, choices=Approval.choices, default=Approval.NONE)

    state = models.CharField(max_length=10, choices=State.choices, default=State.QUEUED)
    requested = models.CharField(max_length=8, choices=Request.choices, default=Request.NOTHING, blank=True)
    message = models.CharField("why it waits, or how it ended", max_length=MESSAGE_MAX_LENGTH, blank=True)
    total = models.PositiveIntegerField(null=True)
    done = models.PositiveIntegerField(default=0)
    skipped = models.PositiveIntegerField(default=0)
    failed = models.PositiveIntegerField(default=0)
    unknown = models.PositiveIntegerField(default=0)
    conflicts = models.PositiveIntegerField("items in whose way something stands", default=0)
    scanned = models.PositiveIntegerField("things that the plan, or the check, has looked at", default=0)

    # Raised whenever a worker takes the job: what an earlier holder still wants to write is refused.
    attempt = models.PositiveIntegerField(default=0)
    worker = models.ForeignKey(Worker, on_delete=models.SET_NULL, null=True, related_name="jobs")
    heartbeat_at = models.DateTimeField(null=True)
    ticket = models.UUIDField("its row in the queue", null=True)
    next_try_at = models.DateTimeField(null=True)
    lost_workers = models.PositiveSmallIntegerField("workers lost since something was last finished", default=0)
    pauses = models.PositiveSmallIntegerField("pauses since something was last finished", default=0)

    created_at = models.DateTimeField(default=timezone.now)
    started_at = models.DateTimeField(null=True)
    planned_at = models.DateTimeField(null=True)
    begun_at = models.DateTimeField("when a plan was first acted on", null=True)
    ended_at = models.DateTimeField(null=True)

    objects: ClassVar[models.Manager["Job"]] = models.Manager()

    class Meta:
        ordering = ("-pk",)
        indexes = (
            models.Index(fields=("owner", "-id"), name="jobs_owner"),
            models.Index(fields=("ended_at",), name="jobs_ended"),
            models.Index(fields=("state",), name="jobs_alive", condition=Q(state__in=("queued", "running", "waiting"))),
        )

    def __str__(self) -> str:
        return self.title

    @property
    def is_alive(self) -> bool:
        """Will a worker go on with it by itself?"""
        return self.state in ALIVE

    @property
    def settled(self) -> int:
        """How many items have an outcome."""
        return self.done + self.skipped + self.failed + self.unknown


class JobItem(models.Model):
    """One thing of a job. `target` is what people read, `parameters` what the step needs beside it."""

    job = models.ForeignKey(Job, on_delete=models.CASCADE, related_name="items")
    number = models.PositiveIntegerField()
    target = models.TextField()
    parameters = models.JSONField(default=dict)
    size = models.PositiveBigIntegerField("bytes", null=True)
    conflict = models.CharField("what stands in its way", max_length=MESSAGE_MAX_LENGTH, blank=True)
    state = models.CharField(max_length=10, choices=ItemState.choices, default=ItemState.WAITING)
    attempt = models.PositiveIntegerField("of the job, when it was last taken", default=0)
    tries = models.PositiveSmallIntegerField(default=0)
    message = models.CharField(max_length=MESSAGE_MAX_LENGTH, blank=True)
    started_at = models.DateTimeField(null=True)
    check_until = models.DateTimeField("when it is in flight: it was sent, and is read back until then", null=True)
    ended_at = models.DateTimeField(null=True)

    objects: ClassVar[models.Manager["JobItem"]] = models.Manager()

    class Meta:
        ordering = ("number",)
        constraints = (models.UniqueConstraint(fields=("job", "number"), name="one_item_per_number"),)
        indexes = (
            models.Index(fields=("job", "state", "tries", "number"), name="jobs_items"),
            models.Index(fields=("job", "number"), name="jobs_conflicts", condition=~Q(conflict="")),
        )

    def __str__(self) -> str:
        return self.target


class Schedule(models.Model):
    """Something a worker does for a person again and again. `next_at` empty: it ended, and `words` say why."""

    kind = models.CharField(max_length=40)
    key = models.CharField("what it watches: a ref, a bucket", max_length=200)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="timers")
    payload = models.JSONField(default=dict)
    every = models.FloatField("seconds")
    next_at = models.DateTimeField(null=True)
    claim = models.CharField("mark of the worker that runs it now", max_length=32, blank=True)
    failures = models.PositiveSmallIntegerField("in a row", default=0)
    message = models.CharField("what went wrong last", max_length=MESSAGE_MAX_LENGTH, blank=True)
    created_at = models.DateTimeField(default=timezone.now)
    last_run_at = models.DateTimeField(null=True)

    objects: ClassVar[models.Manager["Schedule"]] = models.Manager()

    class Meta:
        ordering = ("kind", "key")
        constraints = (models.UniqueConstraint(fields=("kind", "key"), name="one_timer_per_key"),)
        indexes = (models.Index(fields=("next_at",), name="jobs_timers_due"),)

    def __str__(self) -> str:
        return f"{self.kind} {self.key}"

    @property
    def is_on(self) -> bool:
        return self.next_at is not None
