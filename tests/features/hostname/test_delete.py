"""Deleting a hostname."""

import pytest

from dashboard.interfaces import errors
from tests.features.hostname.desk import Desk
from tests.pages import PageClient


def test_deleting_wants_the_name_and_remembers_it(as_keeper: PageClient, desk: Desk) -> None:
    ref, host, _ = desk.set_up()
    as_keeper.get(desk.address("index", ref))
    assert as_keeper.send(desk.address("delete", ref), typed=host.upper()).status_code == 422
    answer = as_keeper.post(desk.address("delete", ref), {"typed": host})
    assert (answer.status_code, answer["Location"]) == (303, desk.address("index", ref))
    with pytest.raises(errors.NotFound):
        desk.management.hostname.get(ref)
    after = as_keeper.get(desk.address("index", ref))
    assert "Set up again" in after.text
    assert host in as_keeper.get(desk.address("new", ref, hostname=host)).text


def test_a_hostname_that_is_gone_already_is_said_and_the_page_looks_again(as_keeper: PageClient, desk: Desk) -> None:
    ref = desk.project()
    answer = as_keeper.send(desk.address("delete", ref), typed="x")
    assert "The custom hostname was already deleted." in answer.text
    assert "hostname:changed" in answer["HX-Trigger"]
