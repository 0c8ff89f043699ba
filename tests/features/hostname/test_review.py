"""The review of all hostnames."""

import re
import time
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from dashboard.features.hostname.models import Known
from tests.features.hostname.desk import LAB, PORTFOLIO, SIGNAGE, STAGING, TRACKING, UPLOADS, Desk
from tests.features.service import FAILURES, Calls, Faults
from tests.pages import PageClient

PAGE = reverse("hostnames:index")


def rows(html: str) -> list[str]:
    return re.findall(r'data-turn="1"\s+hx-get="(/hostnames/[a-z]{20}/[^"]*)"', html)


def row(client: PageClient, ref: str, group: str = "loading", name: str = "x") -> str:
    answer = client.get(reverse("hostnames:row", args=[ref]), {"name": name, "in": group}, headers={"HX-Request": "true"})
    assert answer.status_code == 200
    return str(answer.text)


def test_the_frame_waits_for_nobody(as_keeper: PageClient, desk: Desk, calls: Calls, faults: Faults) -> None:
    faults("M1", delay=20)
    calls()
    started = time.monotonic()
    answer = as_keeper.get(PAGE)
    assert time.monotonic() - started < 5
    assert calls() == []
    assert f'href="{PAGE}?list=now"' in answer.text


def test_the_list_is_one_call_and_each_row_another(as_keeper: PageClient, desk: Desk, calls: Calls) -> None:
    answer = as_keeper.part(PAGE, "fleet")
    assert calls() == ["GET /v1/projects"]
    found = rows(answer.text)
    assert len(found) == answer.text.count('class="fleet__row"') - 1 >= 8, "all but the removed one"
    assert desk.address("index", TRACKING) in answer.text
    assert "track.nordlicht-logistik.example" in row(as_keeper, TRACKING)
    assert calls() == [f"GET /v1/projects/{TRACKING}/custom-hostname"]


@pytest.mark.parametrize(
    ("ref", "group", "word"),
    [
        (STAGING, "stuck", ">Stuck<"),
        (PORTFOLIO, "yours", "Ready to activate"),
        (TRACKING, "active", "Active"),
        (UPLOADS, "none", "Not set up"),
    ],
)
def test_a_row_goes_where_it_belongs(as_keeper: PageClient, desk: Desk, ref: str, group: str, word: str) -> None:
    moved = row(as_keeper, ref)
    assert f'hx-swap-oob="beforeend:#fleet-{group}"' in moved
    assert word in moved
    stays = row(as_keeper, ref, group)
    assert "hx-swap-oob" not in stays
    assert word in stays


def test_the_list_shows_no_raw_state(as_keeper: PageClient, desk: Desk) -> None:
    for ref, raw in {UPLOADS: "1_not_started", STAGING: "2_initiated"}.items():
        assert raw not in row(as_keeper, ref)
    assert "1_not_started" not in as_keeper.get(PAGE, {"list": "now"}).text


def test_what_was_seen_orders_the_next_list_with_the_stuck_first(as_keeper: PageClient, desk: Desk) -> None:
    for ref in (TRACKING, UPLOADS, PORTFOLIO, STAGING, SIGNAGE, LAB):
        row(as_keeper, ref)
    text = as_keeper.get(PAGE, {"list": "now"}).text
    places = [text.index(desk.address("index", ref)) for ref in (STAGING, PORTFOLIO, TRACKING, UPLOADS)]
    assert places == sorted(places)
    assert "as of" in text


@pytest.mark.parametrize("failure", sorted(FAILURES.keys() - {"too many requests"}))
def test_a_failure_stays_in_its_row(as_keeper: PageClient, desk: Desk, faults: Faults, failure: str) -> None:
    faults("M15", **FAILURES[failure][0])
    found = row(as_keeper, TRACKING)
    assert 'hx-swap-oob="beforeend:#fleet-failed"' in found
    assert "Unreachable" in found


def test_a_failure_keeps_what_was_seen_before(as_keeper: PageClient, desk: Desk, faults: Faults) -> None:
    row(as_keeper, TRACKING)
    faults("M15", status=500)
    found = row(as_keeper, TRACKING, "active")
    assert "Unreachable" in found
    assert "track.nordlicht-logistik.example" in found
    assert "Last known: Active" in found


def test_a_failed_read_says_nothing_of_a_change(as_keeper: PageClient, desk: Desk, faults: Faults) -> None:
    faults("*", status=500)
    for answer in (row(as_keeper, TRACKING), as_keeper.get(PAGE, {"list": "now"}).text):
        assert "returned an error (500)" in answer
        assert "confirmed" not in answer


def test_a_service_that_asks_to_slow_down_keeps_the_last_known_row_and_its_turn(
    as_keeper: PageClient, desk: Desk, faults: Faults
) -> None:
    row(as_keeper, TRACKING)
    faults("M15", status=429, retry_after=30)
    address = reverse("hostnames:row", args=[TRACKING])
    answer = as_keeper.get(address, {"in": "active"}, headers={"HX-Request": "true"})
    assert answer["Retry-After"] == "30"
    assert "data-turn" in answer.text
    assert "track.nordlicht-logistik.example" in answer.text
    assert "Unreachable" not in answer.text


def test_what_was_seen_within_a_minute_is_not_asked_again(as_keeper: PageClient, desk: Desk) -> None:
    before = len(rows(as_keeper.part(PAGE, "fleet").text))
    row(as_keeper, TRACKING)
    text = as_keeper.part(PAGE, "fleet").text
    assert len(rows(text)) == before - 1
    assert "track.nordlicht-logistik.example" in text
    Known.objects.update(read_at=timezone.now() - timedelta(minutes=2))
    assert len(rows(as_keeper.part(PAGE, "fleet").text)) == before


def test_without_script_a_row_leads_to_the_project(as_keeper: PageClient, desk: Desk) -> None:
    answer = as_keeper.get(reverse("hostnames:row", args=[TRACKING]))
    assert (answer.status_code, answer["Location"]) == (302, desk.address("index", TRACKING))
