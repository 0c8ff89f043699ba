"""A sandbox of these tests' own: they walk hostnames on, and change DNS."""

from collections.abc import Iterator

import pytest

from tests.conftest import Sandbox, start_sandbox, stop_sandbox
from tests.environment import RUN_DIR
from tests.features.hostname.desk import desk
from tests.features.service import as_keeper, calls, faults
from tests.people import ada, as_ada, as_owner, management_token, owner, ref, service, storage_token, visitor

__all__ = [
    "ada",
    "as_ada",
    "as_keeper",
    "as_owner",
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
    running = start_sandbox(RUN_DIR / "hostnames", "--settle", "0")
    yield running
    stop_sandbox(running)
