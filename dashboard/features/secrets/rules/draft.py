"""A draft of many secrets: its entries, what the service would refuse about them, and one-click fixes."""

import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import msgspec
from django.utils.crypto import salted_hmac

from dashboard.features.secrets.rules.names import (
    SECRETS_LIMIT,
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
    """One secret of a draft; or, where `name` is None, a line that can't be read (`why` tells the reason).

    `number` counts lines or rows (`place`) from 1. `notes` are warnings about how the line was read.
    """

    number: int
    name: str | None = None
    value: str = field(default="", repr=False)
    why: str = ""
    notes: tuple[str, ...] = ()
    place: str = "line"


@dataclass(frozen=True, slots=True)
class Finding:
    """A problem (`stops`: nothing can be sent until it is fixed) or a warning.

    The text has names and numbers, never a value or a part of a line.
    """

    number: int
    text: str
    stops: bool = True
    place: str = "line"

    @property
    def where(self) -> str:
        return f"{self.place.capitalize()} {self.number}"


@dataclass(frozen=True)
class Draft:
    """The items of a draft in order. `is_replacement`: new values for some secrets, which says nothing about the others."""

    items: tuple[Item, ...] = ()
    is_replacement: bool = False

    @classmethod
    def of(cls, payload: Mapping[str, Any]) -> "Draft":
        """Restore a draft from its payload."""
        return msgspec.convert(payload, cls)

    def payload(self) -> dict[str, Any]:
        """The draft as plain JSON with its values, to be sealed."""
        return {"items": msgspec.to_builtins(self.items), "is_replacement": self.is_replacement}

    @cached_property
    def by_item(self) -> list[list[Finding]]:
        """The findings on each item."""
        return check(self.items)

    @property
    def findings(self) -> list[Finding]:
        """All findings, problems first, in the order of the items."""
        return sorted((found for findings in self.by_item for found in findings), key=lambda found: not found.stops)

    @property
    def problems(self) -> list[Finding]:
        return [found for found in self.findings if found.stops]

    @property
    def warnings(self) -> dict[str, list[str]]:
        """The warnings by name, of a draft without problems."""
        return {
            item.name: [found.text for found in findings]
            for item, findings in zip(self.items, self.by_item, strict=True)
            if item.name is not None and findings
        }

    @property
    def entries(self) -> list[Item]:
        return [item for item in self.items if item.name is not None]

    @property
    def is_too_long(self) -> bool:
        """Whether it can't be edited as rows."""
        return len(self.entries) > MAX_ROWS

    @property
    def values(self) -> dict[str, str]:
        """The values by name, of a draft without problems."""
        return {item.name: item.value for item in self.items if item.name is not None}

    @property
    def fixes(self) -> list["Fix"]:
        """The fixes that would change something."""
        counts = {name: len(self.items) - len(change(self).items) for name, (_, change) in FIXES.items()}
        return [Fix(name, FIXES[name][0](count)) for name, count in counts.items() if count]

    def fixed(self, name: str) -> "Draft":
        """Apply a fix; an unknown one changes nothing."""
        return FIXES[name][1](self) if name in FIXES else self

    def stamp(self, seen: str = "") -> str:
        """A keyed digest of the draft and of what was `seen` with it, from which no value can be guessed."""
        return salted_hmac("draft of secrets", json.dumps([self.payload(), seen]), algorithm="sha256").hexdigest()[:32]

    def in_rows(self) -> "Draft":
        """Number the entries as rows; unreadable lines keep the number of their line."""
        rows, items = 0, []
        for item in self.items:
            rows += item.name is not None
            items.append(replace(item, number=rows, place="row") if item.name is not None else item)
        return replace(self, items=tuple(items))


@dataclass(frozen=True, slots=True)
class Fix:
    name: str
    label: str


def _without_reserved(draft: Draft) -> Draft:
    return replace(draft, items=tuple(item for item in draft.items if item.name is None or not is_reserved(item.name)))


def _without_earlier_duplicates(draft: Draft) -> Draft:
    last = {item.name: index for index, item in enumerate(draft.items) if item.name}
    return replace(
        draft, items=tuple(item for index, item in enumerate(draft.items) if not item.name or last[item.name] == index)
    )


def _without_unreadable(draft: Draft) -> Draft:
    return replace(draft, items=tuple(item for item in draft.items if item.name is not None))


FIXES: dict[str, tuple[Callable[[int], str], Callable[[Draft], Draft]]] = {
    "reserved": (lambda count: f"Skip {counted(count, 'reserved name')}", _without_reserved),
    "duplicates": (lambda _: "Keep the last of each duplicate", _without_earlier_duplicates),
    "unreadable": (lambda count: f"Skip {counted(count, 'unreadable line')}", _without_unreadable),
}


def check(items: Sequence[Item]) -> list[list[Finding]]:
    """Return the findings on each item, in order."""
    found = [list(_entry(item)) if item.name is not None else [_finding(item, item.why)] for item in items]
    for index, finding in _duplicates(items):
        found[index].append(finding)
    entries = [index for index, item in enumerate(items) if item.name is not None]
    if len(entries) > SECRETS_LIMIT:
        extra = entries[SECRETS_LIMIT]
        text = f"A project holds about {SECRETS_LIMIT} secrets; this draft has {len(entries)}."
        found[extra].append(_finding(items[extra], text))
    return found


def _finding(item: Item, text: str, *, stops: bool = True) -> Finding:
    return Finding(item.number, text, stops, item.place)


def _entry(item: Item) -> Iterator[Finding]:
    name, value = item.name or "", item.value
    problems = (_name_problem(name), _encoding_problem("The value", value), value_problem(value))
    yield from (_finding(item, problem) for problem in problems if problem)
    advices = (name_advice(name) if not problems[0] else None, *item.notes, _quote_advice(value))
    yield from (_finding(item, advice, stops=False) for advice in advices if advice)


def _name_problem(name: str) -> str | None:
    if not name:
        return "The name is missing."
    return _encoding_problem("The name", name) or name_problem(name)


def _encoding_problem(what: str, text: str) -> str | None:
    """Find characters that neither a service nor a database can store."""
    if "\0" in text:
        return f"{what} contains a NUL character, which environment variables can't."
    if any("\ud800" <= character <= "\udfff" for character in text):
        return f"{what} contains half a character (a lone surrogate), which can't be sent."
    return None


def _quote_advice(value: str) -> str | None:
    if not value:
        return "The value is empty."
    bare = value.strip()
    if bare and (bare[0] in CURLY_QUOTES or bare[-1] in CURLY_QUOTES):
        return "Curly quotes are saved as part of the value. Straight quotes would not be."
    return value_advice(value)


def _duplicates(items: Sequence[Item]) -> Iterator[tuple[int, Finding]]:
    """Find names that occur more than once, at each place."""
    places: defaultdict[str, list[int]] = defaultdict(list)
    for index, item in enumerate(items):
        if item.name:
            places[item.name].append(index)
    for name, indexes in places.items():
        for index in indexes if len(indexes) > 1 else ():
            other = items[indexes[1] if index == indexes[0] else indexes[0]]
            more = f" and {len(indexes) - 2:,} more" if len(indexes) > 2 else ""
            where = f"{'in' if other.place == 'row' else 'on'} {other.place} {other.number:,}"
            yield index, _finding(items[index], f"{name} is also {where}{more}. Keep one.")
