"""One row for each project that the team has labelled."""

from django.conf import settings
from django.db import models
from django.utils import timezone

LONGEST_NAME = 30
LONGEST_NOTE = 500


class Colour(models.TextChoices):
    """Each is a token of the style sheet (`--label-red`); nobody has to tell two of them apart, since names stand beside them."""

    RED = "red", "Red"
    ORANGE = "orange", "Orange"
    YELLOW = "yellow", "Yellow"
    GREEN = "green", "Green"
    TEAL = "teal", "Teal"
    BLUE = "blue", "Blue"
    VIOLET = "violet", "Violet"
    PINK = "pink", "Pink"


class Label(models.Model):
    """`ref` is the project's. Everything else may be empty, but not all of it: then there is no row."""

    ref = models.CharField("project", max_length=64, primary_key=True)
    name = models.CharField(max_length=LONGEST_NAME, blank=True)
    colour = models.CharField(max_length=8, choices=Colour.choices, blank=True)
    production = models.BooleanField(default=False)
    note = models.CharField(max_length=LONGEST_NOTE, blank=True)
    changed_at = models.DateTimeField(default=timezone.now)
    changed_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")

    def __str__(self) -> str:
        return self.name or self.ref
