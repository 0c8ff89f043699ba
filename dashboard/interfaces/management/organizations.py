"""Organizations, M3 and M4."""

from dashboard.interfaces.records import Record
from dashboard.interfaces.transport import Ask, Part


class Organization(Record, frozen=True):
    """An organization. `id` is opaque; `slug` comes from newer services only and is then what M2 wants."""

    id: str
    name: str
    slug: str | None = None


class Organizations(Part):
    def all(self) -> list[Organization]:
        """M3 · GET /v1/organizations

        Return the organizations that the token's owner belongs to, in no guaranteed order.
        """
        return self._transport.fetch(Ask("M3"), list[Organization])

    def create(self, name: str) -> Organization:
        """M4 · POST /v1/organizations

        Create an organization and return it. Names need not be unique.
        """
        # not shown: the body.
        return self._transport.fetch(Ask("M4", json={"name": name}), Organization)
