"""The 46 operations: one row for each (`table`), with all that is particular to it (`records`), and their `deadlines`."""

from dashboard.interfaces.operations.deadlines import LONGEST_WAIT, MAY_RUN_FOR, OVER_AFTER, Pace, Timing
from dashboard.interfaces.operations.records import MEBIBYTE, About, Doubt, Kept, Operation, Target
from dashboard.interfaces.operations.table import OPERATIONS, READS, WRITES

__all__ = [
    "LONGEST_WAIT",
    "MAY_RUN_FOR",
    "MEBIBYTE",
    "OPERATIONS",
    "OVER_AFTER",
    "READS",
    "WRITES",
    "About",
    "Doubt",
    "Kept",
    "Operation",
    "Pace",
    "Target",
    "Timing",
]
