"""The sealed key for lookup digests."""

from typing import ClassVar

from django.db import models

from dashboard.vault.fields import SealedField


class LookupKey(models.Model):
    """The random key of `lookup.digest`.

    The oldest one that can be unsealed is used. There is a second one only if VAULT_KEYS were lost.
    """

    sealed = SealedField()

    objects: ClassVar[models.Manager["LookupKey"]] = models.Manager()

    def __str__(self) -> str:
        return f"lookup key {self.pk}"
