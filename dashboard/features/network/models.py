"""Our own data about a project's network: labels of addresses, comments on lists, and applied lists."""

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.utils import timezone

LABEL_LIMIT = 60


class AddressLabel(models.Model):
    """The team's name for an address ("office", "CI runner"), in every project.

    Shared by everybody: people typed it, and it is shown only beside an address that the viewer's token already lists.
    """

    address = models.CharField("address in its canonical form", max_length=45, unique=True)
    label = models.CharField(max_length=LABEL_LIMIT)
    changed_at = models.DateTimeField(default=timezone.now)

    objects: ClassVar[models.Manager["AddressLabel"]] = models.Manager()

    def __str__(self) -> str:
        return f"{self.label} ({self.address})"


class ListText(models.Model):
    """A project's list as the team wrote it, with order, comments and empty lines, which the service doesn't store."""

    project = models.CharField(max_length=64, unique=True)
    text = models.TextField(blank=True)
    changed_at = models.DateTimeField(default=timezone.now)

    objects: ClassVar[models.Manager["ListText"]] = models.Manager()

    def __str__(self) -> str:
        return f"list of {self.project}"


class AppliedSet(models.Model):
    """A list that was sent or, if `person` is null, one found at the service and replaced.

    Shown to everyone whose own token can read the project's restrictions now, so that anyone can restore it.
    """

    project = models.CharField(max_length=64)
    token = models.CharField("fingerprint", max_length=32)
    v4 = models.JSONField(default=list)
    v6 = models.JSONField("null where the service showed no such list", null=True)
    text = models.TextField(blank=True)
    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="applied_sets")
    at = models.DateTimeField(default=timezone.now)
    confirmed = models.BooleanField("the service answered that it took the list", default=True)

    objects: ClassVar[models.Manager["AppliedSet"]] = models.Manager()

    class Meta:
        ordering = ("-at", "-pk")
        indexes = (models.Index(fields=("project", "-at"), name="sets_of_a_project"),)

    def __str__(self) -> str:
        return f"list of {self.project} at {self.at:%Y-%m-%d %H:%M}"
