"""What is remembered of a project's custom hostname, by the fingerprint of the token that saw it."""

from typing import ClassVar

from django.db import models
from django.utils import timezone

STATUS_LIMIT = 64


class Known(models.Model):
    """The last state that a token saw. `setup` tells one setup from the next; it is empty where none exists.

    `troubles` are the problems that block it. `broken_record` is the first DNS record that was wrong when they were last looked
    up ("CNAME api.example.com: missing"; empty for none). `certificate` is the certificate's state and `authority` its issuer,
    both in the service's words.
    """

    fingerprint = models.CharField(max_length=32)
    ref = models.CharField(max_length=64)
    setup = models.CharField(max_length=32, blank=True)
    hostname = models.TextField(blank=True)
    status = models.CharField("the service's own word", max_length=STATUS_LIMIT)
    certificate = models.CharField(max_length=STATUS_LIMIT, blank=True)
    authority = models.CharField(max_length=STATUS_LIMIT, blank=True)
    troubles = models.JSONField(default=list)
    broken_record = models.TextField(blank=True)
    read_at = models.DateTimeField(default=timezone.now)

    objects: ClassVar[models.Manager["Known"]] = models.Manager()

    class Meta:
        constraints = (models.UniqueConstraint(fields=("fingerprint", "ref"), name="one_known_hostname"),)

    def __str__(self) -> str:
        return f"{self.ref}: {self.status}"


class Step(models.Model):
    """When a state was first seen."""

    fingerprint = models.CharField(max_length=32)
    ref = models.CharField(max_length=64)
    setup = models.CharField(max_length=32, blank=True)
    status = models.CharField(max_length=STATUS_LIMIT)
    first_seen_at = models.DateTimeField(default=timezone.now)

    objects: ClassVar[models.Manager["Step"]] = models.Manager()

    class Meta:
        ordering = ("first_seen_at", "pk")
        constraints = (
            models.UniqueConstraint(fields=("fingerprint", "ref", "setup", "status"), name="one_first_sight_per_state"),
        )

    def __str__(self) -> str:
        return f"{self.ref}: {self.status}"


class Purpose(models.TextChoices):
    CNAME = "cname", "Traffic"
    OWNERSHIP = "ownership", "Ownership"
    CERTIFICATE = "certificate", "Certificate"


class SeenRecord(models.Model):
    """A DNS record that the service required, kept with `asked` false once it is verified."""

    fingerprint = models.CharField(max_length=32)
    ref = models.CharField(max_length=64)
    setup = models.CharField(max_length=32)
    key = models.CharField("digest of type, name and value", max_length=32)
    purpose = models.CharField(max_length=12, choices=Purpose.choices)
    type = models.CharField(max_length=16)
    name = models.TextField()
    value = models.TextField()
    asked = models.BooleanField(default=True)
    first_seen_at = models.DateTimeField(default=timezone.now)
    last_asked_at = models.DateTimeField(default=timezone.now)

    objects: ClassVar[models.Manager["SeenRecord"]] = models.Manager()

    class Meta:
        ordering = ("pk",)
        constraints = (models.UniqueConstraint(fields=("fingerprint", "ref", "setup", "key"), name="one_row_per_dns_record"),)

    def __str__(self) -> str:
        return f"{self.type} {self.name}"
