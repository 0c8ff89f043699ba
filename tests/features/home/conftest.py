"""Somebody's Home, with all rows in the first answer."""

import pytest

from tests.features.home.desk import HERE, WAITING, row_of
from tests.pages import PageClient


@pytest.fixture
def known(as_keeper: PageClient) -> PageClient:
    """Somebody who opened the page before: the projects are known, of some of them all facts."""
    listed = as_keeper.part(HERE, WAITING).text
    for name in ("parcel-tracking", "depot-signage"):
        as_keeper.part(row_of(listed, name), "")
    return as_keeper
