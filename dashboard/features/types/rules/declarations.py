"""Parse the declarations of a generated file: schemas, tables, columns and the rest, in any order and layout.

It understands the service's format (`interface Database` or `type Database =`, members in braces), not TypeScript in general,
and skips everything else.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

DEEPEST = 12
DEEPEST_TYPE = 40
GROUPS = ("Tables", "Views", "Functions", "Enums", "CompositeTypes")

_START = re.compile(r"^export\s+(?:interface\s+Database\b|type\s+Database\s*=)\s*(?=\{)", re.MULTILINE)
_TOKEN = re.compile(
    r"""(?P<gap>[^\S\n]+|//[^\n]*|/\*.*?\*/)|(?P<line>\n)|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|=>|[\w$]+|.""", re.DOTALL
)
_CLOSING = {"(": ")", "[": "]", "<": ">", "{": "}"}
_MEMBER_OF = re.compile(r""" \[ ("[^"]*"|'[^']*') \]""")
_OPENS, _CLOSES = frozenset(_CLOSING), frozenset(_CLOSING.values())
_GOES_ON = frozenset(("|", "&", "=>", ":", "?", ",", ";", "{", "(", "[", "<"))
_NAME = re.compile(r"[A-Za-z_$][\w$]*")


@dataclass(frozen=True, slots=True)
class Member:
    """A member of an object type: its offset, its type on one line, and its own members, if any."""

    name: str
    start: int
    optional: bool
    text: str
    members: Mapping[str, "Member"] | None


def schemas(source: str) -> dict[str, Member]:
    """The schemas of a generated file by name; none if it has no `Database`."""
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
    """The parts of a union, whatever their order, quotes and separators: `'a' | null` is {'"a"', 'null'}."""
    return frozenset(_union(_words(text)))


def elements(text: str) -> frozenset[str]:
    """The elements of a tuple, whatever their order, quotes and separators."""
    words = _words(text)
    inside = words[1 : _closing(words, 0)] if words[:1] == ["["] else words
    return frozenset(" | ".join(sorted(_union(part))) for part in _split(inside, ","))


class _Reader:
    """Recursive-descent parser over the tokens from one opening brace on."""

    def __init__(self, source: str, position: int) -> None:
        self._tokens = _tokens(source, position)
        self._token: tuple[str, int, bool] = ("", 0, False)
        self._step()

    def members(self, depth: int = 0) -> dict[str, Member]:
        """Parse from the current opening brace past the closing one."""
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
        opened: list[str] = []
        while self._text and (opened or not (self._text in (";", ",", "}") or self._ends(words))):
            if opened and opened[-1] == "{" and self._ends(words) and self._text != "}":
                words.append(";")
            if self._text in _OPENS:
                opened.append(self._text)
            elif self._text in _CLOSES and opened:
                opened.pop()
            words.append(self._text)
            self._step()
        alone = members is not None and len(words) == 1
        text = " ".join(words).removeprefix("| ").replace(" [ ]", "[]")
        return _MEMBER_OF.sub(r"[\1]", text), members if alone else None

    def _ends(self, words: list[str]) -> bool:
        """Whether a line ended before this token, and the type with it."""
        return self._token[2] and bool(words) and words[-1] not in _GOES_ON and self._text not in ("|", "&")

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


def _words(text: str) -> list[str]:
    """The tokens of a type; one that is nested too deeply is one token."""
    words = [word for word, _, _ in _tokens(text, 0)]
    depth = max(accumulate((word in _OPENS) - (word in _CLOSES) for word in words), default=0)
    return words if depth <= DEEPEST_TYPE else [" ".join(words)]


def _union(words: Sequence[str]) -> set[str]:
    """The canonical parts of a union."""
    return {" & ".join(sorted(_plain(part) for part in _split(part, "&"))) for part in _split(words, "|")}


def _plain(words: Sequence[str]) -> str:
    """A type that is no union, with one kind of quotes and separators, its object members in order of their names."""
    found: list[str] = []
    place = 0
    while place < len(words):
        word, end = words[place], _closing(words, place)
        inside = words[place + 1 : end]
        if word == "{":
            found.append("{" + "; ".join(sorted(_object_member(part) for part in _split(inside, ";", ","))) + "}")
        elif word in _OPENS:
            found.append(word + ", ".join(" | ".join(sorted(_union(part))) for part in _split(inside, ",")) + _CLOSING[word])
        else:
            found.append(_quoted(word[1:-1]) if word[0] in "\"'" else word)
        place = end + 1 if word in _OPENS else place + 1
    return " ".join(found)


def _object_member(words: Sequence[str]) -> str:
    if ":" not in words or words[0] in _OPENS:
        return _plain(words)
    colon = words.index(":")
    name, optional = words[0], "?" if "?" in words[1:colon] else ""
    name = name[1:-1] if name[0] in "\"'" else name
    key = name if _NAME.fullmatch(name) else _quoted(name)
    return f"{key}{optional}: {' | '.join(sorted(_union(words[colon + 1 :])))}"


def _split(words: Sequence[str], *separators: str) -> list[Sequence[str]]:
    """The runs between separators outside of brackets, without empty ones."""
    runs, start, level = [], 0, 0
    for place, word in enumerate(words):
        level += (word in _OPENS) - (word in _CLOSES)
        if level == 0 and word in separators:
            runs.append(words[start:place])
            start = place + 1
    return [run for run in (*runs, words[start:]) if run]


def _closing(words: Sequence[str], place: int) -> int:
    """Where the bracket that opens at this place closes."""
    level = 0
    for end in range(place, len(words)):
        level += (words[end] in _OPENS) - (words[end] in _CLOSES)
        if level <= 0:
            return end
    return len(words)


def _quoted(text: str) -> str:
    """The inside of a text in either quotes, in double quotes."""
    return '"' + text.replace("\\'", "'").replace('\\"', '"').replace('"', '\\"') + '"'


def _tokens(source: str, position: int) -> Iterator[tuple[str, int, bool]]:
    """Text, place, and whether a line ended before it. White space and comments are left out."""
    ended = False
    for found in _TOKEN.finditer(source, position):
        if found["line"] is not None:
            ended = True
        elif found["gap"] is None:
            yield found[0], found.start(), ended
            ended = False
