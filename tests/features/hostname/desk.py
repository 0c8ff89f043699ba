"""Projects with hostnames, DNS records published and broken, straight at the service."""

from dataclasses import dataclass
from uuid import uuid4

import pytest
import requests
from django.urls import reverse
from pytest_django import Settings

from dashboard.interfaces import ManagementInterface, Token
from dashboard.interfaces.management.hostname import HostnameConfiguration
from tests.conftest import Sandbox

TRACKING, STAGING, SIGNAGE = "ktmvqhzwrbnxpgaydcle", "pwgxlsnvjtaeoqkdhbfm", "hbzoeyrqmcuwfkdlnavs"
PORTFOLIO, UPLOADS, NEWSLETTER = "vcyhgqxtmdzlopkenrbw", "mzdbtfkwulqoyxrhnegc", "aojxnkwqhevtdzprmlcs"
LAB, CAMPAIGN = "xreugplnbwsqhdvfyakt", "dgskpyubwtvoqzlmhrfn"


@dataclass(frozen=True, slots=True)
class Desk:
    """The service itself: a project of a test's own, its hostname, and the name server that is asked about it."""

    sandbox: Sandbox
    management: ManagementInterface

    def project(self) -> str:
        made = self.management.projects.create(
            "try-out", organization_id="quiet-harbour-heron", db_pass="demo", region="eu-west-1", plan="free"
        )
        return made.ref

    def host(self) -> str:
        """A name that nobody else uses, in a zone of its own."""
        return f"api.{uuid4().hex[:10]}.example"

    def set_up(self, *, verified: bool = True) -> tuple[str, str, HostnameConfiguration]:
        """A project, its hostname, and the configuration that names the records (after one look of the service)."""
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

    def address(self, view: str, ref: str, **query: str) -> str:
        return reverse(f"hostname:{view}", args=[ref], query=query or None)

    def _post(self, path: str, body: object) -> None:
        headers = {"Authorization": f"Bearer {self.sandbox.personal_token}"}
        requests.post(self.sandbox.management_url + path, json=body, headers=headers, timeout=10).raise_for_status()


@pytest.fixture
def desk(service: Sandbox, settings: Settings) -> Desk:
    settings.DNS_RESOLVERS = [service.dns]
    return Desk(service, ManagementInterface(service.management_url, Token(service.personal_token)))
