"""Interfaces to wherever a test wants them, with short deadlines and nothing left over from another test."""

from collections.abc import Callable, Iterator

import pytest

from dashboard.interfaces import Exchange, ManagementInterface, Placement, StorageInterface, Timing, Token
from dashboard.interfaces.transport import pools

SHORT = Timing(connect=0.3, quick=0.5, slow=0.6, heavy=0.7, stall=0.5, pause=0.01)

CANARY = "canary"
Connect = Callable[..., tuple[ManagementInterface, StorageInterface]]


@pytest.fixture(autouse=True)
def _fresh_pools() -> Iterator[None]:
    pools.forget()
    yield
    pools.forget()


@pytest.fixture
def exchanges() -> list[Exchange]:
    """What the observer was told."""
    return []


@pytest.fixture
def connect(exchanges: list[Exchange]) -> Connect:
    """Both interfaces at one address."""

    def both(
        address: str, *, token: str = CANARY, timing: Timing = SHORT, placement: Placement = Placement.HEADER
    ) -> tuple[ManagementInterface, StorageInterface]:
        management = ManagementInterface(address, Token(token), observer=exchanges.append, timing=timing)
        storage = StorageInterface(address, Token(token), placement=placement, observer=exchanges.append, timing=timing)
        return management, storage

    return both
