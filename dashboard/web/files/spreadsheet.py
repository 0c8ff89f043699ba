"""CSV lines without formula injection."""

import csv
from collections.abc import Sequence
from io import StringIO

TYPE = "text/csv; charset=utf-8"
# Spreadsheets treat cells that begin with one of these as formulas.
FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")


def line(cells: Sequence[object]) -> str:
    """Return one CSV line, with formulas escaped; None becomes an empty cell."""
    written = StringIO()
    csv.writer(written).writerow([_harmless("" if cell is None else str(cell)) for cell in cells])
    return written.getvalue()


def _harmless(cell: str) -> str:
    return f"'{cell}" if cell.startswith(FORMULA) else cell
