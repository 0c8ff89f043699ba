"""Facts as each token last read them, and how often each token is used to refresh them."""

from typing import ClassVar

from django.db import models


class KeptFact(models.Model):
    """The last answer of one token about one project or space.

    `read_at` is empty until a read succeeds; `tried_at` is the latest attempt, `failure` the reason if it failed. `unanswered`
    counts the latest attempts in a row without an answer.
    """

    fingerprint = models.CharField(max_length=32)
    place = models.CharField("project or space", max_length=64)
    key = models.CharField(max_length=24)
    value = models.JSONField(null=True)
    read_at = models.DateTimeField(null=True)
    tried_at = models.DateTimeField()
    failure = models.CharField(max_length=300, blank=True)
    unanswered = models.PositiveSmallIntegerField(default=0, db_default=0)

    objects: ClassVar[models.Manager["KeptFact"]] = models.Manager()

    class Meta:
        constraints = (models.UniqueConstraint(fields=("fingerprint", "place", "key"), name="one_kept_fact"),)
        indexes = (models.Index(fields=("tried_at",), name="kept_fact_age"),)

    def __str__(self) -> str:
        return f"{self.key} of {self.place}"


class Budget(models.Model):
    """The refreshing calls of one token, over all processes.

    `begun` are the starts within the last second, `held` the ends of leases of running calls, both as Unix times. No call begins
    before `rests_until`. `version` guards each change.
    """

    fingerprint = models.CharField(max_length=32, primary_key=True)
    begun = models.JSONField(default=list)
    held = models.JSONField(default=list)
    rests_until = models.FloatField(default=0)
    version = models.PositiveIntegerField(default=0)

    objects: ClassVar[models.Manager["Budget"]] = models.Manager()

    def __str__(self) -> str:
        return f"Budget of {self.fingerprint[:8]}"
