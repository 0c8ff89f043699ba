"""What saving a draft would change, found by comparing it with what the service returns (M5): as text and as digest."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import md5, sha256

from dashboard.features.secrets.rules.names import ABOUT_MOST
from dashboard.interfaces.management.secrets import Secret
from dashboard.web.text import counted

NEW, CHANGED, SAME = "new", "changed", "same"


@dataclass(frozen=True, slots=True)
class Line:
    """One secret of the draft, ready to print. `key` stands for its name in a form; `ticked`: it is proposed to be sent."""

    key: str
    name: str
    kind: str
    size: str
    ticked: bool
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Only:
    """One secret that only the service has."""

    key: str
    name: str
    ticked: bool = False


@dataclass(frozen=True, slots=True)
class Plan:
    """`basis` stands for the service's list; `room`: how many new names may still be sent, about."""

    lines: tuple[Line, ...]
    only: tuple[Only, ...]
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
        """How many are proposed to be sent."""
        return sum(line.ticked for line in self.to_send)


def plan_of(values: Mapping[str, str], secrets: Sequence[Secret], warnings: Mapping[str, Sequence[str]] | None = None) -> Plan:
    """Each name of the draft as new, changed or same, and the names that only the service has, the platform's own left out."""
    there = {secret.name: secret for secret in secrets if not secret.is_reserved}
    lines = tuple(_line(name, value, there.get(name), (warnings or {}).get(name, ())) for name, value in values.items())
    only = tuple(Only(key_of(name), name) for name in sorted(there, key=str.casefold) if name not in values)
    return Plan(lines, only, basis_of(list(there.values())), ABOUT_MOST - len(there))


def is_same(secret: Secret, value: str) -> bool:
    """Whether the service holds this value, as far as what it returns can tell: the text itself or its digest."""
    if secret.value == value:
        return True
    if secret.value_is == "SHA-256 digest":
        return secret.value == sha256(value.encode()).hexdigest()
    return secret.value_is == "MD5 digest" and secret.value == md5(value.encode(), usedforsecurity=False).hexdigest()


def basis_of(secrets: Sequence[Secret]) -> str:
    """One digest of the names and values that the service returned, in whatever order."""
    pairs = sorted((secret.name, secret.value) for secret in secrets)
    return sha256(json.dumps(pairs).encode()).hexdigest()


def key_of(name: str) -> str:
    """A name as it stands in a form: names can hold line breaks, which browsers rewrite."""
    return sha256(name.encode()).hexdigest()[:16]


def size_of(value: str) -> str:
    """How much was typed, in words."""
    lines = value.count("\n") + 1
    count = counted(len(value), "character")
    return f"{count} on {lines:,} lines" if lines > 1 else count


def _line(name: str, value: str, secret: Secret | None, warnings: Sequence[str]) -> Line:
    kind = NEW if secret is None else SAME if is_same(secret, value) else CHANGED
    return Line(key_of(name), name, kind, size_of(value), kind != SAME, tuple(warnings))
