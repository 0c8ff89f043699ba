"""A separate sandbox, because these tests advance hostnames and change DNS."""

from collections.abc import Iterator

import pytest

from tests.conftest import Sandbox, start_sandbox, stop_sandbox
from tests.environment import RUN_DIR
from tests.features.hostname.desk import desk

__all__ = ["desk"]


@pytest.fixture(autouse=True)
def whole(monkeypatch: pytest.MonkeyPatch) -> None:
    """Other tests may have created more projects than the first answer of a list shows."""
    monkeypatch.setattr("dashboard.features.home.views.FIRST_ROWS", 200)


@pytest.fixture(scope="session")
def sandbox() -> Iterator[Sandbox]:
    running = start_sandbox(RUN_DIR / "hostnames")
    yield running
    stop_sandbox(running)
