"""One-time keys of forms, kept for a day, and counted attempts, kept for 15 minutes or a day."""

from datetime import timedelta
from typing import ClassVar

from django.db import models
from django.utils import timezone

KEPT_FOR = timedelta(hours=24)


class FormKey(models.Model):
    """The one-time key of a submitted form, its person and its outcome.

    `outcome` holds only the arguments of `done` (message, changed, address, link); while it is unknown, the id of the journal
    entry that will get it.
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
    """One attempt at a code or password. `subject` is a keyed digest or names a row of ours."""

    subject = models.CharField(max_length=80)
    at = models.DateTimeField(default=timezone.now, db_index=True)

    objects: ClassVar[models.Manager["Attempt"]] = models.Manager()

    class Meta:
        indexes = (models.Index(fields=("subject", "at"), name="attempt_subject"),)

    def __str__(self) -> str:
        return f"Attempt {self.pk}"
