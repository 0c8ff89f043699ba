"""Tables for a terminal and for a page."""

import sys
from collections.abc import Sequence


def show(title: str, columns: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Print a table that is Markdown, too."""
    cells = [[str(cell) for cell in row] for row in [columns, *rows]]
    widths = [max(len(row[index]) for row in cells) for index in range(len(columns))]
    lines = [" | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in cells]
    rule = " | ".join("-" * width for width in widths)
    sys.stdout.write("\n".join([f"\n{title}\n", *(f"| {line} |" for line in [lines[0], rule, *lines[1:]]), ""]))
    sys.stdout.flush()


def say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()
