"""A second person who reaches the same service."""

import pytest

from dashboard.team.models import Person
from dashboard.tokens.models import Kind
from dashboard.tokens.services import store
from tests.conftest import Sandbox
from tests.pages import PageClient
from tests.people import client_of


@pytest.fixture
def as_ada_with_token(ada: Person, service: Sandbox) -> PageClient:
    store(ada, Kind.MANAGEMENT, "", service.personal_token)
    return client_of(ada)
