"""Secrets of a project's functions, M5 to M7."""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Literal

from msgspec import field

from dashboard.interfaces.records import HIDDEN, Record, moment
from dashboard.interfaces.transport import Ask, Part

# not shown: which names the service keeps for itself.
RESERVED_PREFIX = "SUPABASE_"


class Secret(Record, frozen=True):
    """A secret as the service lists it; only newer services send `updated_at`. Its repr hides the value."""

    name: str
    value: str
    updated_text: str | None = field(name="updated_at", default=None)

    @property
    def value_is(self) -> Literal["SHA-256 digest", "MD5 digest", "value"]:
        """What `value` probably is. Never send it back, as it may be a digest."""
        # not shown: whether values are returned plain. Older services did, newer ones return a digest in lower-case hex.
        if re.fullmatch(r"[0-9a-f]{64}", self.value):
            return "SHA-256 digest"
        return "MD5 digest" if re.fullmatch(r"[0-9a-f]{32}", self.value) else "value"

    @property
    def is_reserved(self) -> bool:
        """Whether the service reserves the name."""
        return self.name.startswith(RESERVED_PREFIX)

    @property
    def updated_at(self) -> datetime | None:
        return moment(self.updated_text)

    def __repr__(self) -> str:
        return f"Secret(name={self.name!r}, value={HIDDEN})"


class Secrets(Part):
    def all(self, ref: str) -> list[Secret]:
        """M5 · GET /v1/projects/{ref}/secrets

        Return the project's secrets, including reserved ones, in no guaranteed order.
        """
        return self._transport.fetch(Ask("M5", {"ref": ref}), list[Secret])

    def create(self, ref: str, values: Mapping[str, str]) -> None:
        """M6 · POST /v1/projects/{ref}/secrets

        Set secrets by name, overwriting existing ones. Rejected if any name is invalid; none is set then.
        """
        # not shown: the body.
        pairs = [{"name": name, "value": value} for name, value in values.items()]
        self._transport.answer(Ask("M6", {"ref": ref}, json=pairs))

    def delete(self, ref: str, names: Sequence[str]) -> None:
        """M7 · DELETE /v1/projects/{ref}/secrets

        Delete the secrets of these names; unknown names are ignored.
        """
        # not shown: the body.
        self._transport.answer(Ask("M7", {"ref": ref}, json=list(names)))
