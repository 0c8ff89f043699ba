from collections.abc import Iterator

import pytest

from tests.conftest import Sandbox, start_sandbox, stop_sandbox
from tests.environment import RUN_DIR
from tests.features.network.desk import bans, desk
from tests.features.service import as_keeper, calls, faults
from tests.people import ada, as_ada, as_owner, management_token, owner, ref, service, storage_token, visitor

__all__ = [
    "ada",
    "as_ada",
    "as_keeper",
    "as_owner",
    "bans",
    "calls",
    "desk",
    "faults",
    "management_token",
    "owner",
    "ref",
    "service",
    "storage_token",
    "visitor",
]


@pytest.fixture(scope="session")
def sandbox() -> Iterator[Sandbox]:
    """One of these tests' own: a list is in force at once, except where a test says otherwise."""
    running = start_sandbox(RUN_DIR / "network", "--settle", "0")
    yield running
    stop_sandbox(running)
