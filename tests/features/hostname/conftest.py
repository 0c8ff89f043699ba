"""A separate sandbox, because these tests change DNS, and use up what its rate limit says is left, which Home's tests respect."""

from collections.abc import Iterator

import pytest

from tests.conftest import Sandbox, start_sandbox, stop_sandbox
from tests.environment import RUN_DIR
from tests.features.hostname.desk import desk

__all__ = ["desk"]


@pytest.fixture(scope="session")
def sandbox() -> Iterator[Sandbox]:
    running = start_sandbox(RUN_DIR / "hostnames")
    yield running
    stop_sandbox(running)
