"""Parse a JSON object of values by name, or an array of names and values, with the line of each entry.

The `json` module reports no lines and drops duplicate names, so entries are parsed one by one.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from json import JSONDecodeError
from typing import Any

from dashboard.features.secrets.rules.draft import Item

_SPACE = re.compile(r"[ \t\n]*")
_SURROGATE = re.compile("[\ud800-\udfff]")
_DIGEST = re.compile(r"[0-9a-f]{64}")
NOT_TEXT = "The value is not a text, a number, true or false."
NO_PAIR = 'Each item of the array needs a "name" and a "value".'


class _Number(str):
    """A number as written, not rounded."""

    __slots__ = ()


def _no_constant(text: str) -> None:
    raise ValueError(text)


_DECODER = json.JSONDecoder(parse_int=_Number, parse_float=_Number, parse_constant=_no_constant)


def read_json(text: str) -> Iterator[Item]:
    """Yield every entry with its line, including duplicates. After a syntax error, the rest is one unreadable item."""
    start = len(text) - len(text.lstrip())
    read, closing = (_member, "}") if text.startswith("{", start) else (_element, "]")
    line, counted, place = 1, 0, _skip(text, start + 1)
    try:
        while not text.startswith(closing, place):
            line, counted = line + text.count("\n", counted, place), place
            item, place = read(text, place)
            yield replace(item, number=line)
            place = _next(text, place, closing)
    except JSONDecodeError as end:
        yield Item(end.lineno, why=end.msg)
    else:
        if (rest := _skip(text, place + 1)) < len(text):
            yield Item(text.count("\n", 0, rest) + 1, why="There is text after the end of the JSON.")


def _member(text: str, place: int) -> tuple[Item, int]:
    """Parse a name and a value of an object."""
    if not text.startswith('"', place):
        raise JSONDecodeError("A name in double quotes is missing here.", text, place)
    name, place = _value(text, place)
    place = _skip(text, place)
    if not text.startswith(":", place):
        raise JSONDecodeError("A colon is missing between a name and its value.", text, place)
    value, place = _value(text, _skip(text, place + 1))
    return _entry(name, value), place


def _element(text: str, place: int) -> tuple[Item, int]:
    """Parse an element of an array, in the form in which the service lists secrets."""
    found, place = _value(text, place)
    if not isinstance(found, dict) or type(found.get("name")) is not str or "value" not in found:
        return Item(1, why=NO_PAIR), place
    item = _entry(found["name"], found["value"])
    if type(found["value"]) is str and _DIGEST.fullmatch(item.value):
        item = replace(item, notes=("This looks like the digest that the service lists instead of the value.",))
    return item, place


def _entry(name: str, value: object) -> Item:
    if _SURROGATE.search(name):
        return Item(1, why="The name contains half a character (a lone surrogate).")
    if isinstance(value, bool):
        return Item(1, name=name, value=str(value).lower(), notes=("true or false without quotes is saved as text.",))
    if isinstance(value, _Number):
        return Item(1, name=name, value=str(value), notes=("The number is saved as text, as written.",))
    return Item(1, name=name, value=value) if isinstance(value, str) else Item(1, why=NOT_TEXT)


def _value(text: str, place: int) -> tuple[Any, int]:
    try:
        return _DECODER.raw_decode(text, place)
    except (ValueError, RecursionError):
        unclosed = "This text isn't closed, or contains a character that JSON requires to be escaped."
        why = unclosed if text.startswith('"', place) else "This is not a JSON value."
        raise JSONDecodeError(why, text, place) from None


def _next(text: str, place: int, closing: str) -> int:
    """Return the offset of the next entry, or of the closing bracket."""
    place = _skip(text, place)
    if text.startswith(",", place):
        return _skip(text, place + 1)
    if not text.startswith(closing, place):
        raise JSONDecodeError(f"A comma or the closing {closing} is missing here.", text, place)
    return place


def _skip(text: str, place: int) -> int:
    found = _SPACE.match(text, place)
    return found.end() if found else place
