"""Read one JSON object of texts with the line of each name. Python's own reader tells no lines and drops doubles."""

import json
import re
from bisect import bisect_left
from dataclasses import replace
from json.decoder import scanstring  # type: ignore[attr-defined] # public by name, though not in the stubs

from dashboard.features.secrets.pieces import Piece, Reading

_SPACE = re.compile(r"[ \t\n]*")
_HALF = re.compile("[\ud800-\udfff]")
_DECODER = json.JSONDecoder()


class _Unreadable(Exception):  # noqa: N818 - it ends the reading, and is not a mistake in the program
    def __init__(self, place: int, why: str) -> None:
        super().__init__(why)
        self.place, self.why = place, why


def read_json(text: str) -> Reading:
    """Every member as an entry at its line, doubles too. Where the reading ends early, the rest is one unreadable piece."""
    pieces: list[Piece] = []
    try:
        _members(text, pieces)
    except _Unreadable as end:
        pieces.append(Piece(end.place, other=text[end.place :].strip() or "{", why=end.why))
    breaks = [found.start() for found in re.finditer("\n", text)]
    return Reading(tuple(replace(piece, line=bisect_left(breaks, piece.line) + 1) for piece in pieces))


def _members(text: str, pieces: list[Piece]) -> None:
    """Appends each member; its line is, for now, its place in the text."""
    place = _skip(text, _skip(text, 0) + 1)
    while not text.startswith("}", place):
        start = place
        name, place = _text(text, place, "A name in double quotes has to stand here.")
        place = _skip(text, place)
        if not text.startswith(":", place):
            raise _Unreadable(place, "A colon has to stand between a name and its value.")
        place = _skip(text, place + 1)
        if text.startswith('"', place):
            value, place = _text(text, place, "")
            pieces.append(_entry(start, name, value))
        else:
            why = "The value is no text. Put it in double quotes."
            end = _other(text, place)
            pieces.append(Piece(start, other=text[start:end], why=why))
            place = end
        place = _skip(text, place)
        if text.startswith(",", place):
            place = _skip(text, place + 1)
        elif not text.startswith("}", place):
            raise _Unreadable(place, "A comma, or the closing brace, has to stand here.")
    rest = _skip(text, place + 1)
    if rest < len(text):
        raise _Unreadable(rest, "Something follows the closing brace of the JSON object.")


def _entry(line: int, name: str, value: str) -> Piece:
    """JSON can spell half a character, which no page can show: such a name is none."""
    if _HALF.search(name):
        return Piece(line, other=name, why="The name holds half of a character (a lone surrogate).")
    return Piece(line, name=name, value=value)


def _text(text: str, place: int, why: str) -> tuple[str, int]:
    if not text.startswith('"', place):
        raise _Unreadable(place, why)
    try:
        found, end = scanstring(text, place + 1, True)
    except json.JSONDecodeError:
        raise _Unreadable(place, "This text is not closed, or holds a character that JSON wants written as an escape.") from None
    return str(found), int(end)


def _other(text: str, place: int) -> int:
    """Where a number, a list or anything else ends."""
    try:
        return int(_DECODER.raw_decode(text, place)[1])
    except (ValueError, RecursionError):
        raise _Unreadable(place, "This is no JSON value.") from None


def _skip(text: str, place: int) -> int:
    found = _SPACE.match(text, place)
    return found.end() if found else place
