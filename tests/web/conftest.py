import pytest

from dashboard.team.models import Person
from tests.pages import PageClient


@pytest.fixture
def ada(db: None) -> Person:
    return Person.objects.create(email="ada@example.org", name="Ada Example")


@pytest.fixture
def visitor(db: None) -> PageClient:
    """A client without a sign-in."""
    return PageClient()


@pytest.fixture
def signed_in(ada: Person) -> PageClient:
    client = PageClient()
    client.force_login(ada)
    return client
