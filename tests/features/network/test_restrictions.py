"""The page of the restrictions: every state, the editor's lint, the tester."""

from collections.abc import Iterator
from time import time

import pytest
from django.urls import reverse
from pytest_django import Settings

from tests.features.network.desk import HOME, LAB, SIGNAGE, STAGING, TRACKING, UPLOADS, V4, Desk, from_address
from tests.features.service import Calls, Faults
from tests.interfaces.servers import Answers, as_json, by_path, serving
from tests.pages import PageClient, htmx

M24 = "/network-restrictions"


def test_it_says_who_gets_in_and_whether_you_do(as_keeper: PageClient, desk: Desk) -> None:
    answer = as_keeper.get(desk.address("restrictions"), headers=from_address())
    assert "2 IPv4 ranges (257 addresses) and 1 IPv6 range may reach the database." in answer.text
    assert f"Your address <code>{HOME}</code> is allowed</strong> by <code>203.0.113.0/24</code>" in answer.text
    assert "In force" in answer.text
    for line in V4:
        assert line in answer.text


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("192.0.2.1", "is not allowed:</strong> no range contains it"),
        ("127.0.0.1", "We can't tell whether your address is allowed."),
        ("10.0.0.9", "We can't tell whether your address is allowed."),
        ("2001:db8:4f::1", "is allowed</strong> by <code>2001:db8:4f::/48</code>"),
    ],
)
def test_your_address_is_judged(as_keeper: PageClient, desk: Desk, address: str, words: str) -> None:
    assert words in as_keeper.get(desk.address("restrictions"), headers=from_address(address)).text


@pytest.mark.parametrize(
    ("ref", "words"), [(LAB, "is not allowed:</strong> no range contains it"), (SIGNAGE, "is allowed</strong>")]
)
def test_a_private_address_is_judged_where_nobody_or_everybody_gets_in(
    as_keeper: PageClient, desk: Desk, ref: str, words: str
) -> None:
    answer = as_keeper.get(desk.address("restrictions", ref), headers=from_address("10.0.0.9"))
    assert words in answer.text
    assert "We can't tell" not in answer.text


def test_an_ipv6_address_is_not_judged_where_the_service_shows_no_such_list(as_keeper: PageClient, desk: Desk) -> None:
    answer = as_keeper.get(desk.address("restrictions", UPLOADS), headers=from_address("2001:db8::1"))
    assert "the service shows no list for it" in answer.text
    assert "The service has no IPv6 list." in answer.text


def test_a_page_asks_for_the_list_and_once_for_the_name(as_keeper: PageClient, desk: Desk, calls: Calls) -> None:
    calls()
    as_keeper.get(desk.address("restrictions"))
    assert sorted(calls()) == ["GET /v1/projects", f"GET /v1/projects/{TRACKING}/network-restrictions"]
    as_keeper.get(desk.address("restrictions", address="1.2.3.4"))
    assert len(calls()) == 2
    as_keeper.part(desk.address("restrictions", address="1.2.3.4"), "address-test")
    assert len(calls()) == 2
    as_keeper.part(desk.address("state"), "restriction-state")
    assert len(calls()) == 1


def test_an_empty_list_in_force_keeps_everybody_out(as_keeper: PageClient, desk: Desk) -> None:
    answer = as_keeper.get(desk.address("restrictions", LAB), headers=from_address())
    assert "Nobody may reach the database." in answer.text
    assert "is not allowed" in answer.text


def test_disallowed_says_why_and_has_no_form(as_keeper: PageClient, desk: Desk) -> None:
    answer = as_keeper.get(desk.address("restrictions", SIGNAGE))
    assert "Restrictions aren't available for this project" in answer.text
    assert "disallowed" in answer.text
    assert "needs an upgrade" in answer.text
    assert "<textarea" not in answer.text
    assert as_keeper.post(desk.address("plan", SIGNAGE), {"text": "1.2.3.4"}).status_code == 422


def test_a_saved_list_stands_beside_the_one_in_force(as_keeper: PageClient, desk: Desk) -> None:
    answer = as_keeper.get(desk.address("restrictions", STAGING), headers=from_address())
    assert "Saved, not in force" in answer.text
    assert "In force now" in answer.text
    assert "203.0.113.64/26" in answer.text
    assert "0.0.0.0/0" in answer.text
    assert "is allowed</strong> by <code>0.0.0.0/0</code>" in answer.text


def test_a_list_that_was_saved_long_ago_is_not_waited_for(as_keeper: PageClient, desk: Desk) -> None:
    answer = as_keeper.get(desk.address("restrictions", STAGING))
    assert "The saved list is still not in force." in answer.text
    assert "2026-09-01" in answer.text
    assert "every 3s" not in answer.text
    assert "Send again" in answer.text
    assert "Restore previous list" in answer.text


def test_the_poll_goes_on_while_it_is_saved_and_ends_after_a_while(as_keeper: PageClient, desk: Desk) -> None:
    address = desk.address("state", STAGING, since=str(int(time())))
    going = as_keeper.part(address, "restriction-state")
    assert going.status_code == 200
    assert 'hx-trigger="every 3s, origin:changed from:body"' in going.text
    ended = as_keeper.part(desk.address("state", STAGING, since=str(int(time()) - 600)), "restriction-state")
    assert ended.status_code == 286
    assert "every 3s" not in ended.text
    assert "The saved list is still not in force." in ended.text
    assert 'name="of" value="saved"' in ended.text
    assert 'name="of" value="in-force"' in ended.text


def test_the_poll_ends_when_the_list_is_in_force(as_keeper: PageClient, desk: Desk) -> None:
    answer = as_keeper.part(desk.address("state", since=str(int(time()))), "restriction-state")
    assert answer.status_code == 286
    assert "every 3s" not in answer.text
    for odd in ("x", "9" * 30, "-1"):
        assert as_keeper.part(desk.address("state", since=odd), "restriction-state").status_code == 286


def test_a_poll_that_fails_ends(as_keeper: PageClient, desk: Desk, faults: Faults) -> None:
    faults("M24", status=429, retry_after=30)
    answer = as_keeper.part(desk.address("state"), "restriction-state")
    assert answer.status_code == 286
    assert "Check again" in answer.text
    assert as_keeper.get(desk.address("state")).status_code == 302


def test_lint_asks_no_service_and_says_everything(as_keeper: PageClient, desk: Desk, calls: Calls) -> None:
    calls()
    text = "203.0.113.9/24\n10.0.0.0/8\n"
    seen = "203.0.113.0/24 198.51.100.17/32 | 2001:db8:4f::/48"
    answer = as_keeper.post(
        desk.address("lint"), {"text": text, "seen": seen}, headers={**htmx("lint"), **from_address("198.51.100.17")}
    )
    assert "1 entry can't be sent." in answer.text
    assert "Private addresses aren&#x27;t supported" in answer.text
    assert "which contains it" in answer.text
    assert "not allowed" in answer.text
    good = as_keeper.post(desk.address("lint"), {"text": "", "seen": seen}, headers=htmx("lint"))
    assert "Nobody may reach the database." in good.text
    assert "3 removed" in good.text
    assert calls() == []


def test_a_problem_is_listed_however_many_notes_stand_before_it(as_keeper: PageClient, desk: Desk) -> None:
    text = "\n".join(["0.0.0.0/0", *(f"203.0.{number}.0/24" for number in range(100)), "office"])
    answer = as_keeper.post(desk.address("lint"), {"text": text, "seen": ""}, headers=htmx("lint"))
    assert "1 entry can't be sent." in answer.text
    assert "Line 102" in answer.text


@pytest.mark.parametrize(
    ("address", "status", "words"),
    [
        ("203.0.113.77", 200, "203.0.113.0/24"),
        ("192.0.2.1", 200, "no range contains"),
        ("2001:db8:4f:1::1", 200, "2001:db8:4f::/48"),
        ("office", 422, "This isn&#x27;t an address."),
        ("", 422, "Type an address."),
    ],
)
def test_the_tester_answers(as_keeper: PageClient, desk: Desk, address: str, status: int, words: str) -> None:
    for answer in (
        as_keeper.get(desk.address("restrictions"), {"address": address}),
        as_keeper.part(desk.address("restrictions"), "address-test", address=address),
    ):
        assert words in answer.text
        assert answer.status_code == status


def test_the_tester_knows_both_lists_and_bans(as_keeper: PageClient, desk: Desk, faults: Faults) -> None:
    answer = as_keeper.part(desk.address("restrictions", STAGING), "address-test", address="192.0.2.9")
    assert "With the saved list" in answer.text
    assert "not banned" in answer.text
    assert "no range contains" in answer.text
    faults("M22", status=500)
    assert "couldn't be read" in as_keeper.part(desk.address("restrictions", STAGING), "address-test", address="192.0.2.9").text


def test_an_unknown_project_is_not_found(as_keeper: PageClient) -> None:
    assert as_keeper.get(reverse("network:restrictions", args=["a" * 20])).status_code == 404


@pytest.fixture
def another(as_keeper: PageClient, desk: Desk, settings: Settings) -> Iterator[Answers]:
    """A service that answers M24 as a test says, and everything else with an empty list."""
    answers: Answers = {}
    with serving(by_path(answers)) as server:
        settings.MANAGEMENT_URL = server.address
        yield answers


def test_a_status_that_nobody_knows_is_shown_raw(as_keeper: PageClient, desk: Desk, another: Answers) -> None:
    another[M24] = as_json({"entitlement": "trial", "config": {"dbAllowedCidrs": ["1.2.3.4/32"]}, "status": "half_applied"})
    answer = as_keeper.get(desk.address("restrictions"), headers=from_address("1.2.3.4"))
    assert answer.status_code == 200
    assert "half_applied" in answer.text
    assert "trial" in answer.text
    assert "we can't tell whether this list is in force" in answer.text
    assert "<textarea" in answer.text
    assert "every 3s" not in answer.text


def test_a_project_of_the_first_generation_lets_everybody_in(as_keeper: PageClient, desk: Desk, another: Answers) -> None:
    another[M24] = as_json({"entitlement": "allowed", "config": {"dbAllowedCidrs": []}, "status": "stored"})
    answer = as_keeper.get(desk.address("restrictions", address="8.8.8.8"), headers=from_address())
    assert "no list was ever applied" in answer.text
    assert f"Your address <code>{HOME}</code> is allowed" in answer.text
    assert "Nobody" not in answer.text.split("<form")[0]
    assert "every 3s" not in answer.text


def test_a_saved_list_without_the_old_one_says_what_is_not_known(as_keeper: PageClient, desk: Desk, another: Answers) -> None:
    another[M24] = as_json({"entitlement": "allowed", "config": {"dbAllowedCidrs": ["1.2.3.4/32"]}, "status": "stored"})
    answer = as_keeper.get(desk.address("restrictions"), headers=from_address("1.2.3.4"))
    assert "doesn&#x27;t say which list is in force" in answer.text
    assert "every 3s" in answer.text
    assert "Restore previous list" not in answer.text
    assert "the service shows no list for it" in answer.text


def test_a_refused_read_says_nothing_of_values(as_keeper: PageClient, faults: Faults) -> None:
    faults("M24", status=400)
    page = as_keeper.get(reverse("network:restrictions", args=[TRACKING])).text
    assert "does not accept this request" in page
    assert "these values" not in page
