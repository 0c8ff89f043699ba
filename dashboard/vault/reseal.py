"""Bring every sealed value under the newest key, in batches; may be stopped and started again at any point."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.apps import apps
from django.db import models
from django.db.models.functions import Cast

from dashboard.vault.fields import SealedField
from dashboard.vault.seals import CannotOpen, Sealed, newest_prefix

BATCH = 200


@dataclass(frozen=True, slots=True)
class Resealed:
    """What a run did: values now under the newest key, values that do not open (left as they are)."""

    done: int
    broken: int


def reseal() -> Resealed:
    """Re-seal what an older key sealed. After a run with nothing broken the older keys may be removed from VAULT_KEYS."""
    done = broken = 0
    for model, field in _columns():
        for pk, sealed in _outdated(model, field):
            try:
                fresh = sealed.resealed()
            except CannotOpen:
                broken += 1
                continue
            # A value that was replaced meanwhile is already under the newest key and must stay.
            done += _rows(model).filter(pk=pk, **{field: sealed}).update(**{field: fresh})
    return Resealed(done=done, broken=broken)


def _columns() -> Iterator[tuple[type[models.Model], str]]:
    for model in apps.get_models():
        for field in model._meta.get_fields():  # noqa: SLF001 - the documented way to a model's fields
            if isinstance(field, SealedField):
                yield model, field.name


def _outdated(model: type[models.Model], field: str) -> Iterator[tuple[int, Sealed]]:
    outdated = (
        _rows(model)
        .annotate(sealed_text=Cast(field, models.TextField()))
        .exclude(sealed_text__startswith=newest_prefix())
        .order_by("pk")
    )
    last = 0
    while batch := list(outdated.filter(pk__gt=last).values_list("pk", field)[:BATCH]):
        yield from batch
        last = batch[-1][0]


def _rows(model: type[models.Model]) -> models.QuerySet[models.Model]:
    return model._base_manager.all()  # noqa: SLF001 - documented; no custom manager may hide rows
