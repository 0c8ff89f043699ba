"""Presigned links that were made together, kept for their owner until they end.

The links are as good as the objects: they stand here sealed for the person who made them, and nowhere else (no job, no journal,
no log, no address). What is in clear are keys, and the words in which the service refused some.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import ClassVar

from django.conf import settings
from django.db import models
from django.utils import timezone

from dashboard.interfaces.storage.signed_links import SignedLink
from dashboard.jobs.models import Job
from dashboard.links.models import RawLink
from dashboard.vault.fields import SealedField
from dashboard.vault.seals import Sealed

# What was only counted is forgotten after a day; links after this, even if they live longer.
UNSIGNED_KEPT = timedelta(days=1)
LONGEST_KEPT = timedelta(days=30)


@dataclass(frozen=True, slots=True)
class Signed:
    """One object and its link as the service gave it (relative, with its token), or the words of the refusal."""

    key: str
    size: int | None
    path: str = ""
    words: str = ""

    def __repr__(self) -> str:
        return f"Signed({self.key!r})"

    def address(self, base: str) -> str:
        """Where anybody can read the object until its end."""
        return SignedLink(self.path).address(base)


class LinkSet(models.Model):
    """What was asked for at once: `waiting` is [key, size] of what is still to be signed in a request; a job has its own items.

    `life` in seconds counts from the first signing, which sets `ends_at`. `facts`: what the preview found.
    """

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    space = models.CharField(max_length=64)
    bucket = models.CharField(max_length=255)
    selection = models.JSONField("what was chosen")
    waiting = models.JSONField(default=list)
    facts = models.JSONField(default=dict)
    life = models.PositiveBigIntegerField("seconds from the first signing on", null=True)
    ends_at = models.DateTimeField(null=True)
    made_at = models.DateTimeField(default=timezone.now)
    keeps_until = models.DateTimeField(db_index=True)
    job = models.ForeignKey(Job, on_delete=models.SET_NULL, null=True, related_name="+")
    raw = models.ForeignKey(RawLink, on_delete=models.SET_NULL, null=True, related_name="+")
    signed = models.PositiveIntegerField(default=0)
    refused = models.PositiveIntegerField(default=0)

    objects: ClassVar[models.Manager["LinkSet"]] = models.Manager()

    def __str__(self) -> str:
        return f"Links {self.pk} of {self.owner_id}"

    def refusals(self) -> Iterator[Signed]:
        for rows in self.batches.order_by("number").exclude(refused=[]).values_list("refused", flat=True).iterator(chunk_size=20):
            yield from (Signed(key, size, words=words) for key, size, words in rows)


class LinkBatch(models.Model):
    """The links that came at once, sealed; `refused` holds [key, size, words] of those that the service gave none for."""

    of = models.ForeignKey(LinkSet, on_delete=models.CASCADE, related_name="batches")
    number = models.PositiveIntegerField()
    sealed = SealedField()
    refused = models.JSONField(default=list)

    objects: ClassVar[models.Manager["LinkBatch"]] = models.Manager()

    class Meta:
        constraints = (models.UniqueConstraint(fields=("of", "number"), name="one_batch_per_number"),)

    def __str__(self) -> str:
        return f"Batch {self.number} of links {self.of_id}"

    @property
    def purpose(self) -> str:
        return f"signed links:{self.of_id}:{self.number}"

    def seal(self, signed: Sequence[Signed], *, owner: int) -> None:
        """Take the links in; nothing of them is left in clear."""
        text = json.dumps([[one.key, one.size, one.path] for one in signed])
        self.sealed = Sealed.seal(text, owner=owner, purpose=self.purpose)

    def links(self, owner: int) -> list[Signed]:
        return [Signed(*row) for row in json.loads(self.sealed.open(owner=owner, purpose=self.purpose))]
