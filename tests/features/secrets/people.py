"""A second person with access to the same service."""

import pytest

from dashboard.team.models import Person
from tests.conftest import Sandbox
from tests.pages import PageClient
from tests.people import client_of, hold


@pytest.fixture
def as_ada_with_token(ada: Person, service: Sandbox) -> PageClient:
    hold(ada, service.personal_token)
    return client_of(ada)
