"""The operations of the interface document, by id."""

from types import MappingProxyType

from dashboard.interfaces.operations import management, storage
from dashboard.interfaces.operations.records import Read, Write

OPERATIONS = MappingProxyType({row.id: row for row in (*management.ROWS, *storage.ROWS)})
READS = MappingProxyType({row.id: row for row in OPERATIONS.values() if isinstance(row, Read)})
WRITES = MappingProxyType({row.id: row for row in OPERATIONS.values() if isinstance(row, Write)})
