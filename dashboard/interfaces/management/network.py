"""Network bans and restrictions, M22 to M25."""

from collections.abc import Sequence
from datetime import datetime

from msgspec import field

from dashboard.interfaces.records import OpenEnum, Record, moment
from dashboard.interfaces.transport import Ask, Part


class NetworkBans(Record, frozen=True):
    """The banned addresses; despite the member's name they may include IPv6."""

    banned_ipv4_addresses: list[str]


class Entitlement(OpenEnum):
    DISALLOWED = "disallowed"
    ALLOWED = "allowed"


class RestrictionStatus(OpenEnum):
    STORED = "stored"
    APPLIED = "applied"


class RestrictionConfig(Record, frozen=True):
    """The networks that may reach the database, in CIDR form; the list for IPv6 comes from newer services only."""

    allowed: list[str] = field(name="dbAllowedCidrs", default_factory=list)
    allowed_v6: list[str] | None = field(name="dbAllowedCidrsV6", default=None)


class NetworkRestrictions(Record, frozen=True):
    """The requested list is `config`, in force once `status` is applied; until then `old_config` is, if the service sends it.

    `updated_at` (newer) is the time of the request.
    """

    entitlement: Entitlement
    config: RestrictionConfig
    status: RestrictionStatus
    old_config: RestrictionConfig | None = None
    updated_text: str | None = field(name="updated_at", default=None)

    @property
    def updated_at(self) -> datetime | None:
        """The time of the last request, or None if not reported."""
        return moment(self.updated_text)


class Network(Part):
    def bans(self, ref: str) -> NetworkBans:
        """M22 · POST /v1/projects/{ref}/network-bans/retrieve

        Return the banned addresses. A read, although it is a POST.
        """
        return self._transport.fetch(Ask("M22", {"ref": ref}), NetworkBans)

    def unban(self, ref: str, addresses: Sequence[str]) -> None:
        """M23 · DELETE /v1/projects/{ref}/network-bans

        Lift the bans of these addresses; others are ignored.
        """
        # not shown: the body.
        self._transport.answer(Ask("M23", {"ref": ref}, json={"ipv4_addresses": list(addresses)}))

    def restrictions(self, ref: str) -> NetworkRestrictions:
        """M24 · GET /v1/projects/{ref}/network-restrictions

        Return the restrictions, whether the project may have them, and whether they are in force.
        """
        return self._transport.fetch(Ask("M24", {"ref": ref}), NetworkRestrictions)

    def apply(self, ref: str, *, allowed: Sequence[str], allowed_v6: Sequence[str] | None = None) -> NetworkRestrictions:
        """M25 · POST /v1/projects/{ref}/network-restrictions/apply

        Replace the whole list and return the restrictions. An empty list allows nobody. Give `allowed_v6` if M24 returned one:
        older services don't know it, newer ones use a default without it. Rejected if the project is not entitled.
        """
        # not shown: the body.
        body = {"dbAllowedCidrs": list(allowed)}
        if allowed_v6 is not None:
            body["dbAllowedCidrsV6"] = list(allowed_v6)
        return self._transport.fetch(Ask("M25", {"ref": ref}, json=body), NetworkRestrictions)
