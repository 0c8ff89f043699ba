"""Parse a JSON object of values by name, or an array of names and values, with the line of each entry.

The `json` module tells no lines and drops duplicate names, so objects are read member by member.
"""

import json
import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import replace
from json.decoder import scanstring  # type: ignore[attr-defined] # public by name, though not in the stubs
from typing import Any

from dashboard.features.secrets.rules.draft import Item

_JSON = re.compile(r"\s*(?:\{|\[\s*[\[\]{\"])")
_SPACE = re.compile(r"[ \t\n]*")
_SURROGATE = re.compile("[\ud800-\udfff]")
_DIGEST = re.compile(r"[0-9a-f]{64}")
NOT_TEXT = "The value is not a text, a number, true or false."
NO_PAIR = 'Each item of the array needs a "name" and a "value".'


class _Number(str):
    """A number as it is written, not rounded."""

    __slots__ = ()


class _Unreadable(Exception):  # noqa: N818 - ends the parsing; not a program error
    def __init__(self, place: int, why: str) -> None:
        super().__init__(why)
        self.place, self.why = place, why


def _no_constant(text: str) -> None:
    raise ValueError(text)


_DECODER = json.JSONDecoder(parse_int=_Number, parse_float=_Number, parse_constant=_no_constant)


def is_json(text: str) -> bool:
    """Whether the text starts like JSON; `[section]` of an INI file does not."""
    return _JSON.match(text) is not None


def read_json(text: str) -> tuple[Item, ...]:
    """Return every entry with its line, duplicates too. After a syntax error the rest is one unreadable item."""
    items: list[Item] = []
    read = _members if text.lstrip().startswith("{") else _items
    try:
        for item in read(text):
            items.append(item)  # noqa: PERF402 - keep what was read before an error
    except _Unreadable as end:
        items.append(Item(end.place, why=end.why))
    breaks = [found.start() for found in re.finditer("\n", text)]
    return tuple(replace(item, number=bisect_left(breaks, item.number) + 1) for item in items)


def _members(text: str) -> Iterator[Item]:
    """Read the members of an object. Until `read_json` sets the line, an item's number is its offset."""
    place = _skip(text, _skip(text, 0) + 1)
    while not text.startswith("}", place):
        start = place
        name, place = _text(text, place)
        place = _skip(text, place)
        if not text.startswith(":", place):
            raise _Unreadable(place, "A colon is missing between a name and its value.")
        value, place = _value(text, _skip(text, place + 1))
        yield _entry(start, name, value)
        place = _next(text, place, "}")
    _end(text, place + 1)


def _items(text: str) -> Iterator[Item]:
    """Read an array in the form in which the service lists secrets."""
    place = _skip(text, _skip(text, 0) + 1)
    while not text.startswith("]", place):
        start = place
        item, place = _value(text, place)
        if not isinstance(item, dict) or type(item.get("name")) is not str or "value" not in item:
            yield Item(start, why=NO_PAIR)
        else:
            yield _entry(start, item["name"], item["value"], listed=True)
        place = _next(text, place, "]")
    _end(text, place + 1)


def _entry(start: int, name: str, value: object, *, listed: bool = False) -> Item:
    if _SURROGATE.search(name):
        return Item(start, why="The name contains half a character (a lone surrogate).")
    if isinstance(value, bool):
        return Item(start, name=name, value=str(value).lower(), notes=("true or false without quotes is saved as text.",))
    if isinstance(value, _Number):
        return Item(start, name=name, value=str(value), notes=("The number is saved as text, as written.",))
    if not isinstance(value, str):
        return Item(start, why=NOT_TEXT)
    is_digest = listed and _DIGEST.fullmatch(value)
    notes = ("This looks like the digest that the service lists instead of the value.",) if is_digest else ()
    return Item(start, name=name, value=value, notes=notes)


def _text(text: str, place: int) -> tuple[str, int]:
    if not text.startswith('"', place):
        raise _Unreadable(place, "A name in double quotes is missing here.")
    try:
        found, end = scanstring(text, place + 1, True)
    except json.JSONDecodeError:
        raise _Unreadable(place, "This text isn't closed, or contains a character that JSON requires to be escaped.") from None
    return str(found), int(end)


def _value(text: str, place: int) -> tuple[Any, int]:
    if text.startswith('"', place):
        return _text(text, place)
    try:
        found, end = _DECODER.raw_decode(text, place)
    except (ValueError, RecursionError):
        raise _Unreadable(place, "This is not a JSON value.") from None
    return found, int(end)


def _next(text: str, place: int, closing: str) -> int:
    """Return the offset of the next member, or of the closing bracket."""
    place = _skip(text, place)
    if text.startswith(",", place):
        return _skip(text, place + 1)
    if not text.startswith(closing, place):
        raise _Unreadable(place, f"A comma or the closing {closing} is missing here.")
    return place


def _end(text: str, place: int) -> None:
    rest = _skip(text, place)
    if rest < len(text):
        raise _Unreadable(rest, "There is text after the end of the JSON.")


def _skip(text: str, place: int) -> int:
    found = _SPACE.match(text, place)
    return found.end() if found else place
