"""A generated file cut into parts that can be named, found and linked to."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from dashboard.features.types.rules.declarations import GROUPS, items, schemas
from dashboard.features.types.services.types import READ_UP_TO
from dashboard.web.code import COLOURED_UP_TO, coloured

SHOWN_UP_TO = 600_000
MOST_FOUND = 60
LABELS = {"Tables": "Tables", "Views": "Views", "Functions": "Functions", "Enums": "Enums", "CompositeTypes": "Composite types"}


@dataclass(frozen=True, slots=True)
class Run:
    """Neighbouring lines as markup; `hit`: what was searched for is in them."""

    markup: str
    hit: bool = False


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of the file: a table, a view, or what stands before and between."""

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
    """What the page draws. `hidden`: too much for a page; `found` counts the lines with what was searched for."""

    parts: list[Part]
    outline: list[Schema]
    hidden: bool = False
    found: int = 0
    more: bool = False


def preview(text: str, *, search: str = "") -> Preview:
    """The whole file in parts, or only those in which the searched text stands, whatever its case."""
    if len(text) > READ_UP_TO:
        return Preview([], [], hidden=True)
    wanted = search.casefold()
    colours = len(text) <= COLOURED_UP_TO
    hidden = len(text) > SHOWN_UP_TO and not wanted
    parts: list[Part] = []
    for number, (schema, group, name, piece) in enumerate(_pieces(text)):
        if wanted in piece.casefold():
            runs = () if hidden or (wanted and len(parts) >= MOST_FOUND) else tuple(_runs(piece, wanted, colours=colours))
            parts.append(Part(f"part-{number}", schema, group, name, runs))
    found = sum(wanted in line.casefold() for line in text.splitlines()) if wanted else 0
    shown = [part for part in parts if part.runs]
    return Preview(shown, _outline(parts), hidden=hidden, found=found, more=not hidden and len(shown) < len(parts))


def _pieces(text: str) -> Iterator[tuple[str, str, str, str]]:
    """Schema, group, name and text of each part, in their order; together they are the whole file."""
    marks: list[tuple[int, str, str, str]] = [(0, "", "", "")]
    for name, declared in schemas(text).items():
        marks.append((declared.start, name, "", ""))
        marks += [(item.start, name, group, title) for group in GROUPS for title, item in items(declared, group).items()]
    starts = sorted((text.rfind("\n", 0, start) + 1, schema, group, title) for start, schema, group, title in marks)
    ends = [*(start for start, *_ in starts[1:]), len(text)]
    for (start, schema, group, title), end in zip(starts, ends, strict=True):
        if start < end:
            yield schema, group, title, text[start:end]


def _runs(piece: str, wanted: str, *, colours: bool) -> Iterator[Run]:
    lines = piece.splitlines(keepends=True)
    for hit, run in groupby(lines, key=lambda line: bool(wanted) and wanted in line.casefold()):
        words = "".join(run)
        yield Run(coloured(words) if colours else words, hit)


def _outline(parts: list[Part]) -> list[Schema]:
    found = []
    for name, inside in groupby((part for part in parts if part.schema), key=lambda part: part.schema):
        listed = list(inside)
        named = [part for part in listed if part.name]
        groups = [Group(LABELS[group], [part for part in named if part.group == group]) for group in GROUPS]
        found.append(Schema(name, listed[0].id, [group for group in groups if group.parts]))
    return found
