"""Everything the service would refuse about a draft, and what may surprise, each at its line; asks no service."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from dashboard.features.secrets.rules.entries import Finding, Piece
from dashboard.features.secrets.rules.names import ABOUT_MOST, name_advice, name_problem, value_ends, value_problem

TYPOGRAPHIC = "\u201c\u201d\u201e\u201f\u2018\u2019\u201a\u201b\u00ab\u00bb"


def check(pieces: Sequence[Piece]) -> list[list[Finding]]:
    """What is to be said about each piece, in their order."""
    found = [list(_entry(piece)) if piece.name is not None else [_finding(piece, piece.why)] for piece in pieces]
    for index, finding in _doubles(pieces):
        found[index].append(finding)
    entries = [index for index, piece in enumerate(pieces) if piece.name is not None]
    if len(entries) > ABOUT_MOST:
        extra = entries[ABOUT_MOST]
        text = f"A project holds about {ABOUT_MOST} secrets; this draft has {len(entries)}."
        found[extra].append(_finding(pieces[extra], text))
    return found


def _finding(piece: Piece, text: str, *, stops: bool = True) -> Finding:
    return Finding(piece.number, text, stops, piece.place)


def _entry(piece: Piece) -> Iterator[Finding]:
    name, value = piece.name or "", piece.value
    problems = (_name_problem(name), _odd("The value", value), value_problem(value))
    yield from (_finding(piece, problem) for problem in problems if problem)
    advices = (name_advice(name) if not problems[0] else None, *piece.notes, _value_advice(value))
    yield from (_finding(piece, advice, stops=False) for advice in advices if advice)


def _name_problem(name: str) -> str | None:
    if not name:
        return "The name is missing."
    return _odd("The name", name) or name_problem(name)


def _odd(what: str, text: str) -> str | None:
    """Characters that neither a service nor a database can keep."""
    if "\0" in text:
        return f"{what} holds a NUL character, which no environment variable can hold."
    if any("\ud800" <= character <= "\udfff" for character in text):
        return f"{what} holds half of a character (a lone surrogate), which can't be sent."
    return None


def _value_advice(value: str) -> str | None:
    if not value:
        return "The value is empty."
    bare = value.strip()
    if bare and (bare[0] in TYPOGRAPHIC or bare[-1] in TYPOGRAPHIC):
        return "Curly quotes are saved as part of the value. Straight quotes would not be."
    return value_ends(value)


def _doubles(pieces: Sequence[Piece]) -> Iterator[tuple[int, Finding]]:
    """Names that are there more than once, at each place."""
    places: defaultdict[str, list[int]] = defaultdict(list)
    for index, piece in enumerate(pieces):
        if piece.name:
            places[piece.name].append(index)
    for name, indexes in places.items():
        for index in indexes if len(indexes) > 1 else ():
            other = pieces[indexes[1] if index == indexes[0] else indexes[0]]
            more = f" and {len(indexes) - 2:,} more" if len(indexes) > 2 else ""
            where = f"{'in' if other.place == 'row' else 'on'} {other.place} {other.number:,}"
            yield index, _finding(pieces[index], f"{name} is also {where}{more}. Keep one.")
