"""The sandbox as `start` runs it: its own addresses are known, and faults that a test switches on are cleared after it."""

import pytest
from pytest_django import Settings

from tests.features.hostname.desk import Desk, desk
from tests.features.service import Faults
from tests.sandboxes import Sandbox

__all__ = ["Desk", "desk"]


@pytest.fixture
def embedded(service: Sandbox, settings: Settings, faults: Faults) -> Sandbox:
    settings.SANDBOX_URL = service.management_url
    return service
