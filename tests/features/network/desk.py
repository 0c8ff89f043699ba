"""Projects whose bans and restrictions tests may change, directly at the service."""

from dataclasses import dataclass

import pytest
import requests
from django.urls import reverse
from pytest_django import Settings

from dashboard.interfaces import ManagementInterface, Token
from dashboard.interfaces.management.network import NetworkRestrictions
from tests.conftest import Sandbox

# All seeded: banned addresses and two lists; a list saved and not in force; one list; a list for nobody; not entitled.
TRACKING, STAGING, UPLOADS, LAB, SIGNAGE = (
    "ktmvqhzwrbnxpgaydcle",
    "pwgxlsnvjtaeoqkdhbfm",
    "mzdbtfkwulqoyxrhnegc",
    "xreugplnbwsqhdvfyakt",
    "hbzoeyrqmcuwfkdlnavs",
)
V4, V6 = ["203.0.113.0/24", "198.51.100.17/32"], ["2001:db8:4f::/48"]
NAME = "parcel-tracking"
HOME = "203.0.113.9"


@dataclass(frozen=True, slots=True)
class Desk:
    """The restrictions of TRACKING, and requests from a given address."""

    management: ManagementInterface

    @property
    def now(self) -> NetworkRestrictions:
        return self.management.network.restrictions(TRACKING)

    @property
    def lists(self) -> tuple[list[str], list[str] | None]:
        return self.now.config.allowed, self.now.config.allowed_v6

    def put(self, *v4: str, v6: list[str] | None = None) -> None:
        self.management.network.apply(TRACKING, allowed=v4, allowed_v6=V6 if v6 is None else v6)

    def address(self, view: str, ref: str = TRACKING, **query: str) -> str:
        return reverse(f"network:{view}", args=[ref], query=query or None)


@dataclass(frozen=True, slots=True)
class Bans:
    """The bans of STAGING."""

    service: Sandbox
    management: ManagementInterface

    def put(self, *addresses: str) -> None:
        headers = {"Authorization": f"Bearer {self.service.personal_token}"}
        body = {"ref": STAGING, "addresses": addresses}
        requests.post(f"{self.service.management_url}/_bans", json=body, headers=headers, timeout=10).raise_for_status()

    @property
    def now(self) -> set[str]:
        return set(self.management.network.bans(STAGING).banned_ipv4_addresses)

    def address(self, view: str, **query: str) -> str:
        return reverse(f"network:{view}", args=[STAGING], query=query or None)


@pytest.fixture
def desk(service: Sandbox, settings: Settings) -> Desk:
    settings.TRUSTED_PROXIES = 1
    desk = Desk(ManagementInterface(service.management_url, Token(service.personal_token)))
    desk.put(*V4)
    return desk


@pytest.fixture
def bans(service: Sandbox, settings: Settings) -> Bans:
    settings.TRUSTED_PROXIES = 1
    bans = Bans(service, ManagementInterface(service.management_url, Token(service.personal_token)))
    bans.management.network.unban(STAGING, sorted(bans.now))
    return bans


def from_address(address: str = HOME, **more: str) -> dict[str, str]:
    """Return the headers of a request passed on by a proxy."""
    return {"X-Forwarded-For": address, **more}
