import pytest

from dashboard.features.buckets.views import buckets
from tests.catalog.conftest import shelf
from tests.features.buckets.desk import desk

__all__ = ["desk", "shelf"]


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """A busy machine may take longer to list projects than a person is made to wait."""
    monkeypatch.setattr(buckets, "PATIENCE_SECONDS", 5.0)
