"""Guides that a person follows in the sandbox."""

from typing import ClassVar

from django.conf import settings
from django.db import models


class Trial(models.Model):
    """One person's guides. Which steps are done is derived from what the person did, not stored here.

    `guide` is the key of the one being shown, `begun` the time (ISO 8601) at which each was started.
    """

    person = models.OneToOneField(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, primary_key=True, related_name="+")
    guide = models.CharField(max_length=20, blank=True)
    begun = models.JSONField(default=dict)
    is_hidden = models.BooleanField("no longer offers guides in the banner", default=False)

    objects: ClassVar[models.Manager["Trial"]] = models.Manager()

    def __str__(self) -> str:
        return f"Trial of {self.person_id}"
