"""The version that prepared the database. All versions read it in this form, to name both when they refuse."""

from typing import ClassVar

from django.db import models


class Prepared(models.Model):
    """One row: the version that prepared this database last."""

    version = models.CharField(max_length=40)

    objects: ClassVar[models.Manager["Prepared"]] = models.Manager()

    def __str__(self) -> str:
        return f"prepared by {self.version}"
