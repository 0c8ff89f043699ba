"""Helpers for testing the pages of a feature: count calls, and make the service fail."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from threading import Thread
from typing import Any

import pytest
import requests
from django.db import connection
from django.utils import timezone
from requests.adapters import HTTPAdapter

from dashboard.team.models import Person
from tests.pages import PageClient
from tests.people import client_of, hold
from tests.sandboxes import Sandbox

Faults = Callable[..., None]
Calls = Callable[[], list[str]]
Overtaken = Callable[[str, Callable[[], object]], list[Any]]

FAILURES: dict[str, tuple[dict[str, object], int, str]] = {
    "too many requests": ({"status": 429, "retry_after": 30}, 200, "Too many requests"),
    "failed": ({"status": 500}, 200, "The service failed"),
    "refused": ({"status": 403}, 200, "Your token may not do this"),
    "broken off": ({"cut": "mid"}, 200, "The service failed"),
    "the page of a proxy": ({"html": True}, 200, "The service failed"),
    "nothing at all": ({"empty": True}, 200, "Unexpected answer"),
}


@pytest.fixture
def faults(service: Sandbox) -> Iterator[Faults]:
    """`faults("M5", status=500)` makes an operation fail until the end of the test."""
    address = f"{service.management_url}/_faults"
    headers = {"Authorization": f"Bearer {service.personal_token}"}

    def fail(operation: str, **fault: object) -> None:
        requests.post(address, json={"operation": operation, **fault}, headers=headers, timeout=10).raise_for_status()

    yield fail
    requests.delete(address, headers=headers, timeout=10).raise_for_status()


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Calls:
    """Return the requests sent since the last call of this, as "VERB path"."""
    sent: list[str] = []
    original = HTTPAdapter.send

    def counted(self: HTTPAdapter, request: requests.PreparedRequest, **options: object) -> requests.Response:
        sent.append(f"{request.method} {(request.path_url or '').split('?')[0]}")
        return original(self, request, **options)  # type: ignore[arg-type] # passed on as they came

    monkeypatch.setattr(HTTPAdapter, "send", counted)

    def since() -> list[str]:
        found = list(sent)
        sent.clear()
        return found

    return since


@pytest.fixture
def overtaken(monkeypatch: pytest.MonkeyPatch) -> Overtaken:
    """`overtaken("GET /v1/projects", act)` runs `act` right before this is sent for the first time."""

    def overtake(call: str, act: Callable[[], object]) -> list[Any]:
        original, done = HTTPAdapter.send, list[Any]()

        def pressed() -> None:
            try:
                done.append(act())
            finally:
                connection.close()

        def late(self: HTTPAdapter, request: requests.PreparedRequest, **options: object) -> requests.Response:
            if f"{request.method} {(request.path_url or '').split('?')[0]}" == call:
                monkeypatch.setattr(HTTPAdapter, "send", original)
                press = Thread(target=pressed)
                press.start()
                press.join(30)
            return original(self, request, **options)  # type: ignore[arg-type] # passed on as they came

        monkeypatch.setattr(HTTPAdapter, "send", late)
        return done

    return overtake


@pytest.fixture
def as_keeper(owner: Person, service: Sandbox, ref: str) -> PageClient:
    """Return the client of a person with a management token and a storage key for `ref`."""
    hold(owner, service.personal_token)
    hold(owner, service.storage_tokens[ref]["service"], ref)
    return client_of(owner)


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch) -> Callable[[timedelta], None]:
    """Return a function that moves the clock of the whole process forward."""

    def move(by: timedelta) -> None:
        then = timezone.now() + by
        monkeypatch.setattr(timezone, "now", lambda: then)

    return move
