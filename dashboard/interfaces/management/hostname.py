"""The custom hostname of a project, M15 to M19."""

from dataclasses import dataclass
from typing import Any

from msgspec import field

from dashboard.interfaces.records import FreeForm, OpenEnum, Record
from dashboard.interfaces.transport import Ask, Part


class HostnameStatus(OpenEnum):
    """The five states; the number before the underscore gives their order."""

    NOT_STARTED = "1_not_started"
    INITIATED = "2_initiated"
    CHALLENGE_VERIFIED = "3_challenge_verified"
    ORIGIN_SETUP_COMPLETED = "4_origin_setup_completed"
    SERVICES_RECONFIGURED = "5_services_reconfigured"

    @property
    def step(self) -> int | None:
        """The state's number, 1 to 5, or None for an unknown state."""
        number, underscore, _ = self.value.partition("_")
        return int(number) if underscore and number.isascii() and number.isdecimal() and len(number) < 3 else None


@dataclass(frozen=True, slots=True)
class DnsRecord:
    """A record that the owner of the domain has to publish."""

    type: str
    name: str
    value: str


class HostnameConfiguration(Record, frozen=True):
    """A custom hostname.

    `data` is free-form. The properties read its usual members and are None or empty if those are missing.
    """

    status: HostnameStatus
    custom_hostname: str
    data: FreeForm = field(default_factory=dict)

    @property
    def origin_server(self) -> str | None:
        """The host that the domain's CNAME has to point to."""
        return _text(self._result.get("custom_origin_server"))

    @property
    def host_state(self) -> str | None:
        """The state of the host ("pending", "active", …)."""
        return _text(self._result.get("status"))

    @property
    def certificate_state(self) -> str | None:
        """The state of the certificate ("initializing", "pending_validation", "active", …)."""
        return _text(self._ssl.get("status"))

    @property
    def ownership_record(self) -> DnsRecord | None:
        """The TXT record that proves ownership; None once it is verified."""
        found = _object(self._result.get("ownership_verification"))
        name, value = _text(found.get("name")), _text(found.get("value"))
        return DnsRecord((_text(found.get("type")) or "txt").upper(), name, value) if name and value else None

    @property
    def certificate_records(self) -> list[DnsRecord]:
        """The TXT records that the certificate still needs."""
        found = [_object(item) for item in _list(self._ssl.get("validation_records"))]
        pairs = [(_text(item.get("txt_name")), _text(item.get("txt_value"))) for item in [*found, self._ssl]]
        records = [DnsRecord("TXT", name, value) for name, value in pairs if name and value]
        return list(dict.fromkeys(records))

    @property
    def problems(self) -> list[str]:
        """The service's validation errors of host and certificate."""
        ssl = [_object(item).get("message") for item in _list(self._ssl.get("validation_errors"))]
        named = [_text(item) for item in [*_list(self._result.get("verification_errors")), *ssl]]
        return [text for text in named if text]

    @property
    def _result(self) -> FreeForm:
        # not shown: the members of `data`. It is the answer of the certificate authority's service, passed on.
        return _object(self.data.get("result"))

    @property
    def _ssl(self) -> FreeForm:
        return _object(self._result.get("ssl"))


class Hostname(Part):
    def get(self, ref: str) -> HostnameConfiguration:
        """M15 · GET /v1/projects/{ref}/custom-hostname

        Return the configuration. NotFound when none is set up; an older service answers with the state `1_not_started` instead.
        """
        return self._transport.fetch(Ask("M15", {"ref": ref}), HostnameConfiguration)

    def delete(self, ref: str) -> None:
        """M16 · DELETE /v1/projects/{ref}/custom-hostname

        Delete the configuration. NotFound when none is set up.
        """
        self._transport.answer(Ask("M16", {"ref": ref}))

    def initialize(self, ref: str, *, custom_hostname: str) -> HostnameConfiguration:
        """M17 · POST /v1/projects/{ref}/custom-hostname/initialize

        Set up this hostname and return the configuration. Conflict if one exists (delete it first), Rejected if the project is
        not entitled to one.
        """
        # not shown: the body.
        return self._transport.fetch(Ask("M17", {"ref": ref}, json={"custom_hostname": custom_hostname}), HostnameConfiguration)

    def reverify(self, ref: str) -> HostnameConfiguration:
        """M18 · POST /v1/projects/{ref}/custom-hostname/reverify

        Let the service check the DNS records again, and return the configuration. Conflict if none is set up, or all is verified.
        """
        return self._transport.fetch(Ask("M18", {"ref": ref}), HostnameConfiguration)

    def activate(self, ref: str) -> HostnameConfiguration:
        """M19 · POST /v1/projects/{ref}/custom-hostname/activate

        Activate the hostname and return the configuration. Conflict if it is not verified, or already active.
        """
        return self._transport.fetch(Ask("M19", {"ref": ref}), HostnameConfiguration)


def _object(value: Any) -> FreeForm:
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None
