"""Lost answers: faults that cause them, and a worker whose clock is moved."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import requests
import time_machine
from pytest_django import Settings

from dashboard.interfaces import ManagementInterface, Token
from dashboard.jobs import schedules, settlement
from dashboard.journal import recorder
from dashboard.journal.models import Entry
from tests.sandboxes import Sandbox


class Killed(BaseException):
    """SIGKILL, as well as a test in the same process can simulate it."""


@dataclass(frozen=True, slots=True)
class Lost:
    """Faults that lose answers, and a worker whose clock is moved."""

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
        """Make the service answer again. What was held back is done when this returns."""
        address = f"{self.service.management_url}/_faults"
        requests.delete(address, headers=self._headers(), timeout=40).raise_for_status()

    def pass_time(self, span: timedelta) -> None:
        """Move the clock, and let the worker do what is due by then."""
        self.clock.shift(span)
        settlement.adopt()
        while schedules.run_due():
            pass

    @contextmanager
    def killed(self, operation: str) -> Iterator[None]:
        """Kill the process while it waits for the answer: nothing after that happens."""
        close = recorder._close

        def die(entry: Entry, *rest: Any, **named: Any) -> None:
            if entry.operation == operation:
                raise Killed
            close(entry, *rest, **named)

        with pytest.MonkeyPatch.context() as patch, suppress(Killed):
            patch.setattr(recorder, "_close", die)
            yield
            raise AssertionError("nothing was sent")

    def _fault(self, operation: str, **fault: object) -> None:
        address = f"{self.service.management_url}/_faults"
        requests.post(address, json={"operation": operation, **fault}, headers=self._headers(), timeout=10).raise_for_status()

    def _headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.service.personal_token}"}


@pytest.fixture
def lost(service: Sandbox, settings: Settings) -> Iterator[Lost]:
    settings.DNS_RESOLVERS = [service.dns]
    with time_machine.travel(datetime.now(UTC), tick=False) as clock:
        lost = Lost(service, clock)
        yield lost
        lost.clear()


def last(operation: str) -> Entry:
    found = Entry.objects.filter(operation=operation).first()
    assert found
    return found
