"""Answers of resolvers, and the diagnosis of each DNS record."""

from dataclasses import dataclass, replace
from enum import StrEnum


@dataclass(frozen=True, slots=True)
class Question:
    """A name and a type of record ("CNAME", "TXT", …)."""

    name: str
    kind: str


@dataclass(frozen=True, slots=True)
class Answer:
    """One resolver's records at the name itself, not at its CNAME's target.

    `ttl` is in seconds; `why` is the reason if there is no answer (empty: it answered).
    """

    values: tuple[str, ...] = ()
    ttl: int = 0
    why: str = ""


class Kind(StrEnum):
    """The diagnosis of one record."""

    CORRECT = "correct"
    MISSING = "missing"
    WRONG = "wrong value"
    DOUBLED = "zone name doubled"
    CONFLICT = "CNAME beside another type"
    ADDRESS = "address instead of CNAME"
    CAA = "CAA forbids the issuer"
    PROPAGATING = "propagating"
    LATER = "later"
    UNKNOWN = "unknown"

    @property
    def tone(self) -> str:
        return _TONES.get(self, "danger")

    @property
    def is_broken(self) -> bool:
        """Whether a person has to change the record."""
        return self not in _NOT_BROKEN


_TONES = {
    Kind.CORRECT: "good",
    Kind.MISSING: "attention",
    Kind.PROPAGATING: "waiting",
    Kind.LATER: "neutral",
    Kind.UNKNOWN: "neutral",
}


_NOT_BROKEN = (Kind.CORRECT, Kind.PROPAGATING, Kind.LATER, Kind.UNKNOWN)


@dataclass(frozen=True, slots=True)
class Finding:
    """One diagnosis: expected, seen, and how to fix it. `ttl`: how many seconds resolvers may cache what they saw.

    `resolvers` are label and diagnosis of each resolver.
    """

    kind: Kind
    expected: str
    seen: tuple[str, ...] = ()
    fix: str = ""
    ttl: int = 0
    resolvers: tuple[tuple[str, str], ...] = ()

    @property
    def is_right(self) -> bool:
        return self.kind is Kind.CORRECT

    @property
    def tone(self) -> str:
        return self.kind.tone

    @property
    def word(self) -> str:
        return self.kind.value[0].upper() + self.kind.value[1:]

    @property
    def cached_for(self) -> str:
        """How long a wrong answer may be cached, in words; empty if that doesn't matter."""
        if self.kind in _HARMLESS or not self.ttl:
            return ""
        return f"{self.ttl} seconds" if self.ttl < 120 else f"{round(self.ttl / 60):,} minutes"


_HARMLESS = (Kind.CORRECT, Kind.MISSING, Kind.LATER, Kind.UNKNOWN)


def merge(by_resolver: list[tuple[str, Finding]]) -> Finding:
    """Combine the findings of several resolvers. Ignores those without an answer if another one answered."""
    each = tuple((label, finding.kind.value) for label, finding in by_resolver)
    answered = [finding for _, finding in by_resolver if finding.kind is not Kind.UNKNOWN]
    if not answered:
        return replace(by_resolver[0][1], resolvers=each)
    first_wrong = next((finding for finding in answered if not finding.is_right), None)
    if first_wrong is None:
        return replace(answered[0], resolvers=each)
    if any(finding.is_right for finding in answered):
        waiting = "Wait: one resolver already sees the correct record, another still has the old one cached."
        return replace(first_wrong, kind=Kind.PROPAGATING, fix=waiting, resolvers=each)
    return replace(first_wrong, resolvers=each)
