"""The outcome of saving a draft, by name. It has no values, so it is kept after the draft is erased."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from dashboard.web.text import counted

SAVED, DIFFERENT, MISSING, DELETED, NOT_DELETED = "saved", "different", "missing", "deleted", "not deleted"
# Not verified: without an answer, or confirmed by the service.
UNKNOWN, CONFIRMED = "unknown", "confirmed"
WORDS = {
    SAVED: ("Saved", "good"),
    DELETED: ("Deleted", "good"),
    DIFFERENT: ("Not as entered", "danger"),
    MISSING: ("Missing", "danger"),
    NOT_DELETED: ("Not deleted", "danger"),
    UNKNOWN: ("Unknown", "attention"),
    CONFIRMED: ("Not verified", "attention"),
}


@dataclass(frozen=True, slots=True)
class NameOutcome:
    """The outcome for one name: `state` is a key of `WORDS`."""

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
        return self.state in (SAVED, DELETED)


@dataclass(frozen=True, slots=True)
class Result:
    """The outcome for each name. `failure`: why a request had no conclusive answer; `refusal`: why the deletion was refused.

    `unread`: why the list couldn't be read back. `skipped`: deletions that weren't sent. `waiting`: names that weren't sent
    because of an earlier change; `rest` is the review that keeps their values. `entry`: that of the journal whose outcome was
    unknown. An interrupted change has no outcomes.
    """

    outcomes: tuple[NameOutcome, ...] = ()
    failure: str = ""
    refusal: str = ""
    unread: str = ""
    skipped: tuple[str, ...] = ()
    waiting: tuple[str, ...] = ()
    rest: str = ""
    unchosen: int = 0
    entry: int = 0

    @classmethod
    def of(cls, facts: Mapping[str, Any]) -> "Result":
        """Restore a result from its facts."""
        return msgspec.convert(facts, cls)

    def facts(self) -> dict[str, Any]:
        facts: dict[str, Any] = msgspec.to_builtins(self)
        return facts

    @property
    def to_save(self) -> list[str]:
        return [one.name for one in self.outcomes if not one.is_deletion]

    @property
    def in_order(self) -> list[NameOutcome]:
        """All outcomes, failed ones first."""
        return sorted(self.outcomes, key=lambda one: one.is_good)

    @property
    def is_good(self) -> bool:
        return all(one.is_good for one in self.outcomes)

    @property
    def is_known(self) -> bool:
        """Whether nothing is left to find out: verified, or confirmed or refused by the service."""
        if self.is_good:
            return True
        if self.unread:
            return not self.failure
        return bool(self.refusal) and all(one.is_good or one.is_deletion for one in self.outcomes)

    @property
    def title(self) -> str:
        """The number of each outcome, in words: "Saved 6 secrets", or "5 saved, 1 missing"."""
        states = [one.state for one in self.outcomes]
        if len(set(states)) == 1 and self.is_good:
            return f"{WORDS[states[0]][0]} {counted(len(states), 'secret')}"
        counts = [f"{states.count(state)} {word.lower()}" for state, (word, _) in WORDS.items() if state in states]
        return ", ".join(counts) or "Nothing was changed"

    @property
    def found(self) -> int:
        """How many changes could be verified."""
        return sum(one.is_good for one in self.outcomes)

    @property
    def progress(self) -> str:
        return f"{self.found} of {counted(len(self.outcomes), 'change')} found"
