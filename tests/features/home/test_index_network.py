"""The view of networks: restrictions and bans of all projects, and where one IP address is banned or allowed."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from dashboard.facts.models import KeptFact
from dashboard.features.home.views import home
from dashboard.tokens.models import LastKnown
from tests.features.home.desk import HERE, LIST, MORE, WAITING, cell, chips, names_in
from tests.features.network.desk import HOME, STAGING, TRACKING, UPLOADS, Bans, Desk, bans, desk, from_address
from tests.features.service import Calls, Faults
from tests.pages import PageClient, htmx

__all__ = ["bans", "desk"]

NETWORK = f"{HERE}?view=network"


def row(client: PageClient, ref: str, address: str = "") -> str:
    """A project's row, read just now."""
    client.part(NETWORK, WAITING)
    return str(client.part(reverse("home:row", args=[ref]), "", view="network", address=address).text)


def test_it_shows_restrictions_and_bans_and_reads_nothing_else(as_keeper: PageClient, desk: Desk, calls: Calls) -> None:
    page = as_keeper.part(NETWORK, WAITING).text
    assert 'href="/?view=network" aria-current="page">' in " ".join(as_keeper.get(NETWORK).text.split())
    assert 'class="fact fact--functions' not in page
    calls()
    found = as_keeper.part(reverse("home:row", args=[UPLOADS]), "", view="network").text
    assert len(calls()) == 2
    assert "1 range<" in cell(found, "access")
    assert f'href="{reverse("network:bans", args=[UPLOADS])}"' in cell(found, "bans")


def test_a_row_says_where_an_address_is_banned_and_allowed(as_keeper: PageClient, bans: Bans, desk: Desk) -> None:
    bans.put("203.0.113.9")
    found = row(as_keeper, STAGING, "203.0.113.9")
    assert "Banned" in cell(found, "bans")
    assert "Allowed by 0.0.0.0/0" in cell(found, "access")
    assert f'href="{reverse("network:lift", args=[STAGING])}?address=203.0.113.9"' in found
    found = row(as_keeper, TRACKING, "192.0.2.9")
    assert "Not banned" in cell(found, "bans")
    assert "Not allowed" in cell(found, "access")
    assert "192.0.2.9 is not allowed" in found
    assert "Allowed by 2001:db8:4f::/48" in cell(row(as_keeper, TRACKING, "2001:DB8:4f::7"), "access")


def test_projects_that_ban_or_refuse_it_come_first_and_are_counted(as_keeper: PageClient, bans: Bans, desk: Desk) -> None:
    bans.put("192.0.2.9")
    for ref in (STAGING, TRACKING):
        row(as_keeper, ref, "192.0.2.9")
    page = as_keeper.get(f"{NETWORK}&address=192.0.2.9").text
    assert names_in(page)[:2] == ["parcel-tracking-staging", "parcel-tracking"]
    assert chips(page) == [
        (f"{NETWORK}&problem=bans-it&address=192.0.2.9", "1 bans it"),
        (f"{NETWORK}&problem=refuses-it&address=192.0.2.9", "1 doesn't allow it"),
    ]
    assert names_in(as_keeper.get(f"{NETWORK}&problem=bans-it&address=192.0.2.9").text) == ["parcel-tracking-staging"]


def test_what_was_read_more_than_a_minute_before_is_read_again_for_a_search(as_keeper: PageClient, desk: Desk) -> None:
    found = row(as_keeper, TRACKING, "192.0.2.9")
    assert "data-turn" not in found
    assert "data-later" not in found, "a search is answered once"
    for seconds, is_due in ((40, False), (80, True)):
        KeptFact.objects.update(tried_at=timezone.now() - timedelta(seconds=seconds))
        page = as_keeper.part(f"{NETWORK}&address=192.0.2.9&q={TRACKING}", LIST).text
        assert ('data-turn="2"' in page) is is_due
        assert "data-turn" not in as_keeper.part(f"{NETWORK}&q={TRACKING}", LIST).text, "without an address it is fresh"


def test_a_search_that_took_longer_than_a_minute_ends(as_keeper: PageClient, desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its last row asks for the list in its order. What was read first is not read again for that, nor the rows that follow."""
    row(as_keeper, TRACKING, "192.0.2.9")
    KeptFact.objects.update(tried_at=timezone.now() - timedelta(minutes=5))
    LastKnown.objects.update(read_at=timezone.now() - timedelta(minutes=5))
    checked = {**htmx(LIST), "HX-Trigger": "home-checked"}
    for asked in ("address=192.0.2.9", "address=192.0.2.9&list=now"):
        address = f"{NETWORK}&{asked}&q={TRACKING}"
        found = as_keeper.get(address, headers=checked).text
        assert names_in(found) == ["parcel-tracking"]
        assert "data-turn" not in found
        assert "home-unread" not in found, "reading the list would read its rows"
    monkeypatch.setattr(home, "FIRST_ROWS", 0)
    assert f"{TRACKING}&amp;all=checked" in as_keeper.get(address, headers=checked).text
    following = as_keeper.part(f"{address}&all=checked", MORE).text
    assert names_in(following) == ["parcel-tracking"]
    assert "data-turn" not in following
    assert 'data-turn="2"' in as_keeper.part(f"{address}&all=rows", MORE).text, "the same, of a list that is asked for"
    KeptFact.objects.all().delete()
    assert 'data-turn="2"' in as_keeper.part(f"{address}&all=checked", MORE).text, "what nobody read is"


def test_a_list_that_the_service_does_not_tell_is_unknown(as_keeper: PageClient, desk: Desk) -> None:
    row(as_keeper, TRACKING, "192.0.2.9")
    fact = KeptFact.objects.get(place=TRACKING, key="access")
    fact.value = {**(fact.value or {}), "lists": None}
    fact.save()
    page = as_keeper.get(f"{NETWORK}&address=192.0.2.9").text
    assert "Unknown" in cell(page.partition(f"({TRACKING})")[2], "access")


@pytest.mark.parametrize("operation", ["M22", "M24"])
def test_one_failure_leaves_the_other_answer(as_keeper: PageClient, desk: Desk, faults: Faults, operation: str) -> None:
    KeptFact.objects.all().delete()
    as_keeper.part(NETWORK, WAITING)
    faults(operation, status=500)
    found = row(as_keeper, TRACKING, HOME)
    assert ("Unavailable" in cell(found, "bans")) is (operation == "M22")
    assert ("Unavailable" in cell(found, "access")) is (operation == "M24")
    assert "The management service returned an error (500)." in found


def test_it_offers_the_own_address(as_keeper: PageClient, desk: Desk) -> None:
    page = as_keeper.get(f"{NETWORK}&list=now", headers=from_address("203.0.113.9")).text
    assert "view=network&amp;address=203.0.113.9" in page


@pytest.mark.parametrize("address", ["office", "203.0.113.0/24"])
def test_what_is_no_address_is_said(as_keeper: PageClient, desk: Desk, address: str) -> None:
    page = as_keeper.get(HERE, {"view": "network", "list": "now", "address": address}).text
    assert f"“{address}” isn't an address." in page
    assert "Allowed" not in page


@pytest.mark.parametrize(
    ("former", "view"),
    [
        ("/projects/addresses/?address=198.51.100.7", "address=198.51.100.7&view=network"),
        ("/projects/addresses/", "view=network"),
        (f"/projects/{TRACKING}/network/finding/?address=198.51.100.7", f"address=198.51.100.7&view=network&q={TRACKING}"),
    ],
)
def test_the_addresses_of_the_former_search_lead_here(as_keeper: PageClient, former: str, view: str) -> None:
    answer = as_keeper.get(former)
    assert (answer.status_code, answer["Location"]) == (302, f"{HERE}?{view}")
    assert as_keeper.post(former).status_code == 405
