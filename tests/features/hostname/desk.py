"""Projects with hostnames, and DNS records published and broken, directly at the service."""

from dataclasses import dataclass
from uuid import uuid4

import pytest
import requests
from django.urls import reverse
from pytest_django import Settings

from dashboard.interfaces import ManagementInterface, Token
from dashboard.interfaces.management.hostname import HostnameConfiguration, HostnameStatus
from tests.conftest import Sandbox

TRACKING, STAGING, SIGNAGE = "ktmvqhzwrbnxpgaydcle", "pwgxlsnvjtaeoqkdhbfm", "hbzoeyrqmcuwfkdlnavs"
PORTFOLIO, UPLOADS, NEWSLETTER = "vcyhgqxtmdzlopkenrbw", "mzdbtfkwulqoyxrhnegc", "aojxnkwqhevtdzprmlcs"
LAB, CAMPAIGN, ROUTES = "xreugplnbwsqhdvfyakt", "dgskpyubwtvoqzlmhrfn", "qnlfwrtaxvjbkmcysdge"
# The list before activating, confirmed.
TICKED = dict.fromkeys(("redirects", "callers", "links", "record", "window"), "on")


@dataclass(frozen=True, slots=True)
class Desk:
    """The service itself: a project for one test, its hostname, and the name server with its records."""

    sandbox: Sandbox
    management: ManagementInterface

    def project(self) -> str:
        made = self.management.projects.create(
            "try-out", organization_id="quiet-harbour-heron", db_pass="demo", region="eu-west-1", plan="free"
        )
        return made.ref

    def host(self) -> str:
        """Return an unused name in a zone of its own."""
        return f"api.{uuid4().hex[:10]}.example"

    def set_up(self, *, verified: bool = True) -> tuple[str, str, HostnameConfiguration]:
        """Return a project, its hostname, and the configuration that names the records (after one check by the service)."""
        ref, host = self.project(), self.host()
        found = self.management.hostname.initialize(ref, custom_hostname=host)
        return ref, host, self.management.hostname.reverify(ref) if verified else found

    def publish(self, name: str, kind: str, value: str, **more: object) -> None:
        self.dns({"action": "publish", "name": name, "type": kind, "value": value, **more})

    def publish_all(self, ref: str, found: HostnameConfiguration) -> None:
        assert found.ownership_record
        self.publish(found.custom_hostname, "CNAME", f"{ref}.supabase.co")
        for record in (found.ownership_record, *found.certificate_records):
            self.publish(record.name, "TXT", record.value)

    def dns(self, *changes: dict[str, object]) -> None:
        self._post("/_dns", list(changes))

    def active(self) -> tuple[str, str]:
        """Return a project and its hostname, active and with all its records."""
        ref, host, found = self.set_up()
        self.publish_all(ref, found)
        while self.management.hostname.get(ref).status is not HostnameStatus.ORIGIN_SETUP_COMPLETED:
            self.management.hostname.reverify(ref)
        self.management.hostname.activate(ref)
        return ref, host

    def serve(self, host: str, how: str) -> None:
        """Make the host serve another certificate."""
        self._post("/_tls", {"name": host, "how": how})

    def reader_token(self) -> str:
        """Return the personal token of a person who reads one of the two organizations."""
        headers = {"Authorization": f"Bearer {self.sandbox.personal_token}"}
        people = requests.get(f"{self.sandbox.management_url}/_keys", headers=headers, timeout=10).json()["people"]
        return next(str(one["personal_token"]) for one in people if one["role"] == "read_only")

    def address(self, view: str, ref: str, **query: str) -> str:
        return reverse(f"hostname:{view}", args=[ref], query=query or None)

    def _post(self, path: str, body: object) -> None:
        headers = {"Authorization": f"Bearer {self.sandbox.personal_token}"}
        requests.post(self.sandbox.management_url + path, json=body, headers=headers, timeout=10).raise_for_status()


@pytest.fixture
def desk(service: Sandbox, settings: Settings) -> Desk:
    settings.DNS_RESOLVERS, settings.SANDBOX_URL = [service.dns], service.management_url
    return Desk(service, ManagementInterface(service.management_url, Token(service.personal_token)))
