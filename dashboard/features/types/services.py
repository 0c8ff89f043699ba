"""TypeScript types of a database (M8): generated, previewed, compared with a file."""

import re
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from itertools import groupby

from django.core.cache import cache
from django.utils import timezone

from dashboard.features.types.rules import declarations
from dashboard.features.types.rules.comparison import Change, changes
from dashboard.features.types.rules.declarations import GROUPS, items
from dashboard.tokens.workspace import Workspace

KEPT_FOR_SECONDS = 10 * 60
KEPT_MAX_CHARACTERS = 4_000_000
PARSED_MAX_CHARACTERS = 1_000_000
SHOWN_MAX_CHARACTERS = 600_000
PARTS_FOUND_MAX = 60
LABELS = {"Tables": "Tables", "Views": "Views", "Functions": "Functions", "Enums": "Enums", "CompositeTypes": "Composite types"}


@dataclass(frozen=True, slots=True)
class Generated:
    """The text from the service, its schemas, and when it was generated."""

    text: str
    schemas: tuple[str, ...]
    made_at: datetime

    @property
    def bytes(self) -> int:
        return len(self.text.encode())

    @property
    def missing(self) -> tuple[str, ...]:
        """Requested schemas that are not in the text: the service ignores unknown ones."""
        if len(self.text) <= PARSED_MAX_CHARACTERS:
            there = declarations.schemas(self.text).keys()
            return tuple(name for name in self.schemas if name not in there)
        return tuple(
            name for name in self.schemas if not re.search(rf"""^\s+["']?{re.escape(name)}["']?: \{{""", self.text, re.MULTILINE)
        )

    @property
    def lines(self) -> int:
        return self.text.count("\n") + (not self.text.endswith("\n"))


@dataclass(frozen=True, slots=True)
class Compared:
    """A committed file beside the current types. `is_unread`: too large or not a generated file, so only lines are compared."""

    committed: str
    present: str
    changes: list[Change]
    is_unread: bool

    @property
    def is_same(self) -> bool:
        return self.committed == self.present

    @property
    def is_current(self) -> bool:
        """Whether the file declares the current types, in whatever order, quotes and layout."""
        return self.is_same or not (self.is_unread or self.changes)

    @property
    def may_break(self) -> int:
        return sum(change.may_break for change in self.changes)


def remembered(workspace: Workspace, ref: str, schemas: Sequence[str]) -> Generated | None:
    """Types generated with the same token within the last ten minutes."""
    kept = cache.get(_key(workspace, ref, schemas))
    if kept is None:
        return None
    return Generated(zlib.decompress(kept["text"]).decode(), tuple(schemas), kept["at"])


def generate(workspace: Workspace, ref: str, schemas: Sequence[str]) -> str:
    """Generate the types of these schemas (M8), which may take a minute. Safe in pool threads."""
    return workspace.management.types.generate(ref, schemas)


def remember(workspace: Workspace, ref: str, schemas: Sequence[str], text: str) -> Generated:
    """Keep a text for ten minutes, for searches and downloads."""
    made = Generated(text, tuple(schemas), timezone.now())
    if len(text) <= KEPT_MAX_CHARACTERS:
        cache.set(_key(workspace, ref, schemas), {"text": zlib.compress(text.encode()), "at": made.made_at}, KEPT_FOR_SECONDS)
    return made


def schemas_in(committed: str) -> tuple[str, ...]:
    """Names of the schemas that a committed file declares."""
    return tuple(declarations.schemas(committed)) if len(committed) <= PARSED_MAX_CHARACTERS else ()


def compare(committed: str, present: str) -> Compared:
    """Compare a committed file with the current types, ignoring order, quotes and separators."""
    old, new = _trimmed(committed), _trimmed(present)
    if max(len(old), len(new)) > PARSED_MAX_CHARACTERS:
        return Compared(old, new, [], is_unread=True)
    before, after = declarations.schemas(old), declarations.schemas(new)
    return Compared(old, new, changes(before, after) if before else [], is_unread=not before)


def _trimmed(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.splitlines()).strip("\n") + "\n"


def _key(workspace: Workspace, ref: str, schemas: Sequence[str]) -> str:
    """The fingerprint is part of the key, so that no token sees what another one read."""
    text = "\0".join((workspace.fingerprint("management", ref), ref, *schemas))
    return f"types:{sha256(text.encode()).hexdigest()}"


@dataclass(frozen=True, slots=True)
class Run:
    """Adjacent lines as markup; `hit`: they contain the searched text."""

    markup: str
    hit: bool = False


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the file: a table, a view, or the text before and between them."""

    id: str
    schema: str
    group: str
    name: str
    runs: tuple[Run, ...]

    @property
    def title(self) -> str:
        return f"{self.schema}.{self.name}" if self.name else self.schema or "Beginning of the file"


@dataclass(frozen=True, slots=True)
class Group:
    label: str
    parts: list[Part]


@dataclass(frozen=True, slots=True)
class Schema:
    name: str
    id: str
    groups: list[Group]


@dataclass(frozen=True, slots=True)
class Preview:
    """The parts to show. `hidden`: too large for a page; `found`: number of matching lines."""

    parts: list[Part]
    outline: list[Schema]
    hidden: bool = False
    found: int = 0
    more: bool = False


def preview(text: str, *, search: str = "", highlight: Callable[[str], str] = str) -> Preview:
    """The file in parts, or only those that contain the searched text, whatever its case."""
    if len(text) > PARSED_MAX_CHARACTERS:
        return Preview([], [], hidden=True)
    wanted = search.casefold()
    hidden = len(text) > SHOWN_MAX_CHARACTERS and not wanted
    parts: list[Part] = []
    for number, (schema, group, name, piece) in enumerate(_pieces(text)):
        if wanted in piece.casefold():
            runs = () if hidden or (wanted and len(parts) >= PARTS_FOUND_MAX) else tuple(_runs(piece, wanted, highlight))
            parts.append(Part(f"part-{number}", schema, group, name, runs))
    found = sum(wanted in line.casefold() for line in text.splitlines()) if wanted else 0
    shown = [part for part in parts if part.runs]
    return Preview(shown, _outline(parts), hidden=hidden, found=found, more=not hidden and len(shown) < len(parts))


def _pieces(text: str) -> Iterator[tuple[str, str, str, str]]:
    """Schema, group, name and text of each part, in order."""
    marks: list[tuple[int, str, str, str]] = [(0, "", "", "")]
    for name, declared in declarations.schemas(text).items():
        marks.append((declared.start, name, "", ""))
        marks += [(item.start, name, group, title) for group in GROUPS for title, item in items(declared, group).items()]
    starts = sorted((text.rfind("\n", 0, start) + 1, schema, group, title) for start, schema, group, title in marks)
    ends = [*(start for start, *_ in starts[1:]), len(text)]
    for (start, schema, group, title), end in zip(starts, ends, strict=True):
        if start < end:
            yield schema, group, title, text[start:end]


def _runs(piece: str, wanted: str, highlight: Callable[[str], str]) -> Iterator[Run]:
    lines = piece.splitlines(keepends=True)
    for hit, run in groupby(lines, key=lambda line: bool(wanted) and wanted in line.casefold()):
        yield Run(highlight("".join(run)), hit)


def _outline(parts: list[Part]) -> list[Schema]:
    found = []
    for name, inside in groupby((part for part in parts if part.schema), key=lambda part: part.schema):
        listed = list(inside)
        named = [part for part in listed if part.name]
        groups = [Group(LABELS[group], [part for part in named if part.group == group]) for group in GROUPS]
        found.append(Schema(name, listed[0].id, [group for group in groups if group.parts]))
    return found
