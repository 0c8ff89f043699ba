"""Compare secrets by what the service returns: those of two projects, or a draft with its project's."""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import md5, sha256

from dashboard.features.secrets.rules.draft import Draft
from dashboard.features.secrets.rules.names import SECRETS_LIMIT
from dashboard.interfaces.management.secrets import Secret

# What a service returns instead of a secret's value, as `Secret.value_is` says.
SHA256, MD5 = "SHA-256 digest", "MD5 digest"
# Results for one name in two projects, in list order.
EQUAL = "equal"
ORDER = ("different", "unknown", "here", "there", EQUAL)
# Results for one name in a draft and its project.
NEW, CHANGED, SAME, ONLY_SERVICE = "new", "changed", "same", "only on the service"


def digests_of(value: str) -> dict[str, str]:
    """Return the digests that a service may return instead of the value, by kind."""
    text = value.encode(errors="surrogatepass")
    return {SHA256: sha256(text).hexdigest(), MD5: md5(text, usedforsecurity=False).hexdigest()}


def has_value(secret: Secret, digests: Mapping[str, str]) -> bool:
    """Whether the service has the value with these digests. It may also have returned in clear a value shaped like a digest."""
    return digests_of(secret.value)[SHA256] == digests[SHA256] or bool(_are_equal(_known_of(secret), digests))


def compare(here: Sequence[Secret], there: Sequence[Secret]) -> dict[str, str]:
    """Compare all names in two projects except reserved ones. Return a word of `ORDER` by name, different ones first."""
    first = {secret.name: secret for secret in here if not secret.is_reserved}
    second = {secret.name: secret for secret in there if not secret.is_reserved}
    states = {name: _state(first.get(name), second.get(name)) for name in first.keys() | second.keys()}
    return dict(sorted(states.items(), key=lambda one: (ORDER.index(one[1]), one[0].casefold(), one[0])))


@dataclass(frozen=True, slots=True)
class Line:
    """One secret of a plan. `is_ticked`: it will be saved or, if only the service has it, deleted."""

    name: str
    kind: str
    is_ticked: bool
    size: str = ""
    warnings: Sequence[str] = ()

    @property
    def key(self) -> str:
        return key_of(self.name)


@dataclass(frozen=True, slots=True)
class Plan:
    """The effect of saving a draft. `basis` is a digest of the service's list; `room`: about how many new secrets still fit."""

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
        """The secrets to send, new ones before changed ones."""
        return [*self.new, *self.changed]

    @property
    def to_save(self) -> list[str]:
        return [line.name for line in self.to_send if line.is_ticked]

    @property
    def to_delete(self) -> list[str]:
        return [line.name for line in self.only if line.is_ticked]

    @property
    def excess(self) -> int:
        """How many of the ticked new secrets exceed the room."""
        return max(0, sum(line.is_ticked for line in self.new) - self.room)

    def ticked(self, keys: Collection[str]) -> "Plan":
        """Return the plan with only these lines ticked."""
        return replace(self, lines=tuple(replace(line, is_ticked=line.key in keys) for line in self.lines))

    def cautious(self) -> "Plan":
        """Return the plan without ticks at lines that replace or delete."""
        return self.ticked({line.key for line in self.new if line.is_ticked})

    @property
    def problem(self) -> str:
        """Why this can't be sent; empty if it can."""
        if not self.to_save and not self.to_delete:
            return "Nothing is ticked. Nothing was changed."
        if extra := self.excess:
            return f"There is no room for {extra} of the new secrets. Untick {extra} or delete others. Nothing was changed."
        return ""


def plan_of(draft: Draft, secrets: Sequence[Secret]) -> Plan:
    """Sort a valid draft into new, changed and same, and find the secrets that only the service has, except reserved ones."""
    present = {secret.name: secret for secret in secrets if not secret.is_reserved}
    lines = []
    for item, findings in draft.checked:
        secret = present.get(item.name)
        kind = NEW if secret is None else SAME if has_value(secret, digests_of(item.value)) else CHANGED
        lines.append(Line(item.name, kind, kind != SAME, item.size, [found.text for found in findings]))
    others = set() if draft.is_replacement else present.keys() - draft.values.keys()
    in_order = sorted(others, key=lambda name: (name.casefold(), name))
    lines += [Line(name, ONLY_SERVICE, is_ticked=False) for name in in_order]
    pairs = sorted((secret.name, secret.value) for secret in present.values())
    basis = sha256(json.dumps(pairs).encode()).hexdigest()
    return Plan(tuple(lines), basis, SECRETS_LIMIT - len(present))


def key_of(name: str) -> str:
    """Return a name's key for forms and ids, since names may contain line breaks, which browsers rewrite."""
    return sha256(name.encode()).hexdigest()[:16]


def _known_of(secret: Secret) -> dict[str, str]:
    """Return the known digests of a listed secret; none of one that was withheld, which is listed without a value."""
    if not secret.value:
        return {}
    return digests_of(secret.value) if secret.value_is == "value" else {secret.value_is: secret.value}


def _are_equal(one: Mapping[str, str], other: Mapping[str, str]) -> bool | None:
    """Whether the digests are of the same value; None if they are of different kinds."""
    kinds = one.keys() & other.keys()
    return all(one[kind] == other[kind] for kind in kinds) if kinds else None


def _state(here: Secret | None, there: Secret | None) -> str:
    if here is None or there is None:
        return "there" if here is None else "here"
    equal = _are_equal(_known_of(here), _known_of(there))
    return "unknown" if equal is None else EQUAL if equal else "different"
