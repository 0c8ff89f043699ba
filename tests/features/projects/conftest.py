import pytest

from tests.conftest import Sandbox
from tests.features.projects.desk import Creation
from tests.pages import PageClient

__all__ = ["creation"]


@pytest.fixture
def creation(as_keeper: PageClient, service: Sandbox) -> Creation:
    return Creation(as_keeper, service)
