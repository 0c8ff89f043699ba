"""A review, and the parts of its payload, kept apart so that lists read reviews only."""

import json
from typing import Any, ClassVar
from uuid import uuid4

from django.conf import settings
from django.db import models
from django.utils import timezone

from dashboard.interfaces.operations import OVER_AFTER
from dashboard.vault.fields import SealedField
from dashboard.vault.seals import CannotOpen, Sealed

PART_CHARACTERS = 512 * 1024
# How long a request of a killed process may still be running.
RUNS_FOR = OVER_AFTER


class State(models.TextChoices):
    OPEN = "open", "Open"
    APPLYING = "applying", "Being applied"
    DONE = "done", "Done"
    UNKNOWN = "unknown", "Outcome unknown"
    EXPIRED = "expired", "Expired"


class Review(models.Model):
    """One person's draft that waits to be applied, or the outcome of applying it.

    `purpose` says what it is for and where ("secrets of abc"). `outcome` is plain JSON without secrets, for the page of the
    outcome. The payload is sealed in `parts` and erased once the review is done or expired.
    """

    id = models.UUIDField(primary_key=True, default=uuid4, editable=False)
    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    grants = models.JSONField("ids of the grants it is applied through; elsewhere the person's tokens", default=list)
    purpose = models.CharField(max_length=400)
    state = models.CharField(max_length=8, choices=State.choices, default=State.OPEN)
    outcome = models.JSONField(null=True)
    created_at = models.DateTimeField(default=timezone.now)
    expires_at = models.DateTimeField(db_index=True)
    applied_at = models.DateTimeField(null=True)

    objects: ClassVar[models.Manager["Review"]] = models.Manager()

    class Meta:
        indexes = (models.Index(fields=("person", "purpose", "-created_at"), name="reviews_of_a_person"),)

    def __str__(self) -> str:
        return f"{self.purpose}, {self.state}"

    @property
    def payload(self) -> dict[str, Any] | None:
        """The draft, unsealed at each access; None if it was erased or its key is gone."""
        parts = Part.objects.filter(review=self).order_by("number")
        try:
            text = "".join(part.sealed.open(owner=self.person_id, purpose=self._seal_purpose(part.number)) for part in parts)
        except CannotOpen:
            return None
        opened: dict[str, Any] | None = json.loads(text) if text else None
        return opened

    @property
    def is_interrupted(self) -> bool:
        """Whether the process that applied it was killed, and its requests have ended by now."""
        return self.state == State.APPLYING and self.applied_at is not None and timezone.now() >= self.applied_at + RUNS_FOR

    def seal(self, payload: dict[str, Any]) -> None:
        """Replace the payload. Call it in a transaction."""
        text = json.dumps(payload)
        self.erase()
        Part.objects.bulk_create(
            Part(review=self, number=number, sealed=self._sealed(text[start : start + PART_CHARACTERS], number))
            for number, start in enumerate(range(0, len(text), PART_CHARACTERS))
        )

    def erase(self) -> None:
        """Delete the payload."""
        Part.objects.filter(review=self).delete()

    def _sealed(self, text: str, number: int) -> Sealed:
        return Sealed.seal(text, owner=self.person_id, purpose=self._seal_purpose(number))

    def _seal_purpose(self, number: int) -> str:
        return f"review:{self.pk}:{number}"


class Part(models.Model):
    """Up to 512 KiB of a payload."""

    review = models.ForeignKey(Review, on_delete=models.CASCADE, related_name="parts")
    number = models.PositiveSmallIntegerField()
    sealed = SealedField()

    objects: ClassVar[models.Manager["Part"]] = models.Manager()

    class Meta:
        constraints = (models.UniqueConstraint(fields=("review", "number"), name="one_part_per_number"),)

    def __str__(self) -> str:
        return f"part {self.number} of {self.review_id}"
