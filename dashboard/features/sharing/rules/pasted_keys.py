"""Keys out of a text: one a line, or the first column of a table."""

import csv
from collections.abc import Iterator

from dashboard.web.spreadsheet import FORMULA

HEADS = frozenset({"key", "keys", "path", "name", "object", "file"})


def read_keys(text: str, *, table: bool = False) -> list[str]:
    """The keys, none twice, without spaces around them. `table`: CSV, whatever it looks like.

    A text is taken for a table where its first line begins with a head such as "key" and has more columns, and where
    columns are parted by tabs, which no key holds; a comma alone is part of a key.
    """
    lines = text.lstrip("\ufeff").splitlines()
    head = [cell.strip().casefold() for cell in (lines[0] if lines else "").replace("\t", ",").split(",")]
    is_table = table or (head[0].strip('"') in HEADS and len(head) > 1)
    found = _first_column(lines) if is_table else (line.partition("\t")[0] for line in lines)
    return list(dict.fromkeys(key for key in map(str.strip, found) if key))


def _first_column(lines: list[str]) -> Iterator[str]:
    parted = "\t" if lines and "\t" in lines[0] else ";" if lines and ";" in lines[0] and "," not in lines[0] else ","
    for number, row in enumerate(csv.reader(lines, delimiter=parted)):
        key = row[0] if row else ""
        if number == 0 and key.strip().casefold() in HEADS:
            continue
        # As our own tables write what a spreadsheet would take for a formula.
        yield key[1:] if key[:1] == "'" and key[1:].startswith(FORMULA) else key
