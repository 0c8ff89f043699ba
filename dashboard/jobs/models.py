"""Jobs, their items, workers and schedules. Only the rows count: a worker's memory may be lost at any moment.

Parameters, cursors, facts and payloads are ids and plain facts in JSON, never a token or a secret.
"""

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

MESSAGE_MAX_LENGTH = 300
BACK_MAX_LENGTH = 500


class State(models.TextChoices):
    QUEUED = "queued", "Queued"
    RUNNING = "running", "Running"
    WAITING = "waiting", "Waiting"
    PAUSED = "paused", "Paused"
    PLANNED = "planned", "Ready to apply"
    DONE = "done", "Done"
    FAILED = "failed", "Failed"
    CANCELLED = "cancelled", "Cancelled"


CLAIMABLE = (State.QUEUED, State.WAITING)
ALIVE = (State.QUEUED, State.RUNNING, State.WAITING)
ENDED = (State.DONE, State.FAILED, State.CANCELLED)
NOTHING_TO_DO = "Nothing to do"


class Phase(models.TextChoices):
    PLAN = "plan", "Planning"
    RUN = "run", "Running"
    VERIFY = "verify", "Verifying"


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
    UNKNOWN = "unknown", "Unknown"


class Worker(models.Model):
    """A worker process. A stopped one has process id 0; a killed one is detected by its heartbeat or process."""

    pid_namespace = models.CharField("boot and namespace of its process id; empty if unknown", max_length=80, blank=True)
    pid = models.PositiveIntegerField()
    process_start = models.CharField("start of the process in clock ticks since boot", max_length=24, blank=True)
    started_at = models.DateTimeField(default=timezone.now)
    heartbeat_at = models.DateTimeField(default=timezone.now)

    objects: ClassVar[models.Manager["Worker"]] = models.Manager()

    def __str__(self) -> str:
        return f"worker {self.pk} (process {self.pid})"


class Job(models.Model):
    """Long work that a person started: `total` items, or work of unknown size by `cursor`."""

    kind = models.CharField(max_length=40)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="jobs")
    grants = models.JSONField("ids of the grants it acts through; elsewhere the owner's tokens", default=list)
    title = models.CharField(max_length=200)
    place = models.CharField("project or space", max_length=64, blank=True)
    back = models.CharField("address of the page it was started from", max_length=BACK_MAX_LENGTH, blank=True)
    parameters = models.JSONField(default=dict)
    cursor = models.JSONField("position of work beyond the items in this phase; null: none left", null=True)
    initial_cursor = models.JSONField("cursor to start over from when the plan is made again", null=True)
    facts = models.JSONField("what the plan found out", default=dict)
    phase = models.CharField(max_length=6, choices=Phase.choices, default=Phase.RUN)
    replan_reason = models.CharField(max_length=MESSAGE_MAX_LENGTH, blank=True)
    approval = models.CharField(max_length=8, choices=Approval.choices, default=Approval.NONE)

    state = models.CharField(max_length=10, choices=State.choices, default=State.QUEUED)
    requested = models.CharField(max_length=8, choices=Request.choices, default=Request.NOTHING, blank=True)
    message = models.CharField("why it waits, or how it ended", max_length=MESSAGE_MAX_LENGTH, blank=True)
    total = models.PositiveIntegerField(null=True)
    done = models.PositiveIntegerField(default=0)
    skipped = models.PositiveIntegerField(default=0)
    failed = models.PositiveIntegerField(default=0)
    unknown = models.PositiveIntegerField(default=0)
    conflicts = models.PositiveIntegerField("items with a conflict", default=0)
    scanned = models.PositiveIntegerField("things that the plan or the verification has looked at", default=0)

    due_at = models.DateTimeField("when a worker may claim it", default=timezone.now)
    # Raised by every claim, so that writes of an earlier attempt are refused.
    attempt = models.PositiveIntegerField(default=0)
    worker = models.ForeignKey(Worker, on_delete=models.SET_NULL, null=True, related_name="jobs")
    heartbeat_at = models.DateTimeField(null=True)
    lost_workers = models.PositiveSmallIntegerField("since the last progress", default=0)
    pauses = models.PositiveSmallIntegerField("since the last progress", default=0)

    created_at = models.DateTimeField(default=timezone.now)
    started_at = models.DateTimeField(null=True)
    planned_at = models.DateTimeField(null=True)
    begun_at = models.DateTimeField("start of the first run of the current plan", null=True)
    ended_at = models.DateTimeField(null=True)

    objects: ClassVar[models.Manager["Job"]] = models.Manager()

    class Meta:
        ordering = ("-pk",)
        indexes = (
            models.Index(fields=("owner", "-id"), name="jobs_owner"),
            models.Index(fields=("ended_at",), name="jobs_ended"),
            models.Index(fields=("state",), name="jobs_alive", condition=Q(state__in=("queued", "running", "waiting"))),
            models.Index(fields=("due_at", "id"), name="jobs_due", condition=Q(state__in=("queued", "waiting"))),
        )

    def __str__(self) -> str:
        return self.title

    @property
    def is_alive(self) -> bool:
        """Whether a worker will continue it without a person's action."""
        return self.state in ALIVE

    @property
    def with_outcome(self) -> int:
        """The number of items with an outcome."""
        return self.done + self.skipped + self.failed + self.unknown

    @property
    def all_failed(self) -> bool:
        """Whether it ended and every item failed."""
        return self.state == State.DONE and 0 < self.failed == self.with_outcome

    @property
    def ending(self) -> str:
        """How a finished job ended, in the words of pages and notifications."""
        if self.all_failed:
            return State.FAILED.label
        if self.state != State.DONE:
            return State(self.state).label
        if self.failed + self.unknown:
            return "Partly done" if self.done + self.skipped else "Outcome unknown"
        return NOTHING_TO_DO if self.total == 0 else State.DONE.label


class JobItem(models.Model):
    """One unit of a job's work. `target` is shown to people, `parameters` are for the step."""

    job = models.ForeignKey(Job, on_delete=models.CASCADE, related_name="items")
    number = models.PositiveIntegerField()
    target = models.TextField()
    parameters = models.JSONField(default=dict)
    size = models.PositiveBigIntegerField("bytes", null=True)
    conflict = models.CharField(max_length=MESSAGE_MAX_LENGTH, blank=True)
    state = models.CharField(max_length=10, choices=ItemState.choices, default=ItemState.WAITING)
    attempt = models.PositiveIntegerField("of the job when it was last claimed", default=0)
    tries = models.PositiveSmallIntegerField(default=0)
    message = models.CharField(max_length=MESSAGE_MAX_LENGTH, blank=True)
    started_at = models.DateTimeField(null=True)
    check_until = models.DateTimeField("when it is in flight: it was sent, and is read back until then", null=True)
    entry = models.PositiveBigIntegerField("journal entry of the write that was sent for it last", null=True)
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
    """Work that a worker repeats for a person. Without `next_at` it has ended, and `message` says why."""

    kind = models.CharField(max_length=40)
    key = models.CharField("what it watches: a ref, a bucket", max_length=200)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="schedules")
    grants = models.JSONField("ids of the grants it acts through; elsewhere the owner's tokens", default=list)
    payload = models.JSONField(default=dict)
    every = models.FloatField("seconds")
    next_at = models.DateTimeField(null=True)
    claim = models.CharField("token of the worker that runs it now", max_length=32, blank=True)
    failures = models.PositiveSmallIntegerField("in a row", default=0)
    message = models.CharField("last failure", max_length=MESSAGE_MAX_LENGTH, blank=True)
    created_at = models.DateTimeField(default=timezone.now)
    last_run_at = models.DateTimeField(null=True)

    objects: ClassVar[models.Manager["Schedule"]] = models.Manager()

    class Meta:
        ordering = ("kind", "key")
        constraints = (models.UniqueConstraint(fields=("kind", "key"), name="one_schedule_per_key"),)
        indexes = (models.Index(fields=("next_at",), name="jobs_schedules_due"),)

    def __str__(self) -> str:
        return f"{self.kind} {self.key}"

    @property
    def is_on(self) -> bool:
        return self.next_at is not None
