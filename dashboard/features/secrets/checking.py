"""Everything the service would refuse about a draft, and what may surprise, each at its line; asks no service."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from dashboard.features.secrets.names import ABOUT_MOST, name_advice, name_problem, value_ends, value_problem
from dashboard.features.secrets.pieces import Finding, Piece

TYPOGRAPHIC = "\u201c\u201d\u201e\u201f\u2018\u2019\u201a\u201b\u00ab\u00bb"


def check(pieces: Sequence[Piece], *, place: str = "line") -> list[Finding]:
    """What is to be said about the pieces, in their order. `place` is what a piece's number counts: lines or rows."""
    entries = [piece for piece in pieces if piece.name is not None]
    found = [finding for piece in pieces for finding in (_entry(piece) if piece.name is not None else _other(piece, place))]
    found += _doubles(entries, place)
    if len(entries) > ABOUT_MOST:
        extra = entries[ABOUT_MOST]
        found.append(Finding(extra.line, f"A project holds about {ABOUT_MOST} secrets; this draft has {len(entries)}."))
    return sorted(found, key=lambda finding: finding.line)


def _other(piece: Piece, place: str) -> Iterator[Finding]:
    if piece.why:
        yield Finding(piece.line, piece.why if place == "line" else f"Before this row stands a line that is none. {piece.why}")


def _entry(piece: Piece) -> Iterator[Finding]:
    name, value = piece.name or "", piece.value
    problems = (_name_problem(name), _odd("The value", value), value_problem(value))
    yield from (Finding(piece.line, problem) for problem in problems if problem)
    advices = (name_advice(name) if not problems[0] else None, _value_advice(value))
    yield from (Finding(piece.line, advice, stops=False) for advice in advices if advice)


def _name_problem(name: str) -> str | None:
    if not name:
        return "There is a value and no name."
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
        return "Typographic quotes stand at the ends of the value. They count as letters: functions would read them too."
    return value_ends(value)


def _doubles(entries: Sequence[Piece], place: str) -> Iterator[Finding]:
    lines: defaultdict[str, list[int]] = defaultdict(list)
    for piece in entries:
        lines[piece.name or ""].append(piece.line)
    for name, places in lines.items():
        if not name or len(places) == 1:
            continue
        distinct = list(dict.fromkeys(places))
        for line in places:
            first = distinct[1] if line == distinct[0] and len(distinct) > 1 else distinct[0]
            more = f" and {len(places) - 2:,} more" if len(places) > 2 else ""
            yield Finding(line, f"{name} stands on {place} {first}{more}, too. Only one of them can count.")
