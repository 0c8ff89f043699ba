from collections.abc import Iterator

import pytest

from tests.conftest import Sandbox, start_sandbox, stop_sandbox
from tests.environment import RUN_DIR
from tests.features.network.desk import bans, desk

__all__ = ["bans", "desk"]


@pytest.fixture(scope="session")
def sandbox() -> Iterator[Sandbox]:
    """A separate sandbox, where a list is in force at once unless a test says otherwise."""
    running = start_sandbox(RUN_DIR / "network", "--settle", "0")
    yield running
    stop_sandbox(running)
