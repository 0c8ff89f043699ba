"""The public address that a person states, and what is judged by it."""

import re
from html import unescape

import pytest
from django.urls import reverse

from dashboard.facts.addresses import Origin, origin_of, read_address
from dashboard.team.models import Person
from tests.features.network.desk import TRACKING, Desk
from tests.pages import PageClient

EDIT = reverse("network:origin")
BANS, RESTRICTIONS = (reverse(f"network:{view}", args=[TRACKING]) for view in ("bans", "restrictions"))


def text_of(html: str) -> str:
    return unescape(" ".join(re.sub(r"<[^>]+>", " ", html).split()))


def test_behind_a_private_network_a_stated_address_is_judged_and_its_source_is_shown(as_keeper: PageClient, desk: Desk) -> None:
    for page in (BANS, RESTRICTIONS):
        before = text_of(as_keeper.get(page).text)
        assert "We can't tell whether your address is" in before
        assert "Enter your public IP" in before
    saved = as_keeper.send(EDIT, address=" 203.0.113.10/32 ")
    assert "Public address 203.0.113.10 saved." in saved.text
    assert "origin:changed" in saved["HX-Trigger"]
    assert (
        "Your address 203.0.113.10 is banned. You can't connect to the database from here. You stated this address."
        in text_of(as_keeper.get(BANS).text)
    )
    assert "Your address 203.0.113.10 is allowed by 203.0.113.0/24 . You stated this address. Change it" in text_of(
        as_keeper.get(RESTRICTIONS).text
    )
    assert "Your address is 203.0.113.10 , which you stated" in text_of(
        as_keeper.get(reverse("home:index"), {"view": "network"}).text
    )
    assert "Public address 203.0.113.10" in text_of(as_keeper.get(reverse("account:tokens")).text)


def test_a_list_that_locks_a_stated_address_out_asks_for_consent(as_keeper: PageClient, desk: Desk) -> None:
    as_keeper.send(EDIT, address="203.0.113.10")
    plan = as_keeper.post(reverse("network:plan", args=[TRACKING]), {"text": "192.0.2.0/24", "seen": ""})
    review = text_of(as_keeper.get(plan["Location"]).text)
    assert "Your address 203.0.113.10 , which you stated:" in review
    assert "Your own address 203.0.113.10 will be locked out." in review


def test_the_open_pages_refresh_when_it_changes(as_keeper: PageClient) -> None:
    assert "origin:changed from:body" in as_keeper.get(BANS).text
    assert "origin:changed from:body" in as_keeper.get(RESTRICTIONS).text
    as_keeper.send(EDIT, address="203.0.113.10")
    state = as_keeper.part(reverse("network:state", args=[TRACKING]), "restriction-state")
    assert "203.0.113.10" in state.text


@pytest.mark.parametrize(
    ("typed", "problem"),
    [
        ("nonsense", "This isn't an address."),
        ("203.0.113.0/24", "This isn't an address."),
        ("10.0.0.8", "This address is private."),
        ("127.0.0.1", "This address is private."),
        ("fd00::1", "This address is private."),
        ("::ffff:192.168.1.4", "This address is private."),
    ],
)
def test_what_is_no_public_address_is_refused(as_keeper: PageClient, owner: Person, typed: str, problem: str) -> None:
    answer = as_keeper.send(EDIT, address=typed)
    assert answer.status_code == 422
    assert problem in unescape(answer.text)
    owner.refresh_from_db()
    assert owner.public_address is None


def test_it_can_be_removed_and_is_ones_own(as_keeper: PageClient, as_ada: PageClient, ada: Person) -> None:
    as_keeper.send(EDIT, address="2001:db8:4f::7")
    ada.refresh_from_db()
    assert ada.public_address is None
    assert "2001:db8:4f::7" not in as_ada.get(EDIT).text
    assert "Public address removed." in as_keeper.send(EDIT, address="").text
    assert "We can't tell whether your address is banned" in text_of(as_keeper.get(BANS).text)


def test_an_address_that_pilothouse_sees_itself_counts_more() -> None:
    assert origin_of("198.51.100.7", "203.0.113.10") == Origin("198.51.100.7", read_address("198.51.100.7"))
    assert origin_of("10.0.0.8", "203.0.113.10") == Origin("203.0.113.10", read_address("203.0.113.10"), is_stated=True)
    assert origin_of("10.0.0.8", None) == Origin("10.0.0.8", None)
