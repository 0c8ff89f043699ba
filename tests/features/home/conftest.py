"""Somebody's Home, with all rows in the first answer."""

import pytest

from tests.features.home.desk import FLEET, HERE, row_of
from tests.pages import PageClient


@pytest.fixture(autouse=True)
def whole(monkeypatch: pytest.MonkeyPatch) -> None:
    """Other tests may have created more projects than the first answer shows."""
    monkeypatch.setattr("dashboard.features.home.views.FIRST_ROWS", 200)


@pytest.fixture
def known(as_keeper: PageClient) -> PageClient:
    """Somebody who opened the page before: the projects are known, of some of them all facts."""
    listed = as_keeper.part(HERE, FLEET).text
    for name in ("parcel-tracking", "depot-signage"):
        as_keeper.part(row_of(listed, name), "")
    return as_keeper
