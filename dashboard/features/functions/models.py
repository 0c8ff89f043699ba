"""What is remembered of functions: their bodies, the versions that had them, and deployments that wait for a yes.

A body may hold secrets. It is sealed, and belongs to the token that read or sent it, by fingerprint: people who hold the same
token share it, nobody else sees it.
"""

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.utils import timezone

from dashboard.vault.fields import SealedField


class Body(models.Model):
    """One distinct body of one function. Its bytes are sealed in `parts`, so that no single value grows large."""

    token = models.CharField("fingerprint of the token", max_length=32)
    ref = models.CharField("project", max_length=64)
    slug = models.CharField(max_length=256)
    digest = models.CharField("SHA-256", max_length=64)
    size = models.PositiveIntegerField("bytes")
    kept_at = models.DateTimeField(default=timezone.now)

    objects: ClassVar[models.Manager["Body"]] = models.Manager()

    class Meta:
        constraints = (models.UniqueConstraint(fields=("token", "ref", "slug", "digest"), name="body_kept_once"),)
        verbose_name_plural = "bodies"

    def __str__(self) -> str:
        return f"{self.slug} {self.digest[:12]}"


class Part(models.Model):
    """A stretch of a body's bytes, in base64."""

    body = models.ForeignKey(Body, on_delete=models.CASCADE, related_name="parts")
    number = models.PositiveSmallIntegerField()
    sealed = SealedField()

    objects: ClassVar[models.Manager["Part"]] = models.Manager()

    class Meta:
        ordering = ("number",)
        constraints = (models.UniqueConstraint(fields=("body", "number"), name="part_kept_once"),)

    def __str__(self) -> str:
        return f"part {self.number}"


class Seen(models.Model):
    """A version of a function that had this body, with what the service said about it then.

    `function` is the function's id: one that is made anew under an old slug counts its versions from 1 again. `sent` tells a
    body that went out from here from one that was read.
    """

    body = models.ForeignKey(Body, on_delete=models.CASCADE, related_name="seen")
    function = models.CharField("id of the function", max_length=64)
    version = models.FloatField()
    name = models.CharField(max_length=1000)
    verify_jwt = models.BooleanField(null=True)
    import_map = models.BooleanField(null=True)
    entrypoint_path = models.CharField(max_length=1000, blank=True)
    import_map_path = models.CharField(max_length=1000, blank=True)
    sent = models.BooleanField(default=False)
    note = models.CharField(max_length=500, blank=True)
    seen_at = models.DateTimeField(default=timezone.now)

    objects: ClassVar[models.Manager["Seen"]] = models.Manager()

    class Meta:
        ordering = ("-seen_at", "-pk")
        constraints = (models.UniqueConstraint(fields=("body", "function", "version"), name="version_seen_once"),)
        verbose_name_plural = "seen"

    def __str__(self) -> str:
        return f"version {self.version:g}"


class Deployment(models.Model):
    """A body and flags that somebody is about to send. `findings` is what reading back found wrong once it was sent.

    It is this person's alone, and gone a day later.
    """

    class State(models.TextChoices):
        PLANNED = "planned", "Planned"
        SENT = "sent", "Sent"
        UNREAD = "unread", "Sent, not read back"

    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    body = models.ForeignKey(Body, on_delete=models.CASCADE, related_name="+")
    name = models.CharField(max_length=1000)
    verify_jwt = models.BooleanField()
    import_map = models.BooleanField(null=True)
    entrypoint_path = models.CharField(max_length=1000, blank=True)
    import_map_path = models.CharField(max_length=1000, blank=True)
    again = models.ForeignKey(Seen, on_delete=models.SET_NULL, null=True, related_name="+", verbose_name="what is deployed again")
    note = models.CharField(max_length=500, blank=True)
    state = models.CharField(max_length=8, choices=State.choices, default=State.PLANNED)
    findings = models.JSONField(default=list)
    made_at = models.DateTimeField(default=timezone.now)

    objects: ClassVar[models.Manager["Deployment"]] = models.Manager()

    def __str__(self) -> str:
        return f"{self.body.slug} of {self.made_at:%Y-%m-%d %H:%M}"
