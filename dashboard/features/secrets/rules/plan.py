"""Compare a draft with the project's secrets (M5), and say what is ticked to be saved or deleted."""

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256

from dashboard.features.secrets.rules.digests import digests_of, has_value
from dashboard.features.secrets.rules.draft import Draft
from dashboard.features.secrets.rules.names import SECRETS_LIMIT
from dashboard.interfaces.management.secrets import Secret
from dashboard.web.text import counted

NEW, CHANGED, SAME, ONLY_SERVICE = "new", "changed", "same", "only on the service"


@dataclass(frozen=True, slots=True)
class Line:
    """One secret. `key` identifies its name in a form; `is_ticked`: it will be saved or, if only the service has it, deleted."""

    key: str
    name: str
    kind: str
    is_ticked: bool
    size: str = ""
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Plan:
    """`basis` is a digest of the service's list; `room`: about how many new secrets the project can take."""

    lines: tuple[Line, ...]
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
    def only(self) -> list[Line]:
        return [line for line in self.lines if line.kind == ONLY_SERVICE]

    @property
    def to_send(self) -> list[Line]:
        """New before changed."""
        return [*self.new, *self.changed]

    @property
    def to_save(self) -> list[str]:
        return [line.name for line in self.to_send if line.is_ticked]

    @property
    def to_delete(self) -> list[str]:
        return [line.name for line in self.only if line.is_ticked]

    @property
    def excess(self) -> int:
        """How many of the ticked new secrets are beyond the room."""
        return max(0, sum(line.is_ticked for line in self.new) - self.room)

    def ticked(self, keys: Collection[str]) -> "Plan":
        """Tick these lines only."""
        return replace(self, lines=tuple(replace(line, is_ticked=line.key in keys) for line in self.lines))

    def cautious(self) -> "Plan":
        """Untick what replaces or deletes."""
        return self.ticked({line.key for line in self.new if line.is_ticked})

    def problem(self, ref: str, typed: str) -> str | None:
        """Return why this can't be sent, or None. `typed` confirms deletions with the ref."""
        if not self.to_save and not self.to_delete:
            return "Nothing is ticked. Nothing was changed."
        if self.excess:
            extra = self.excess
            return f"There is no room for {extra} of the new secrets. Untick {extra} or delete others. Nothing was changed."
        if self.to_delete and typed != ref:
            return f"Type {ref} exactly to delete secrets. Nothing was changed."
        return None


def plan_of(draft: Draft, secrets: Sequence[Secret]) -> Plan:
    """Sort a draft without problems into new, changed and same, and find what only the service has, except reserved ones."""
    present = {secret.name: secret for secret in secrets if not secret.is_reserved}
    others = set() if draft.is_replacement else present.keys() - draft.values.keys()
    only = sorted(others, key=lambda name: (name.casefold(), name))
    lines = [_line(name, value, present.get(name), draft.warnings.get(name, ())) for name, value in draft.values.items()]
    lines += [Line(key_of(name), name, ONLY_SERVICE, is_ticked=False) for name in only]
    pairs = sorted((secret.name, secret.value) for secret in present.values())
    basis = sha256(json.dumps(pairs).encode()).hexdigest()
    return Plan(tuple(lines), basis, SECRETS_LIMIT - len(present))


def key_of(name: str) -> str:
    """Return a name's key for forms: names may contain line breaks, which browsers rewrite."""
    return sha256(name.encode()).hexdigest()[:16]


def size_of(value: str) -> str:
    """Return the length of a value, in words."""
    lines = value.count("\n") + 1
    count = counted(len(value), "character")
    return f"{count} on {lines:,} lines" if lines > 1 else count


def _line(name: str, value: str, secret: Secret | None, warnings: Sequence[str]) -> Line:
    kind = NEW if secret is None else SAME if has_value(secret, digests_of(value)) else CHANGED
    return Line(key_of(name), name, kind, kind != SAME, size_of(value), tuple(warnings))
