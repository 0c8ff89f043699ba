"""One address over all projects."""

import pytest
from django.urls import reverse

from tests.features.network.desk import LAB, STAGING, TRACKING, Bans, Desk, from_address
from tests.features.service import Calls, Faults
from tests.pages import PageClient

FIND = "/projects/addresses/"
REMOVED = "dgskpyubwtvoqzlmhrfn"


def test_the_frame_waits_for_nothing(as_keeper: PageClient, desk: Desk, calls: Calls) -> None:
    calls()
    answer = as_keeper.get(FIND, {"address": "198.51.100.7"})
    assert calls() == []
    assert 'id="address-projects"' in answer.text
    assert 'hx-trigger="load"' in answer.text
    assert "Show the projects" in answer.text


def test_the_projects_arrive_by_script_and_by_a_plain_link(as_keeper: PageClient, desk: Desk, calls: Calls) -> None:
    calls()
    by_script = as_keeper.part(FIND, "address-projects", address="198.51.100.7")
    by_link = as_keeper.get(FIND, {"address": "198.51.100.7", "projects": "all"})
    assert calls() == ["GET /v1/projects"] * 2
    for answer in (by_script, by_link):
        for ref in (TRACKING, STAGING, LAB):
            assert f'id="address-in-{ref}"' in answer.text
            assert f'href="{reverse("network:finding", args=[ref])}?address=198.51.100.7' in answer.text
        removed = answer.text.partition(f'id="address-in-{REMOVED}"')[2].partition("</li>")[0]
        assert "Removed" in removed
        assert "hx-get" not in removed
    assert by_script.text.count('data-turn="2"') > 3


def test_a_row_says_where_it_is_banned_and_allowed(as_keeper: PageClient, bans: Bans, desk: Desk, calls: Calls) -> None:
    bans.put("203.0.113.9")
    calls()
    row = as_keeper.part(desk.address("finding", STAGING, address="203.0.113.9", name="Staging"), f"address-in-{STAGING}")
    assert len(calls()) == 2
    assert "Banned" in row.text
    assert "Lift ban" in row.text
    assert "by <code>0.0.0.0/0</code>" in row.text
    row = as_keeper.part(desk.address("finding", TRACKING, address="192.0.2.9"), f"address-in-{TRACKING}")
    assert "Not banned" in row.text
    assert "Not allowed" in row.text


def test_a_row_is_a_page_without_script(as_keeper: PageClient, desk: Desk) -> None:
    answer = as_keeper.get(desk.address("finding", address="2001:DB8:4f::7", name="Tracking <b>"))
    assert "<h1" in answer.text
    assert "by <code>2001:db8:4f::/48</code>" in answer.text
    assert "parcel-tracking" in answer.text


@pytest.mark.parametrize(("operation", "words"), [("M22", "Bans couldn't be read"), ("M24", "Restrictions couldn't be read")])
def test_one_failure_leaves_the_other_answer(
    as_keeper: PageClient, desk: Desk, faults: Faults, operation: str, words: str
) -> None:
    faults(operation, status=500)
    row = as_keeper.part(desk.address("finding", address="203.0.113.9"), f"address-in-{TRACKING}")
    assert row.status_code == 200
    assert words in row.text
    assert "Check again" in row.text
    assert ("Not banned" in row.text) is (operation == "M24")
    assert (">Allowed<" in row.text) is (operation == "M22")


def test_it_begins_with_your_own_address(as_keeper: PageClient, desk: Desk) -> None:
    answer = as_keeper.get(FIND, headers=from_address("203.0.113.9"))
    assert "?address=203.0.113.9" in answer.text


@pytest.mark.parametrize("address", ["office", "", "203.0.113.0/24"])
def test_what_is_no_address_is_said(as_keeper: PageClient, desk: Desk, calls: Calls, address: str) -> None:
    calls()
    assert as_keeper.get(FIND, {"address": address}).status_code == 422
    assert as_keeper.get(desk.address("finding", address=address)).status_code == 404
    assert calls() == []


def test_a_failing_list_of_projects_is_said_in_its_place(as_keeper: PageClient, desk: Desk, faults: Faults) -> None:
    faults("M1", status=429, retry_after=30)
    answer = as_keeper.part(FIND, "address-projects", address="1.2.3.4")
    assert answer.status_code == 200
    assert "Too many requests" in answer.text
