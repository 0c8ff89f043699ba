"""Kept bodies of functions, and the versions that had them.

A body may hold secrets. It is sealed, and belongs to the token that read or sent it, by fingerprint. Others see it only while
their own token can read the function's live body.
"""

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.utils import timezone

from dashboard.vault.fields import SealedField

NOTE_MAX_LENGTH = 500


class Body(models.Model):
    """One distinct body of one function, sealed in `parts`."""

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
    """Up to 512 KiB of a body, in base64."""

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
    """A version of a function that had this body, with the flags that the service reported then.

    `function` is the function's id: a new function under a deleted one's slug counts its versions from 1 again. `sent` marks
    bodies that were deployed from here, not only read.
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


class Note(models.Model):
    """What the team should know about a function; deleted when it is empty."""

    ref = models.CharField("project", max_length=64)
    slug = models.CharField(max_length=256)
    text = models.CharField(max_length=NOTE_MAX_LENGTH)
    changed_at = models.DateTimeField(default=timezone.now)
    changed_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")

    objects: ClassVar[models.Manager["Note"]] = models.Manager()

    class Meta:
        constraints = (models.UniqueConstraint(fields=("ref", "slug"), name="one_note_per_function"),)

    def __str__(self) -> str:
        return self.text
