"""What the record doctor can say, and in which words."""

from dataclasses import dataclass, replace
from enum import StrEnum


class Kind(StrEnum):
    """The diagnosis of one record."""

    RIGHT = "right"
    MISSING = "missing"
    WRONG = "wrong value"
    DOUBLED = "zone name doubled"
    BESIDE = "CNAME beside another type"
    ADDRESS = "address instead of CNAME"
    CAA = "CAA forbids the issuer"
    SPREADING = "partly spread"
    LATER = "not yet"
    NOT_ASKED = "could not ask"

    @property
    def tone(self) -> str:
        return _TONES.get(self, "danger")


_TONES = {
    Kind.RIGHT: "good",
    Kind.MISSING: "attention",
    Kind.SPREADING: "waiting",
    Kind.LATER: "neutral",
    Kind.NOT_ASKED: "neutral",
}


@dataclass(frozen=True, slots=True)
class Finding:
    """One diagnosis: what was expected, what was seen, what to do. `ttl`: seconds for which resolvers may keep what they saw.

    `resolvers` are label and diagnosis of each resolver that was asked.
    """

    kind: Kind
    expected: str
    seen: tuple[str, ...] = ()
    fix: str = ""
    ttl: int = 0
    resolvers: tuple[tuple[str, str], ...] = ()

    @property
    def is_right(self) -> bool:
        return self.kind is Kind.RIGHT

    @property
    def tone(self) -> str:
        return self.kind.tone

    @property
    def word(self) -> str:
        return self.kind.value[0].upper() + self.kind.value[1:]

    @property
    def kept_for(self) -> str:
        """The time that a wrong answer may be kept, in words; empty where it does not matter."""
        if self.kind in _HARMLESS or not self.ttl:
            return ""
        return f"{self.ttl} seconds" if self.ttl < 120 else f"{round(self.ttl / 60):,} minutes"


_HARMLESS = (Kind.RIGHT, Kind.MISSING, Kind.LATER, Kind.NOT_ASKED)


def merged(by_resolver: list[tuple[str, Finding]]) -> Finding:
    """One finding out of what each resolver gave. Those that could not be asked count for nothing while another answered."""
    each = tuple((label, finding.kind.value) for label, finding in by_resolver)
    answered = [finding for _, finding in by_resolver if finding.kind is not Kind.NOT_ASKED]
    if not answered:
        return replace(by_resolver[0][1], resolvers=each)
    first_wrong = next((finding for finding in answered if not finding.is_right), None)
    if first_wrong is None:
        return replace(answered[0], resolvers=each)
    if any(finding.is_right for finding in answered):
        waiting = "Wait: one resolver sees the right record already, another still keeps what it saw before."
        return replace(first_wrong, kind=Kind.SPREADING, fix=waiting, resolvers=each)
    return replace(first_wrong, resolvers=each)
