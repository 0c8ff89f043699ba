"""Lines of a spreadsheet."""

import csv
from collections.abc import Sequence
from io import StringIO

TYPE = "text/csv; charset=utf-8"
# A spreadsheet takes a cell that begins with one of these for a formula.
FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")


def line(cells: Sequence[object]) -> str:
    """One line of CSV. No cell is taken for a formula; None is an empty one."""
    written = StringIO()
    csv.writer(written).writerow([_harmless("" if cell is None else str(cell)) for cell in cells])
    return written.getvalue()


def _harmless(cell: str) -> str:
    return f"'{cell}" if cell.startswith(FORMULA) else cell
