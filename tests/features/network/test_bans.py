"""Bans: yours first, the list, labels."""

import re

import pytest
from django.urls import reverse

from dashboard.features.network.models import AddressLabel
from tests.features.network.desk import HOME, STAGING, Bans, from_address
from tests.features.service import Calls
from tests.pages import PageClient, htmx

SEEN = re.compile(r'name="seen" value="(\w+)"')


def test_it_says_first_that_your_address_is_not_banned(as_keeper: PageClient, bans: Bans) -> None:
    bans.put("198.51.100.7")
    answer = as_keeper.get(bans.address("bans"), headers=from_address())
    assert f"Your address <code>{HOME}</code> is not banned." in answer.text
    assert answer.text.index("is not banned") < answer.text.index("198.51.100.7")


@pytest.mark.parametrize("address", [HOME, "2001:db8::7"])
def test_it_says_first_that_your_address_is_banned(as_keeper: PageClient, bans: Bans, address: str) -> None:
    bans.put(address)
    answer = as_keeper.get(bans.address("bans"), headers=from_address(address.upper()))
    assert f"Your address <code>{address}</code> is banned." in answer.text
    assert ">yours<" in answer.text


@pytest.mark.parametrize(
    "address", ["127.0.0.1", "10.1.2.3", "172.16.0.9", "192.168.1.4", "::1", "fe80::1", "fd12::1", "100.64.0.1"]
)
def test_a_private_address_is_not_knowable(as_keeper: PageClient, bans: Bans, address: str) -> None:
    bans.put(address)
    answer = as_keeper.get(bans.address("bans"), headers=from_address(address))
    assert "We can't tell whether your address is banned." in answer.text


def test_no_bans_are_good_news(as_keeper: PageClient, bans: Bans) -> None:
    answer = as_keeper.get(bans.address("bans"))
    assert "No address is banned now" in answer.text
    assert "sign-ins" not in answer.text
    assert "or it will be banned again" not in answer.text
    assert "an allowed address can still be banned" in answer.text
    assert "empty--good" in answer.text


def test_it_lists_both_families_by_number(as_keeper: PageClient, bans: Bans) -> None:
    bans.put("2001:db8::7", "198.51.100.20", "198.51.100.3")
    text = as_keeper.get(bans.address("bans")).text
    assert text.index("198.51.100.3<") < text.index("198.51.100.20<") < text.index("2001:db8::7<")
    assert "3 banned addresses" in text
    assert "or it will be banned again" in text


def test_a_page_asks_two_things_and_the_list_alone_one(as_keeper: PageClient, bans: Bans, calls: Calls) -> None:
    calls()
    as_keeper.get(bans.address("bans"))
    assert sorted(calls()) == ["GET /v1/projects", f"POST /v1/projects/{STAGING}/network-bans/retrieve"]
    as_keeper.part(bans.address("bans"), "ban-list")
    assert calls() == [f"POST /v1/projects/{STAGING}/network-bans/retrieve"]


def test_a_label_is_shared_by_the_team_and_can_be_taken_away(as_keeper: PageClient, bans: Bans) -> None:
    bans.put("198.51.100.7")
    address = bans.address("label", address="198.51.100.7")
    assert as_keeper.part(address, "dialog").status_code == 200
    assert "198.51.100.7 labeled CI runner." in as_keeper.send(address, label=" CI runner ").text
    assert "CI runner" in as_keeper.get(bans.address("bans")).text
    assert 'value="CI runner"' in as_keeper.get(address).text
    assert "Label of 198.51.100.7 removed." in as_keeper.send(address, label="").text
    assert "CI runner" not in as_keeper.get(bans.address("bans")).text


def test_a_label_saved_meanwhile_is_not_overwritten_unseen(as_keeper: PageClient, bans: Bans) -> None:
    address = bans.address("label", address="198.51.100.8")
    [before] = SEEN.findall(as_keeper.part(address, "dialog").text)
    as_keeper.send(address, label="office", seen=before)
    answer = as_keeper.send(address, label="mine", seen=before)
    assert answer.status_code == 409
    assert "It is now “office”." in answer.text
    assert AddressLabel.objects.get().label == "office"
    [now] = SEEN.findall(answer.text)
    as_keeper.send(address, label="mine", seen=now)
    assert AddressLabel.objects.get().label == "mine"


def test_a_label_works_without_script_and_has_its_limits(as_keeper: PageClient, bans: Bans, calls: Calls) -> None:
    address = bans.address("label", address="2001:DB8::7")
    calls()
    assert as_keeper.post(address, {"label": "office"}).status_code == 303
    assert as_keeper.post(address, {"label": "x" * 61}).status_code == 422
    assert as_keeper.get(bans.address("label", address="office")).status_code == 404
    assert as_keeper.get(bans.address("label")).status_code == 404
    assert calls() == []


def test_an_unknown_project_is_not_found(as_keeper: PageClient) -> None:
    assert as_keeper.get(reverse("network:bans", args=["a" * 20])).status_code == 404


def test_a_list_that_comes_back_in_history_is_the_whole_page(as_keeper: PageClient, bans: Bans) -> None:
    headers = {**htmx("ban-list"), "HX-History-Restore-Request": "true"}
    assert "<h1" in as_keeper.get(bans.address("bans"), headers=headers).text
