import pytest

from tests.conftest import Sandbox
from tests.features.projects.desk import Creation
from tests.features.service import as_keeper, calls, faults
from tests.pages import PageClient
from tests.people import ada, as_ada, as_owner, management_token, owner, ref, service, storage_token, visitor

__all__ = [
    "ada",
    "as_ada",
    "as_keeper",
    "as_owner",
    "calls",
    "creation",
    "faults",
    "management_token",
    "owner",
    "ref",
    "service",
    "storage_token",
    "visitor",
]


@pytest.fixture
def creation(as_keeper: PageClient, service: Sandbox) -> Creation:
    return Creation(as_keeper, service)
