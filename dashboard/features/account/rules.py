"""Read several storage tokens from pasted text."""

import csv
from collections.abc import Iterator
from dataclasses import dataclass

HEADS = frozenset({"ref", "project", "name", "token", "key", "storage token"})


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the text. `project` is a ref or name; it or `token` is empty if the line can't be read."""

    number: int
    project: str
    token: str

    def __repr__(self) -> str:
        return f"Line({self.number})"


def read_lines(text: str) -> Iterator[Line]:
    """Yield the lines `ref=token`, or those of CSV: first the ref or name, last the token. Leaves out a heading and comments."""
    for number, line in enumerate(text.lstrip("\ufeff").splitlines(), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        project, _, token = line.partition("=")
        separator = next((one for one in "\t;," if one in project), "")
        if separator:
            cells = [cell.strip() for cell in next(csv.reader([line], delimiter=separator))]
            if HEADS.issuperset(cell.casefold() for cell in cells):
                continue
            project, token = cells[0], cells[-1]
        yield Line(number, project.strip().strip("\"'"), token.strip())
