"""The model of project labels: one row per labelled project."""

from django.conf import settings
from django.db import models
from django.utils import timezone

NAME_MAX_LENGTH = 30
NOTE_MAX_LENGTH = 500


class Colour(models.TextChoices):
    """Label colours. Each is a token of the style sheet (`--label-red`)."""

    RED = "red", "Red"
    ORANGE = "orange", "Orange"
    YELLOW = "yellow", "Yellow"
    GREEN = "green", "Green"
    TEAL = "teal", "Teal"
    BLUE = "blue", "Blue"
    VIOLET = "violet", "Violet"
    PINK = "pink", "Pink"


class Label(models.Model):
    """A project's label; deleted when all its fields are empty."""

    ref = models.CharField("project", max_length=64, primary_key=True)
    name = models.CharField(max_length=NAME_MAX_LENGTH, blank=True)
    colour = models.CharField(max_length=8, choices=Colour.choices, blank=True)
    production = models.BooleanField(default=False)
    note = models.CharField(max_length=NOTE_MAX_LENGTH, blank=True)
    changed_at = models.DateTimeField(default=timezone.now)
    changed_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")

    def __str__(self) -> str:
        return self.name or self.ref
