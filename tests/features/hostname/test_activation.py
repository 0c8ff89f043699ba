"""Activating a hostname."""

from tests.features.hostname.desk import PORTFOLIO, TICKED, Desk
from tests.features.service import Calls
from tests.pages import PageClient


def test_activating_wants_every_tick(as_keeper: PageClient, desk: Desk, calls: Calls) -> None:
    assert "Sign-in redirects are ready" in as_keeper.part(desk.address("activation", PORTFOLIO), "dialog").text
    for left_out in TICKED:
        ticks = {name: on for name, on in TICKED.items() if name != left_out}
        answer = as_keeper.send(desk.address("activation", PORTFOLIO), **ticks)
        assert answer.status_code == 422
        assert "Confirm this point." in answer.text
    assert not [call for call in calls() if "activate" in call]


def test_it_activates(as_keeper: PageClient, desk: Desk) -> None:
    ref, host, found = desk.set_up()
    desk.publish_all(ref, found)
    too_early = as_keeper.send(desk.address("activation", ref), **TICKED)
    assert too_early.status_code == 422
    assert "Verification has not been completed." in too_early.text
    desk.management.hostname.reverify(ref)
    desk.management.hostname.reverify(ref)
    assert f"{host} is active." in as_keeper.send(desk.address("activation", ref), **TICKED).text
    assert desk.management.hostname.get(ref).status.step == 5


def test_a_hostname_that_was_activated_meanwhile_is_said_and_the_page_looks_again(as_keeper: PageClient, desk: Desk) -> None:
    ref, host, found = desk.set_up()
    desk.publish_all(ref, found)
    desk.management.hostname.reverify(ref)
    desk.management.hostname.reverify(ref)
    assert f"Activate {host}" in as_keeper.part(desk.address("activation", ref), "dialog").text
    desk.management.hostname.activate(ref)
    answer = as_keeper.send(desk.address("activation", ref), **TICKED)
    assert f"{host} is already active." in answer.text
    assert "hostname:changed" in answer["HX-Trigger"]
