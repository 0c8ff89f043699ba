"""What a token saw of a project's custom hostname, and what checks found, which belongs to the project."""

from typing import ClassVar

from django.db import models
from django.utils import timezone

STATUS_LIMIT = 64


class Known(models.Model):
    """The last state that a token saw. `setup` tells one setup from the next; it is empty where none exists.

    `troubles` are the problems that block it. `certificate` is the certificate's state and `authority` its issuer, both in the
    service's words.
    """

    fingerprint = models.CharField(max_length=32)
    ref = models.CharField(max_length=64)
    setup = models.CharField(max_length=32, blank=True)
    hostname = models.TextField(blank=True)
    status = models.CharField("the service's own word", max_length=STATUS_LIMIT)
    certificate = models.CharField(max_length=STATUS_LIMIT, blank=True)
    authority = models.CharField(max_length=STATUS_LIMIT, blank=True)
    troubles = models.JSONField(default=list)
    read_at = models.DateTimeField(default=timezone.now)

    objects: ClassVar[models.Manager["Known"]] = models.Manager()

    class Meta:
        constraints = (models.UniqueConstraint(fields=("fingerprint", "ref"), name="one_known_hostname"),)

    def __str__(self) -> str:
        return f"{self.ref}: {self.status}"


class Verdict(models.TextChoices):
    """What came of connecting to the hostname. Unreachable says nothing about the certificate."""

    VERIFIED = "verified", "Verified"
    INVALID = "invalid", "Invalid"
    UNREACHABLE = "unreachable", "Not checked"


class Check(models.Model):
    """What the latest checks of a setup found, for every token that reads it: DNS and certificate are public.

    `broken_record` is the first DNS record that is wrong ("CNAME api.example.com: missing"; empty for none). `problem` says why
    the certificate isn't verified. The dates are empty for what was never checked.
    """

    ref = models.CharField(max_length=64)
    setup = models.CharField(max_length=32)
    broken_record = models.TextField(blank=True)
    records_at = models.DateTimeField(null=True)
    verdict = models.CharField(max_length=12, choices=Verdict.choices, blank=True)
    problem = models.TextField(blank=True)
    issuer = models.TextField(blank=True)
    names = models.JSONField(default=list)
    expires_at = models.DateTimeField(null=True)
    certificate_at = models.DateTimeField(null=True)

    objects: ClassVar[models.Manager["Check"]] = models.Manager()

    class Meta:
        constraints = (models.UniqueConstraint(fields=("ref", "setup"), name="one_check_per_setup"),)

    def __str__(self) -> str:
        return f"check of {self.ref}"

    @property
    def is_invalid(self) -> bool:
        return self.verdict == Verdict.INVALID


class EventKind(models.TextChoices):
    STATE = "state", "State"
    DNS = "dns", "DNS"
    CERTIFICATE = "certificate", "Certificate"


class Event(models.Model):
    """When a state, a DNS finding or a result of the certificate was first seen. It belongs to the project.

    A row is added when the value changes; `number` counts those of one kind, so that two processes add the same change once.
    """

    ref = models.CharField(max_length=64)
    kind = models.CharField(max_length=12, choices=EventKind.choices)
    number = models.PositiveIntegerField()
    setup = models.CharField(max_length=32, blank=True)
    hostname = models.TextField(blank=True)
    value = models.TextField(blank=True)
    first_seen_at = models.DateTimeField(default=timezone.now)

    objects: ClassVar[models.Manager["Event"]] = models.Manager()

    class Meta:
        ordering = ("first_seen_at", "pk")
        constraints = (models.UniqueConstraint(fields=("ref", "kind", "number"), name="one_event_per_number"),)

    def __str__(self) -> str:
        return f"{self.ref}: {self.value}"


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
