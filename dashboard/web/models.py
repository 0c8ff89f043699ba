"""What the kit keeps: the one-time keys of forms for a day, and counted attempts for a quarter of an hour."""

from datetime import timedelta
from typing import ClassVar

from django.db import models
from django.utils import timezone

KEPT_FOR = timedelta(hours=24)


class FormKey(models.Model):
    """A form that was sent: its one-time key, whose it was, and how it ended.

    `outcome` holds what `done` said (message, changed, address, link), nothing else of the answer.
    """

    class State(models.TextChoices):
        RUNNING = "running", "Running"
        DONE = "done", "Done"
        UNKNOWN = "unknown", "Outcome unknown"

    person = models.CharField(max_length=64)
    key = models.CharField(max_length=64)
    state = models.CharField(max_length=8, choices=State.choices, default=State.RUNNING)
    outcome = models.JSONField(null=True)
    created_at = models.DateTimeField(default=timezone.now, db_index=True)

    class Meta:
        constraints: ClassVar = (models.UniqueConstraint(fields=("person", "key"), name="one_outcome_per_form_key"),)

    def __str__(self) -> str:
        return f"form key of person {self.person}, {self.state}"


class Attempt(models.Model):
    """One counted attempt at a code or a password: `subject` is a keyed digest, or names a row of ours."""

    subject = models.CharField(max_length=80)
    at = models.DateTimeField(default=timezone.now, db_index=True)

    objects: ClassVar[models.Manager["Attempt"]] = models.Manager()

    class Meta:
        indexes = (models.Index(fields=("subject", "at"), name="attempt_subject"),)

    def __str__(self) -> str:
        return f"Attempt {self.pk}"
