"""Parse a page strictly into a tree: an end tag that closes something else is a mistake in a template."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = frozenset({"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"})


@dataclass(eq=False, slots=True)
class Element:
    """One element. `children` holds elements and texts in order.

    `line` holds every element of the page in order; those below this one are from `begin` to before `end`.
    """

    tag: str
    line: list[Element]
    attributes: dict[str, str] = field(default_factory=dict)
    children: list[Element | str] = field(default_factory=list)
    parent: Element | None = None
    begin: int = 0
    end: int | None = None

    def __iter__(self) -> Iterator[Element]:
        """Iterate over every element below, in order."""
        return iter(self.line[self.begin : self.end])

    def get(self, name: str, default: str = "") -> str:
        return self.attributes.get(name, default)

    def has(self, name: str) -> bool:
        return name in self.attributes

    def all(self, *tags: str) -> list[Element]:
        return [element for element in self.line[self.begin : self.end] if element.tag in tags]

    @property
    def text(self) -> str:
        """All text below, with white space folded."""
        return " ".join("".join(self._texts()).split())

    @property
    def ancestors(self) -> Iterator[Element]:
        above = self.parent
        while above is not None:
            yield above
            above = above.parent

    def __str__(self) -> str:
        shown = "".join(f' {name}="{value}"' for name, value in self.attributes.items() if not name.startswith("d"))
        return f"<{self.tag}{shown}>"

    def _texts(self) -> Iterator[str]:
        for child in self.children:
            if isinstance(child, str):
                yield child
            else:
                yield from child._texts()


class MalformedError(AssertionError):
    """The markup is not nested correctly."""


class _Builder(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.line: list[Element] = []
        self.root = Element("#root", self.line)
        self.open = self.root
        self.doctype = False

    def handle_decl(self, decl: str) -> None:
        self.doctype = self.doctype or decl.lower().startswith("doctype html")

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = [name for name, _ in attrs]
        if len(names) != len(set(names)):
            raise MalformedError(f"<{tag}> at line {self.getpos()[0]} has an attribute twice: {names}")
        element = Element(tag, self.line, {name: value or "" for name, value in attrs}, parent=self.open)
        self.line.append(element)
        element.begin = element.end = len(self.line)
        self.open.children.append(element)
        if tag not in VOID:
            self.open = element

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in VOID:
            return
        if self.open.tag != tag or self.open.parent is None:
            raise MalformedError(f"</{tag}> at line {self.getpos()[0]} closes {self.open}")
        self.open.end = len(self.line)
        self.open = self.open.parent

    def handle_data(self, data: str) -> None:
        self.open.children.append(data)


@dataclass(frozen=True)
class Markup:
    """`root` holds everything; `whole` tells a page from a fragment."""

    root: Element
    whole: bool


def parse(text: str) -> Markup:
    builder = _Builder()
    builder.feed(text)
    builder.close()
    if builder.open is not builder.root:
        raise MalformedError(f"{builder.open} is never closed")
    return Markup(builder.root, builder.doctype)
