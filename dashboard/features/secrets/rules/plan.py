"""Compare a draft with the project's secrets (M5), whether the service returns values or digests."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import md5, sha256

from dashboard.features.secrets.rules.names import SECRETS_LIMIT
from dashboard.interfaces.management.secrets import Secret
from dashboard.web.text import counted

NEW, CHANGED, SAME = "new", "changed", "same"


@dataclass(frozen=True, slots=True)
class Line:
    """One secret of the draft. `key` identifies its name in a form; `ticked`: it will be saved."""

    key: str
    name: str
    kind: str
    size: str
    ticked: bool
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ServiceOnly:
    """A secret that isn't in the draft; `ticked`: it will be deleted."""

    key: str
    name: str
    ticked: bool = False


@dataclass(frozen=True, slots=True)
class Plan:
    """`basis` is a digest of the service's list; `room`: about how many new secrets the project can take."""

    lines: tuple[Line, ...]
    only: tuple[ServiceOnly, ...]
    basis: str
    room: int

    @property
    def new(self) -> list[Line]:
        return [line for line in self.lines if line.kind == NEW]

    @property
    def changed(self) -> list[Line]:
        return [line for line in self.lines if line.kind == CHANGED]

    @property
    def same(self) -> list[Line]:
        return [line for line in self.lines if line.kind == SAME]

    @property
    def to_send(self) -> list[Line]:
        """New before changed."""
        return [*self.new, *self.changed]

    @property
    def ticked(self) -> int:
        return sum(line.ticked for line in self.to_send)


def plan_of(values: Mapping[str, str], secrets: Sequence[Secret], warnings: Mapping[str, Sequence[str]] | None = None) -> Plan:
    """Sort the draft's secrets into new, changed and same, and find those that only the service has, except reserved ones."""
    present = {secret.name: secret for secret in secrets if not secret.is_reserved}
    lines = tuple(_line(name, value, present.get(name), (warnings or {}).get(name, ())) for name, value in values.items())
    only = tuple(ServiceOnly(key_of(name), name) for name in sorted(present, key=str.casefold) if name not in values)
    pairs = sorted((secret.name, secret.value) for secret in present.values())
    basis = sha256(json.dumps(pairs).encode()).hexdigest()
    return Plan(lines, only, basis, SECRETS_LIMIT - len(present))


def is_same(secret: Secret, value: str) -> bool:
    """Whether the service has this value, judged by the value or the digest that it returns."""
    if secret.value == value:
        return True
    if secret.value_is == "SHA-256 digest":
        return secret.value == sha256(value.encode()).hexdigest()
    return secret.value_is == "MD5 digest" and secret.value == md5(value.encode(), usedforsecurity=False).hexdigest()


def key_of(name: str) -> str:
    """Return a name's key for forms: names may contain line breaks, which browsers rewrite."""
    return sha256(name.encode()).hexdigest()[:16]


def size_of(value: str) -> str:
    """Return the length of a value, in words."""
    lines = value.count("\n") + 1
    count = counted(len(value), "character")
    return f"{count} on {lines:,} lines" if lines > 1 else count


def _line(name: str, value: str, secret: Secret | None, warnings: Sequence[str]) -> Line:
    kind = NEW if secret is None else SAME if is_same(secret, value) else CHANGED
    return Line(key_of(name), name, kind, size_of(value), kind != SAME, tuple(warnings))
