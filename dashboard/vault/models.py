"""The sealed key of lookup digests."""

from typing import ClassVar

from django.db import models

from dashboard.vault.fields import SealedField


class LookupKey(models.Model):
    """The random key of `lookup.digest`.

    The oldest one that can be unsealed counts. A second one exists only after VAULT_KEYS were lost.
    """

    sealed = SealedField()

    objects: ClassVar[models.Manager["LookupKey"]] = models.Manager()

    def __str__(self) -> str:
        return f"lookup key {self.pk}"
