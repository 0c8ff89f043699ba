"""Notifications, the messages sent about them, and each person's e-mail preferences."""

import uuid
from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from dashboard.notifications import hooks

EMAIL = "email"
ERROR_MAX_LENGTH = 300


class Notification(models.Model):
    """An event for one person or, without a person, for the team's channels. `key` distinguishes events of a kind."""

    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="notifications", null=True)
    kind = models.CharField(max_length=40)
    key = models.CharField(max_length=200)
    place = models.CharField("project or space", max_length=64, blank=True)
    title = models.CharField(max_length=200)
    address = models.TextField("path of the page it leads to")
    made_at = models.DateTimeField(default=timezone.now)
    read_at = models.DateTimeField(null=True)

    objects: ClassVar[models.Manager["Notification"]] = models.Manager()

    class Meta:
        ordering = ("-pk",)
        constraints = (
            models.UniqueConstraint(fields=("person", "kind", "key"), name="one_notification_per_event"),
            models.UniqueConstraint(fields=("kind", "key"), condition=Q(person=None), name="one_team_notification_per_event"),
        )
        indexes = (
            models.Index(fields=("person", "-id"), name="notifications_person"),
            models.Index(fields=("person",), condition=Q(read_at=None), name="notifications_unread"),
            models.Index(fields=("made_at",), name="notifications_made"),
        )

    def __str__(self) -> str:
        return self.title

    @property
    def headline(self) -> str:
        """The title after the name of the project or space, for messages sent outside Pilothouse."""
        place = hooks.name_of(self.place, self.person_id)
        return f"{place}: {self.title}" if place else self.title


class State(models.TextChoices):
    WAITING = "waiting", "Waiting"
    SENT = "sent", "Sent"
    FAILED = "failed", "Failed"
    UNKNOWN = "unknown", "Outcome unknown"


class Delivery(models.Model):
    """One message to send. `event` stays the same when it is sent again, so that receivers can tell.

    `channel` is `EMAIL` or the id of an address in NOTIFY_URLS. `is_open`: a worker is sending it. `is_repeat`: an earlier
    attempt may have arrived. `lost` counts attempts without an outcome, after a kill or a cut connection.
    """

    notification = models.ForeignKey(Notification, on_delete=models.CASCADE, related_name="deliveries")
    channel = models.CharField(max_length=64)
    event = models.UUIDField(default=uuid.uuid4, unique=True)
    state = models.CharField(max_length=8, choices=State.choices, default=State.WAITING)
    is_open = models.BooleanField(default=False)
    is_repeat = models.BooleanField(default=False)
    lost = models.PositiveSmallIntegerField(default=0)
    attempts = models.PositiveIntegerField(default=0)
    due_at = models.DateTimeField(default=timezone.now)
    error = models.CharField(max_length=ERROR_MAX_LENGTH, blank=True)

    objects: ClassVar[models.Manager["Delivery"]] = models.Manager()

    class Meta:
        constraints = (models.UniqueConstraint(fields=("notification", "channel"), name="one_delivery_per_channel"),)
        indexes = (models.Index(fields=("due_at", "id"), condition=Q(state="waiting"), name="notifications_due"),)

    def __str__(self) -> str:
        return f"{self.channel} {self.event}"


class Outage(models.Model):
    """A failing channel. Nothing is sent to it before `retry_at`. Deleted once it works again."""

    channel = models.CharField(max_length=64, primary_key=True)
    since = models.DateTimeField(default=timezone.now)
    failures = models.PositiveIntegerField(default=0)
    retry_at = models.DateTimeField(default=timezone.now)
    error = models.CharField(max_length=ERROR_MAX_LENGTH)

    objects: ClassVar[models.Manager["Outage"]] = models.Manager()

    def __str__(self) -> str:
        return self.channel


class Preference(models.Model):
    """Whether a person wants e-mail of a kind, if that differs from the kind's default."""

    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    kind = models.CharField(max_length=40)
    mails = models.BooleanField()

    objects: ClassVar[models.Manager["Preference"]] = models.Manager()

    class Meta:
        constraints = (models.UniqueConstraint(fields=("person", "kind"), name="one_preference_per_kind"),)

    def __str__(self) -> str:
        return f"{self.kind}: {self.mails}"
