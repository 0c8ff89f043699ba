"""What a generated file declares: schemas, their tables, columns and the rest, wherever the lines break and in any order.

It reads the form that the service writes (`interface Database` or `type Database =`, members in braces), not TypeScript at large:
what it does not understand it passes over.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

DEEPEST = 12
GROUPS = ("Tables", "Views", "Functions", "Enums", "CompositeTypes")

_START = re.compile(r"^export\s+(?:interface\s+Database\b|type\s+Database\s*=)\s*(?=\{)", re.MULTILINE)
_TOKEN = re.compile(
    r"""(?P<gap>[^\S\n]+|//[^\n]*|/\*.*?\*/)|(?P<line>\n)|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|=>|[\w$]+|.""", re.DOTALL
)
_OPENS, _CLOSES = frozenset("([<{"), frozenset(")]>}")
_GOES_ON = frozenset(("|", "&", "=>", ":", "?", ","))


@dataclass(frozen=True, slots=True)
class Member:
    """One member of an object type. `start` is where it stands, `text` its type in one line, `members` those inside, if any."""

    name: str
    start: int
    optional: bool
    text: str
    members: Mapping[str, "Member"] | None


def schemas(source: str) -> dict[str, Member]:
    """The schemas of a generated file by name; empty where there is no `Database` in it."""
    begin = _START.search(source)
    if begin is None:
        return {}
    found = _Reader(source, begin.end()).members()
    return {name: member for name, member in found.items() if member.members is not None and not name.startswith("__")}


def items(schema: Member, group: str) -> Mapping[str, Member]:
    """The tables, views, functions, enums or composite types of a schema."""
    inside = (schema.members or {}).get(group)
    return (inside.members if inside else None) or {}


def alternatives(text: str) -> frozenset[str]:
    """The parts of a union, in no order: `"a" | null` is {'"a"', 'null'}."""
    parts: list[list[str]] = [[]]
    level = 0
    for word, _, _ in _tokens(text, 0):
        level += (word in _OPENS) - (word in _CLOSES)
        if word == "|" and level == 0:
            parts.append([])
        else:
            parts[-1].append(word)
    return frozenset(" ".join(part) for part in parts if part)


class _Reader:
    """Tokens of a source from one opening brace on, read once."""

    def __init__(self, source: str, position: int) -> None:
        self._tokens = _tokens(source, position)
        self._token: tuple[str, int, bool] = ("", 0, False)
        self._step()

    def members(self, depth: int = 0) -> dict[str, Member]:
        """Reads from the opening brace, which it stands on, past the closing one."""
        found: dict[str, Member] = {}
        self._step()
        while self._text not in ("}", ""):
            if self._text in (";", ","):
                self._step()
            elif member := self._member(depth):
                found.setdefault(member.name, member)
        self._step()
        return found

    @property
    def _text(self) -> str:
        return self._token[0]

    def _step(self) -> None:
        self._token = next(self._tokens, ("", 0, True))

    def _member(self, depth: int) -> Member | None:
        name, start = self._text, self._token[1]
        if name == "[":
            self._skip()
            name = ""
        else:
            self._step()
        optional = self._text == "?"
        if optional:
            self._step()
        if self._text != ":":
            return None
        self._step()
        text, members = self._type(depth)
        name = name[1:-1] if name[:1] in ('"', "'") else name
        return Member(name, start, optional, text, members) if name else None

    def _type(self, depth: int) -> tuple[str, dict[str, Member] | None]:
        """Up to the `;`, `,`, line end or brace that ends the member. What is braces only has members."""
        words: list[str] = []
        members: dict[str, Member] | None = None
        if self._text == "{" and depth < DEEPEST:
            members = self.members(depth + 1)
            words.append(_written(members))
        level, last = 0, ""
        while self._text and not (level == 0 and (self._text in (";", ",", "}") or self._ends(words, last))):
            level += (self._text in _OPENS) - (self._text in _CLOSES)
            last = self._text
            words.append(last)
            self._step()
        alone = members is not None and len(words) == 1
        return " ".join(words).removeprefix("| ").replace(" [ ]", "[]"), members if alone else None

    def _ends(self, words: list[str], last: str) -> bool:
        """Whether a line ended before this token, and the type with it."""
        return self._token[2] and bool(words) and last not in _GOES_ON and self._text not in ("|", "&")

    def _skip(self) -> None:
        level = 0
        while self._text:
            level += (self._text in _OPENS) - (self._text in _CLOSES)
            self._step()
            if level <= 0:
                return


def _written(members: Mapping[str, Member]) -> str:
    """An object type in one line, whatever the order of its members."""
    parts = (f"{name}{'?' if member.optional else ''}: {member.text}" for name, member in sorted(members.items()))
    return "{" + "; ".join(parts) + "}"


def _tokens(source: str, position: int) -> Iterator[tuple[str, int, bool]]:
    """Text, place, and whether a line ended before it. White space and comments are left out."""
    ended = False
    for found in _TOKEN.finditer(source, position):
        if found["line"] is not None:
            ended = True
        elif found["gap"] is None:
            yield found[0], found.start(), ended
            ended = False
