"""The 46 operations: one row for each, with all that is particular to it (`records`), and their `deadlines`."""

from types import MappingProxyType

from dashboard.interfaces.operations import management, storage
from dashboard.interfaces.operations.deadlines import LONGEST_WAIT, MAY_RUN_FOR, OVER_AFTER, Pace, Timing
from dashboard.interfaces.operations.records import MEBIBYTE, About, Doubt, Kept, Operation, Read, Target, Write

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

OPERATIONS = MappingProxyType({row.id: row for row in (*management.ROWS, *storage.ROWS)})
READS = MappingProxyType({row.id: row for row in OPERATIONS.values() if isinstance(row, Read)})
WRITES = MappingProxyType({row.id: row for row in OPERATIONS.values() if isinstance(row, Write)})
