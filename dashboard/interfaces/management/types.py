"""Generated types, M8."""

from collections.abc import Sequence

from dashboard.interfaces import errors
from dashboard.interfaces.records import Record
from dashboard.interfaces.transport import Ask, Part


class _GeneratedTypes(Record, frozen=True):
    types: str


class Types(Part):
    def generate(self, ref: str, included_schemas: Sequence[str] = ()) -> str:
        """M8 · GET /v1/projects/{ref}/types/typescript

        Return TypeScript source for the project's schemas, by default `public`. It reads the live database, so it may take a
        minute; TimedOut or Broken if that is paused or very large. NameRefused for a schema name with a comma.
        """
        # not shown: how several schemas are written; here separated by commas.
        if any("," in schema for schema in included_schemas):
            raise errors.NameRefused(
                "A schema whose name holds a comma can't be asked for.", operation="M8", service="management"
            )
        query = {"included_schemas": ",".join(included_schemas)} if included_schemas else {}
        return self._transport.fetch(Ask("M8", {"ref": ref}, query=query), _GeneratedTypes).types
