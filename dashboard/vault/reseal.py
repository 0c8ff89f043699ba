"""Re-encrypt every sealed value with the newest key, in batches. Safe to interrupt."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.apps import apps
from django.db import models
from django.db.models.functions import Cast

from dashboard.vault.fields import SealedField
from dashboard.vault.seals import VERSION, CannotOpen, Sealed, newest_prefix

BATCH = 200
# JSON columns that contain sealed texts: "app.Model" and the field. The adapter seals what allauth stores of a second factor.
JSON_COLUMNS = (("mfa.Authenticator", "data"),)


@dataclass(frozen=True, slots=True)
class Resealed:
    """Counts of one run: re-encrypted values, and values that can't be unsealed (unchanged)."""

    done: int
    broken: int


def reseal() -> Resealed:
    """Re-encrypt values of older keys. If `broken` is 0, the older keys may be removed."""
    done = broken = 0
    for model, field in _columns():
        for pk, sealed in _outdated(model, field):
            try:
                fresh = sealed.resealed()
            except CannotOpen:
                broken += 1
                continue
            # Match the old value: one replaced since already uses the newest key.
            done += _rows(model).filter(pk=pk, **{field: sealed}).update(**{field: fresh})
    for name, field in JSON_COLUMNS:
        model = apps.get_model(name)
        for pk, values in list(_rows(model).values_list("pk", field)):
            kept, failed = _resealed_values(values)
            broken += failed
            if kept != values:
                done += _rows(model).filter(pk=pk, **{field: values}).update(**{field: kept})
    return Resealed(done=done, broken=broken)


def _resealed_values(values: dict[str, Any]) -> tuple[dict[str, Any], int]:
    """Return the values with all sealed texts resealed by the newest key, and how many can't be unsealed."""
    fresh, broken = dict(values), 0
    for name, text in values.items():
        if isinstance(text, str) and text.startswith(f"{VERSION}.") and not text.startswith(newest_prefix()):
            try:
                fresh[name] = Sealed(text).resealed().stored()
            except CannotOpen:
                broken += 1
    return fresh, broken


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
    return model._base_manager.all()  # noqa: SLF001 - documented; a custom manager could hide rows
