"""An empty storage of a project, set up as for an official client."""

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from tests.conftest import start_sandbox, stop_sandbox
from tests.environment import RUN_DIR


@dataclass(frozen=True, slots=True)
class Storage:
    url: str
    service: str
    anon: str


@pytest.fixture(scope="session")
def storage() -> Iterator[Storage]:
    sandbox = start_sandbox(RUN_DIR / "clients", "--empty")
    ref, tokens = next(iter(sandbox.storage_tokens.items()))
    yield Storage(sandbox.storage(ref), tokens["service"], tokens["anon"])
    stop_sandbox(sandbox)
