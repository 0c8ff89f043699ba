"""Interfaces at any address, with short pauses and nothing left over from another test."""

from collections.abc import Callable, Iterator

import pytest

from dashboard.interfaces import Exchange, ManagementInterface, Placement, StorageInterface, Timing, Token
from dashboard.interfaces.transport import sessions

PATIENT = Timing(pause=0.01)
SHORT = Timing(connect=0.4, quick=0.8, slow=0.8, heavy=0.8, stall=0.8, pause=0.01)

CANARY = "canary"
Connect = Callable[..., tuple[ManagementInterface, StorageInterface]]


@pytest.fixture(autouse=True)
def _fresh_pools() -> Iterator[None]:
    sessions.forget()
    yield
    sessions.forget()


@pytest.fixture
def exchanges() -> list[Exchange]:
    """The exchanges that the observer received."""
    return []


@pytest.fixture
def connect(exchanges: list[Exchange]) -> Connect:
    """Return both interfaces at one address."""

    def both(
        address: str, *, token: str = CANARY, timing: Timing = PATIENT, placement: Placement = Placement.HEADER
    ) -> tuple[ManagementInterface, StorageInterface]:
        management = ManagementInterface(address, Token(token), observer=exchanges.append, timing=timing)
        storage = StorageInterface(address, Token(token), placement=placement, observer=exchanges.append, timing=timing)
        return management, storage

    return both
