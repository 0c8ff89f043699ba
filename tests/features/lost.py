"""Operations whose answer can get lost: how each is sent from a page, for one generated test over all of them."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import requests
import time_machine

from dashboard.interfaces import ManagementInterface, Token
from dashboard.jobs import timers
from dashboard.journal.models import Entry
from dashboard.team.models import Person
from tests.features.encryption.desk import REF as KEY_REF
from tests.features.encryption.desk import key_desk
from tests.pages import PageClient
from tests.sandboxes import Sandbox


@dataclass(frozen=True, slots=True)
class Lost:
    """Faults that take answers away, and a worker whose time is moved."""

    service: Sandbox
    clock: time_machine.Traveller

    @property
    def management(self) -> ManagementInterface:
        return ManagementInterface(self.service.management_url, Token(self.service.personal_token))

    def applied_late(self, operation: str) -> None:
        self._fault(operation, late=True)

    def never_applied(self, operation: str) -> None:
        self._fault(operation, cut="before")

    def clear(self) -> None:
        """From now on the service answers; what was held back is done when this returns."""
        address = f"{self.service.management_url}/_faults"
        requests.delete(address, headers=self._headers(), timeout=40).raise_for_status()

    def pass_time(self, span: timedelta) -> None:
        """Move the clock, and let the worker do what is due then."""
        self.clock.shift(span)
        while timers.run_due():
            pass

    def _fault(self, operation: str, **fault: object) -> None:
        address = f"{self.service.management_url}/_faults"
        requests.post(address, json={"operation": operation, **fault}, headers=self._headers(), timeout=10).raise_for_status()

    def _headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.service.personal_token}"}


@pytest.fixture
def lost(service: Sandbox) -> Iterator[Lost]:
    with time_machine.travel(datetime.now(UTC), tick=False) as clock:
        lost = Lost(service, clock)
        yield lost
        lost.clear()


@dataclass(frozen=True, slots=True)
class Sender:
    """One write, sent from its page: the request it makes, and whether the service shows the new state."""

    operation: str
    request: str
    send: Callable[[], Any]
    is_applied: Callable[[], bool]


def last(operation: str) -> Entry:
    found = Entry.objects.filter(operation=operation).first()
    assert found
    return found


def root_key(lost: Lost, client: PageClient, owner: Person, _ref: str) -> Sender:
    desk = key_desk(lost.management, client, owner)
    new = "0f1e2d3c4b5a69788796a5b4c3d2e1f00123456789abcdeffedcba9876543210"

    def send() -> Any:
        chosen = desk.choose(new)
        return desk.confirm(chosen) if chosen.status_code == 200 else chosen

    return Sender("M21", f"PUT /v1/projects/{KEY_REF}/pgsodium", send, lambda: desk.key() == new)


SENDERS: dict[str, Callable[[Lost, PageClient, Person, str], Sender]] = {"M21": root_key}
