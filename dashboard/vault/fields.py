"""A model field that reads and accepts only `Sealed` values."""

from typing import TYPE_CHECKING

from django.db import models
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models.expressions import Expression

from dashboard.vault.seals import Sealed

if TYPE_CHECKING:
    _Base = models.TextField[Sealed, Sealed]
else:
    _Base = models.TextField


class SealedField(_Base):
    """A text column of `Sealed` values; saving a plain text raises TypeError."""

    description = "A sealed text"

    def from_db_value(self, value: str | None, expression: Expression, connection: BaseDatabaseWrapper) -> Sealed | None:  # noqa: ARG002 - Django's signature
        return None if value is None else Sealed(value)

    def to_python(self, value: object) -> Sealed | None:
        if value is None or isinstance(value, Sealed):
            return value
        raise TypeError(f"{self.name} takes a Sealed, not a {type(value).__name__}.")

    def get_prep_value(self, value: object) -> str | None:
        if isinstance(value, Sealed):
            return value.stored()
        # Only lookups pass a text (`reseal` compares prefixes); saving one fails in `get_db_prep_save`.
        return value if isinstance(value, str) else None

    def get_db_prep_save(self, value: object, connection: BaseDatabaseWrapper) -> str | None:
        prepared: str | None = super().get_db_prep_save(self.to_python(value), connection)
        return prepared

    def value_to_string(self, obj: models.Model) -> str:  # noqa: ARG002 - Django's signature
        raise TypeError(f"{self.name} is sealed and is not serialized.")
