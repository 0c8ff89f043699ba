"""Sets of signed links, kept for the person who created them until they expire.

A signed link is as good as its object, so links are sealed for their owner and stored nowhere else: no job, journal, log or
address holds one. Keys and refusals are not secret.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import ClassVar, Literal

from django.conf import settings
from django.db import models
from django.utils import timezone

from dashboard.catalog.selection import Selection
from dashboard.interfaces.storage.signed_links import SignedLink
from dashboard.jobs.models import Job
from dashboard.links.models import RawLink
from dashboard.team.models import Person
from dashboard.vault.fields import SealedField
from dashboard.vault.seals import Sealed
from dashboard.web.process.database import in_chunks

# Counts that were never signed are kept for a day; links at most 30 days, even if they live longer.
UNSIGNED_KEPT = timedelta(days=1)
LONGEST_KEPT = timedelta(days=30)


@dataclass(frozen=True, slots=True)
class Signed:
    """One object with its relative link, token included, or with the service's refusal."""

    key: str
    size: int | None
    path: str = ""
    words: str = ""

    def __repr__(self) -> str:
        return f"Signed({self.key!r})"

    def address(self, base: str, download: str | Literal[True] | None) -> str:
        return SignedLink(self.path).address(base, download=download)


class LinkSet(models.Model):
    """Links that are created together. `waiting`: [key, size] still to be signed in a request; a job has its own items.

    `life` (seconds) runs from the first signing, which sets `ends_at`. `facts`: the result of the count.
    """

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    space = models.CharField(max_length=64)
    bucket = models.CharField(max_length=255)
    selection = models.JSONField("what was chosen")
    waiting = models.JSONField(default=list)
    facts = models.JSONField(default=dict)
    life = models.PositiveBigIntegerField("seconds from the first signing on", null=True)
    ends_at = models.DateTimeField(null=True)
    # "" downloads them under their own names, null shows them.
    download = models.CharField("name of downloads", max_length=200, null=True)  # noqa: DJ001 - as it says
    made_at = models.DateTimeField(default=timezone.now)
    keeps_until = models.DateTimeField(db_index=True)
    job = models.ForeignKey(Job, on_delete=models.SET_NULL, null=True, related_name="+")
    raw = models.ForeignKey(RawLink, on_delete=models.SET_NULL, null=True, related_name="+")
    signed = models.PositiveIntegerField(default=0)
    refused = models.PositiveIntegerField(default=0)

    objects: ClassVar[models.Manager["LinkSet"]] = models.Manager()

    def __str__(self) -> str:
        return f"Links {self.pk} of {self.owner_id}"

    @property
    def chosen(self) -> Selection:
        return Selection.from_parameters(self.selection)

    def signed_batches(self) -> Iterator[list[Signed]]:
        """The links, batch by batch. Raises `CannotOpen`."""
        for batch in in_chunks(self.batches.order_by("number"), 1):
            yield batch.links(self.owner_id)

    def give_to(self, person: Person) -> None:
        """Make somebody else its owner, who can copy the links. Raises `CannotOpen`."""
        former, self.owner = self.owner_id, person
        for pk in list(self.batches.values_list("pk", flat=True)):
            batch = self.batches.get(pk=pk)
            batch.seal(batch.links(former), owner=person.pk)
            batch.save(update_fields=("sealed",))
        self.save(update_fields=("owner",))
        if self.raw_id:
            RawLink.objects.filter(pk=self.raw_id).update(person=person)

    def refusals(self) -> Iterator[Signed]:
        for batch in in_chunks(self.batches.order_by("number").exclude(refused=[]).defer("sealed"), 20):
            yield from (Signed(key, size, words=words) for key, size, words in batch.refused)


class LinkBatch(models.Model):
    """Links of one call, sealed; `refused` holds [key, size, message] of keys without a link."""

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
        text = json.dumps([[one.key, one.size, one.path] for one in signed])
        self.sealed = Sealed.seal(text, owner=owner, purpose=self.purpose)

    def links(self, owner: int) -> list[Signed]:
        return [Signed(*row) for row in json.loads(self.sealed.open(owner=owner, purpose=self.purpose))]
