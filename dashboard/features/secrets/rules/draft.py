"""A draft of many secrets: its entries, the problems that the service would find, and one-click fixes."""

import json
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import msgspec
from django.utils.crypto import salted_hmac

from dashboard.features.secrets.rules.names import (
    SECRETS_LIMIT,
    invisible_advice,
    is_reserved,
    name_advice,
    name_problem,
    value_advice,
    value_problem,
)
from dashboard.web.text import counted

FINDINGS_SHOWN = 200
# More rows would be too many fields for one form; a project holds about 100 secrets.
MAX_ROWS = 250
CURLY_QUOTES = "\u201c\u201d\u201e\u201f\u2018\u2019\u201a\u201b\u00ab\u00bb"


@dataclass(frozen=True, slots=True)
class Item:
    """One secret of a draft, or, with `why`, a line that can't be parsed.

    `number` counts lines or rows (`place`) from 1. `notes` are warnings about how the line was parsed.
    """

    number: int
    name: str = ""
    value: str = field(default="", repr=False)
    why: str = ""
    notes: tuple[str, ...] = ()
    place: str = "line"

    @property
    def size(self) -> str:
        """The length of the value, in words."""
        lines = self.value.count("\n") + 1
        count = counted(len(self.value), "character")
        return f"{count} on {lines:,} lines" if lines > 1 else count


@dataclass(frozen=True, slots=True)
class Finding:
    """A problem (`stops`: nothing can be sent until it is fixed) or a warning.

    The text has names and numbers, never a value or part of a line.
    """

    number: int
    text: str
    stops: bool = True
    place: str = "line"

    @property
    def where(self) -> str:
        return f"{self.place.capitalize()} {self.number}"


# By name: a function that labels the fix for a number of items, and one that tells whether it drops an item, given the last one
# of the same name.
FIXES: dict[str, tuple[Callable[[int], str], Callable[[Item, Item], bool]]] = {
    "reserved": (lambda count: f"Skip {counted(count, 'reserved name')}", lambda item, _: is_reserved(item.name)),
    "duplicates": (lambda _: "Keep the last of each duplicate", lambda item, last: bool(item.name) and item is not last),
    "unreadable": (lambda count: f"Skip {counted(count, 'unreadable line')}", lambda item, _: bool(item.why)),
}


@dataclass(frozen=True)
class Draft:
    """The items of a draft in order. `is_replacement`: it has new values for some secrets and doesn't list the others."""

    items: tuple[Item, ...] = ()
    is_replacement: bool = False

    @classmethod
    def of(cls, payload: Mapping[str, Any]) -> "Draft":
        """Restore a draft from its payload."""
        return msgspec.convert(payload, cls)

    def payload(self) -> dict[str, Any]:
        """Return the draft with its values as plain JSON, to be sealed."""
        return {"items": msgspec.to_builtins(self.items), "is_replacement": self.is_replacement}

    @cached_property
    def checked(self) -> list[tuple[Item, list[Finding]]]:
        """Each item with its findings, problems first."""
        return check(self.items)

    @property
    def findings(self) -> list[Finding]:
        """All findings, problems first, in the order of the items."""
        return sorted((found for _, findings in self.checked for found in findings), key=lambda found: not found.stops)

    @property
    def problems(self) -> list[Finding]:
        return [found for found in self.findings if found.stops]

    @property
    def entries(self) -> list[Item]:
        return [item for item in self.items if not item.why]

    def only(self, names: Collection[str]) -> "Draft":
        """Return the part of the draft with these names, which doesn't list the others."""
        return Draft(tuple(item for item in self.items if item.name in names), is_replacement=True)

    @property
    def is_too_long(self) -> bool:
        """Whether it is too long to be edited as rows."""
        return len(self.entries) > MAX_ROWS

    @property
    def values(self) -> dict[str, str]:
        """The values by name. Only for a draft without problems."""
        return {item.name: item.value for item in self.entries}

    @property
    def fixes(self) -> list[tuple[str, str]]:
        """The names and labels of fixes that would change something."""
        counts = {name: len(self.items) - len(self.fixed(name).items) for name in FIXES}
        return [(name, FIXES[name][0](count)) for name, count in counts.items() if count]

    def fixed(self, name: str) -> "Draft":
        """Apply a fix. An unknown one changes nothing."""
        if name not in FIXES:
            return self
        goes, last = FIXES[name][1], {item.name: item for item in self.items}
        return replace(self, items=tuple(item for item in self.items if not goes(item, last[item.name])))

    def stamp(self, seen: str = "") -> str:
        """Return a keyed digest of the draft and of the list `seen` with it. No value can be guessed from it."""
        return salted_hmac("draft of secrets", json.dumps([self.payload(), seen]), algorithm="sha256").hexdigest()[:32]

    def in_rows(self) -> "Draft":
        """Number the entries as rows. Unreadable lines keep their line numbers."""
        rows, items = 0, []
        for item in self.items:
            rows += not item.why
            items.append(item if item.why else replace(item, number=rows, place="row"))
        return replace(self, items=tuple(items))


def check(items: Sequence[Item]) -> list[tuple[Item, list[Finding]]]:
    """Return each item with its findings."""
    namesakes: defaultdict[str, list[Item]] = defaultdict(list)
    for item in items:
        namesakes[item.name].append(item)
    entries = [item for item in items if not item.why]
    extra = entries[SECRETS_LIMIT] if len(entries) > SECRETS_LIMIT else None
    found = []
    for item in items:
        problems = [*_problems(item), *_duplicates(item, namesakes[item.name])]
        if item is extra:
            problems.append(f"A project holds about {SECRETS_LIMIT} secrets; this draft has {len(entries)}.")
        findings = [Finding(item.number, text, place=item.place) for text in problems]
        findings += [Finding(item.number, text, stops=False, place=item.place) for text in _warnings(item)]
        found.append((item, findings))
    return found


def _problems(item: Item) -> Iterator[str]:
    if item.why:
        yield item.why
        return
    for problem in (name_problem(item.name) if item.name else "The name is missing.", value_problem(item.value)):
        if problem:
            yield problem


def _warnings(item: Item) -> Iterator[str]:
    if item.why:
        return
    if advice := name_advice(item.name):
        yield advice
    if advice := invisible_advice(item.name, item.value):
        yield advice
    yield from item.notes
    bare = item.value.strip()
    if not item.value:
        yield "The value is empty."
    elif bare and (bare[0] in CURLY_QUOTES or bare[-1] in CURLY_QUOTES):
        yield "Curly quotes are saved as part of the value. Straight quotes would not be."
    elif advice := value_advice(item.value):
        yield advice


def _duplicates(item: Item, namesakes: Sequence[Item]) -> Iterator[str]:
    if item.name and len(namesakes) > 1:
        other = namesakes[1] if item is namesakes[0] else namesakes[0]
        more = f" and {len(namesakes) - 2:,} more" if len(namesakes) > 2 else ""
        where = f"{'in' if other.place == 'row' else 'on'} {other.place} {other.number:,}"
        yield f"{item.name} is also {where}{more}. Keep one."
