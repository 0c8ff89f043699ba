import pytest

from dashboard.features.projects.views import projects
from tests.conftest import Sandbox
from tests.features.projects.desk import Creation
from tests.pages import PageClient

__all__ = ["creation"]


@pytest.fixture
def creation(as_keeper: PageClient, service: Sandbox) -> Creation:
    return Creation(as_keeper, service)


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """A busy machine may take longer to list projects than a person is made to wait."""
    monkeypatch.setattr(projects, "PATIENCE_SECONDS", 5.0)
