"""How saving a draft ended, by name. It holds no value, so it can be kept after the draft is gone."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from dashboard.web.text import counted

SAVED, OTHER, MISSING, GONE, KEPT = "saved", "other", "missing", "gone", "kept"
# Not read back: without an answer, or with the service's yes.
UNREAD, CONFIRMED = "unread", "confirmed"
WORDS = {
    SAVED: ("Saved", "good"),
    GONE: ("Deleted", "good"),
    OTHER: ("Not as entered", "danger"),
    MISSING: ("Missing", "danger"),
    KEPT: ("Not deleted", "danger"),
    UNREAD: ("Unknown", "attention"),
    CONFIRMED: ("Not verified", "attention"),
}


@dataclass(frozen=True, slots=True)
class Named:
    """How one name ended: `state` is one of the words above."""

    name: str
    state: str
    is_deletion: bool = False

    @property
    def word(self) -> str:
        return WORDS[self.state][0]

    @property
    def tone(self) -> str:
        return WORDS[self.state][1]

    @property
    def is_good(self) -> bool:
        return self.state in (SAVED, GONE)


@dataclass(frozen=True, slots=True)
class Result:
    """How each name ended. `failure`: in the service's words, why a request had no answer that counts.

    `refusal`: why the deletion was refused. `unread`: why the list could not be read back. `skipped`: deletions that were not
    sent. `entries` are those of the journal whose outcome was in doubt.
    """

    named: tuple[Named, ...] = ()
    failure: str = ""
    refusal: str = ""
    unread: str = ""
    may_still_run: bool = False
    skipped: tuple[str, ...] = ()
    unchosen: int = 0
    entries: tuple[int, ...] = ()

    @classmethod
    def of(cls, facts: Mapping[str, Any]) -> "Result":
        """The result that `facts` were made from."""
        named = tuple(Named(**row) for row in facts.get("named", ()))
        skipped, entries = tuple(facts.get("skipped", ())), tuple(facts.get("entries", ()))
        return cls(**{**facts, "named": named, "skipped": skipped, "entries": entries})

    def facts(self) -> dict[str, Any]:
        return asdict(self)

    @property
    def to_save(self) -> list[str]:
        return [named.name for named in self.named if not named.is_deletion]

    @property
    def in_order(self) -> list[Named]:
        """All names, those that did not end well first."""
        return sorted(self.named, key=lambda named: named.is_good)

    @property
    def is_good(self) -> bool:
        return all(named.is_good for named in self.named)

    @property
    def is_known(self) -> bool:
        """Whether nothing is left to find out: read back as meant, or confirmed or refused by the service."""
        if self.is_good:
            return True
        if self.unread:
            return not self.failure
        return bool(self.refusal) and all(named.is_good or named.is_deletion for named in self.named)

    @property
    def title(self) -> str:
        """How many ended how, in words."""
        states = [named.state for named in self.named]
        counts = [f"{states.count(state)} {word.lower()}" for state, (word, _) in WORDS.items() if state in states]
        return ", ".join(counts) or "Nothing was changed"

    @property
    def found(self) -> int:
        """How many of the changes reading back showed."""
        return sum(named.is_good for named in self.named)

    @property
    def progress(self) -> str:
        """The same in words."""
        return f"{self.found} of {counted(len(self.named), 'change')} found"
