"""The list of functions (M10)."""

import re

import pytest
from django.urls import reverse

from tests.features.functions import strange
from tests.features.functions.desk import REF, Desk
from tests.features.service import Calls
from tests.pages import PageClient

TRACKING = "ktmvqhzwrbnxpgaydcle"
EMPTY = "hbzoeyrqmcuwfkdlnavs"


def slugs(html: str) -> list[str]:
    return re.findall(r'<a class="entry__link mono" href="[^"]+">([^<]+)</a>', html)


def test_it_lists_version_status_flags_and_time(as_keeper: PageClient) -> None:
    answer = as_keeper.get(reverse("functions:index", args=[TRACKING]))
    assert slugs(answer.text) == ["legacy_webhook", "notify-recipient", "print-label", "track-parcel"]
    for words in (
        "Throttled",
        "Removed",
        "Active",
        "Unprotected",
        "JWT verified",
        "Import map",
        "Track a parcel",
        "30 Oct 2026",
        ">22<",
    ):
        assert words in answer.text
    assert "3 functions · 1 removed · 1 unprotected" in answer.text


def test_what_no_document_knows_is_shown_as_it_came(as_keeper: PageClient, strange_service: None) -> None:
    answer = as_keeper.get(reverse("functions:index", args=[strange.REF]))
    assert "HIBERNATING" in answer.text
    assert "JWT verified" in answer.text
    assert '<code class="quiet">5</code>' in answer.text
    assert slugs(answer.text) == ["strange.one"]
    assert "a/b" in answer.text


def test_it_asks_the_service_two_things_and_one_for_the_list_alone(as_keeper: PageClient, desk: Desk, calls: Calls) -> None:
    as_keeper.get(desk.address("index"))
    assert sorted(calls()) == ["GET /v1/projects", f"GET /v1/projects/{REF}/functions"]
    as_keeper.part(desk.address("index"), "function-list")
    assert calls() == [f"GET /v1/projects/{REF}/functions"]


def test_it_finds_by_part_of_slug_or_name(as_keeper: PageClient) -> None:
    home = reverse("functions:index", args=[TRACKING])
    assert slugs(as_keeper.get(home, {"q": "RECIP"}).text) == ["notify-recipient"]
    assert slugs(as_keeper.get(home, {"q": "old shop"}).text) == ["legacy_webhook"]
    assert "No function matches" in as_keeper.get(home, {"q": "§"}).text


def test_unprotected_are_those_that_anybody_can_call(as_keeper: PageClient, desk: Desk) -> None:
    answer = as_keeper.get(reverse("functions:index", args=[TRACKING]), {"show": "unprotected"})
    assert slugs(answer.text) == ["track-parcel"]
    assert "1 of 4 functions" in answer.text
    desk.put(verify_jwt=True)
    lab = as_keeper.get(reverse("functions:index", args=[REF]), {"show": "unprotected"})
    assert "Every function verifies JWTs" in lab.text


@pytest.mark.parametrize(
    ("sort", "first"),
    [
        ("name", "legacy_webhook"),
        ("-name", "track-parcel"),
        ("version", "print-label"),
        ("-version", "notify-recipient"),
        ("-updated", "notify-recipient"),
        ("status", "print-label"),
        ("nonsense", "legacy_webhook"),
    ],
)
def test_it_sorts(as_keeper: PageClient, sort: str, first: str) -> None:
    assert slugs(as_keeper.get(reverse("functions:index", args=[TRACKING]), {"sort": sort}).text)[0] == first


def test_a_project_without_functions_says_what_they_are_for(as_keeper: PageClient) -> None:
    answer = as_keeper.get(reverse("functions:index", args=[EMPTY]))
    assert "No functions yet" in answer.text
    assert "0 functions" in answer.text


def test_it_invites_to_store_a_token(as_ada: PageClient, desk: Desk) -> None:
    assert "No management token yet" in as_ada.get(desk.address("index")).text


def test_a_project_that_is_not_there_is_not_found(as_keeper: PageClient) -> None:
    assert as_keeper.get(reverse("functions:index", args=["aaaaaaaaaaaaaaaaaaaa"])).status_code == 404


def test_it_takes_no_post(as_keeper: PageClient, desk: Desk) -> None:
    assert as_keeper.post(desk.address("index")).status_code == 405
