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
    line, counted, offset = 1, 0, _skip(text, start + 1)
    try:
        while not text.startswith(closing, offset):
            line, counted = line + text.count("\n", counted, offset), offset
            item, offset = read(text, offset)
            yield replace(item, number=line)
            offset = _next(text, offset, closing)
    except JSONDecodeError as end:
        yield Item(end.lineno, why=end.msg)
    else:
        if (rest := _skip(text, offset + 1)) < len(text):
            yield Item(text.count("\n", 0, rest) + 1, why="There is text after the end of the JSON.")


def _member(text: str, offset: int) -> tuple[Item, int]:
    """Parse a name and a value of an object."""
    if not text.startswith('"', offset):
        raise JSONDecodeError("A name in double quotes is missing here.", text, offset)
    name, offset = _value(text, offset)
    offset = _skip(text, offset)
    if not text.startswith(":", offset):
        raise JSONDecodeError("A colon is missing between a name and its value.", text, offset)
    value, offset = _value(text, _skip(text, offset + 1))
    return _entry(name, value), offset


def _element(text: str, offset: int) -> tuple[Item, int]:
    """Parse an element of an array, in the form in which the service lists secrets."""
    found, offset = _value(text, offset)
    if not isinstance(found, dict) or type(found.get("name")) is not str or "value" not in found:
        return Item(1, why=NO_PAIR), offset
    item = _entry(found["name"], found["value"])
    if type(found["value"]) is str and _DIGEST.fullmatch(item.value):
        item = replace(item, notes=("This looks like the digest that the service lists instead of the value.",))
    return item, offset


def _entry(name: str, value: object) -> Item:
    if _SURROGATE.search(name):
        return Item(1, why="The name contains half a character (a lone surrogate).")
    if isinstance(value, bool):
        return Item(1, name=name, value=str(value).lower(), notes=("true or false without quotes is saved as text.",))
    if isinstance(value, _Number):
        return Item(1, name=name, value=str(value), notes=("The number is saved as text, as written.",))
    return Item(1, name=name, value=value) if isinstance(value, str) else Item(1, why=NOT_TEXT)


def _value(text: str, offset: int) -> tuple[Any, int]:
    try:
        return _DECODER.raw_decode(text, offset)
    except (ValueError, RecursionError):
        unclosed = "This text isn't closed, or contains a character that JSON requires to be escaped."
        why = unclosed if text.startswith('"', offset) else "This is not a JSON value."
        raise JSONDecodeError(why, text, offset) from None


def _next(text: str, offset: int, closing: str) -> int:
    """Return the offset of the next entry, or of the closing bracket."""
    offset = _skip(text, offset)
    if text.startswith(",", offset):
        return _skip(text, offset + 1)
    if not text.startswith(closing, offset):
        raise JSONDecodeError(f"A comma or the closing {closing} is missing here.", text, offset)
    return offset


def _skip(text: str, offset: int) -> int:
    found = _SPACE.match(text, offset)
    return found.end() if found else offset
