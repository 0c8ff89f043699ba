"""Somebody's Home, with all rows in the first answer."""

import pytest

from dashboard.team.models import Person
from tests.conftest import Sandbox
from tests.features.home.desk import HERE, WAITING, row_of
from tests.pages import PageClient
from tests.people import hold


@pytest.fixture
def known(as_keeper: PageClient, owner: Person, service: Sandbox) -> PageClient:
    """Somebody with all tokens who opened the page before: the projects are known, of some of them all facts."""
    for place, tokens in service.storage_tokens.items():
        hold(owner, tokens["service"], place)
    listed = as_keeper.part(HERE, WAITING).text
    for name in ("parcel-tracking", "depot-signage"):
        as_keeper.part(row_of(listed, name), "")
    return as_keeper
