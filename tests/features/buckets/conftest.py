import pytest

from dashboard.features.buckets.views import buckets
from tests.catalog.conftest import shelf
from tests.features.buckets.desk import desk

__all__ = ["desk", "shelf"]


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait longer for lists of projects than a person would, as the machine may be busy."""
    monkeypatch.setattr(buckets, "PATIENCE_SECONDS", 5.0)
