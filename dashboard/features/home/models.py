"""Filters of Home's list and of Hostnames that people saved under a name."""

from typing import ClassVar

from django.conf import settings
from django.db import models

NAME_MAX_LENGTH = 60


class SavedFilter(models.Model):
    """A person's filter: its name, the view of the list, and the query that filters, sorts and groups it."""

    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    name = models.CharField(max_length=NAME_MAX_LENGTH)
    view = models.CharField(max_length=16)
    query = models.TextField(blank=True)

    objects: ClassVar[models.Manager["SavedFilter"]] = models.Manager()

    class Meta:
        constraints = (models.UniqueConstraint(fields=("person", "name"), name="one_filter_per_name"),)

    def __str__(self) -> str:
        return self.name
