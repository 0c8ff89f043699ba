"""The page of switches: the service misbehaves on a click, the frame says so, and DNS records are published on a click."""

import pytest
from django.urls import reverse
from pytest_django import Settings

from dashboard.journal.models import Entry, Outcome
from dashboard.team.models import Person
from dashboard.tokens.models import StoredToken
from tests.features.hostname.desk import LAB, STAGING, TRACKING, Desk
from tests.pages import PageClient
from tests.people import client_of, hold
from tests.sandboxes import Sandbox

SWITCHES, DNS = "/sandbox/switches/", "/sandbox/dns/"
PAGES = ("/sandbox/", "/sandbox/line/", SWITCHES, DNS)
ACTS = (
    *("/sandbox/banner/", "/sandbox/guides/share/", "/sandbox/guides/share/leaving/"),
    *("/sandbox/switches/slow/", f"/sandbox/dns/{STAGING}/", f"/sandbox/dns/{STAGING}/removal/"),
)


@pytest.mark.parametrize("address", [*PAGES, *ACTS])
def test_without_the_embedded_sandbox_its_pages_do_not_exist(as_keeper: PageClient, address: str) -> None:
    answer = as_keeper.post(address) if address in ACTS else as_keeper.get(address)
    assert answer.status_code == 404
    assert "Sandbox" not in as_keeper.get("/").text


@pytest.mark.parametrize("address", [SWITCHES, DNS, *(act for act in ACTS if "switches" in act or "dns" in act)])
def test_only_owners_switch(as_ada: PageClient, ada: Person, embedded: Sandbox, address: str) -> None:
    hold(ada, embedded.personal_token)
    assert (as_ada.post(address) if address in ACTS else as_ada.get(address)).status_code == 403
    assert SWITCHES not in as_ada.get("/sandbox/").text


@pytest.mark.parametrize(
    ("key", "words", "title"),
    [
        ("slow", "The sandbox is answering slowly.", "Slow"),
        ("busy", "The sandbox refuses every call.", "Too many requests"),
        ("cut", "The sandbox loses its answers.", "Cut off"),
        ("stuck", "The sandbox leaves changes pending.", "Stuck"),
    ],
)
def test_a_switch_shows_on_every_page_until_it_is_reset(
    as_keeper: PageClient, embedded: Sandbox, key: str, words: str, title: str
) -> None:
    assert as_keeper.post(f"{SWITCHES}{key}/", follow=True).status_code == 200
    assert words in as_keeper.get("/account/").text
    assert f"Switch on: {title}" not in as_keeper.get(SWITCHES).text
    assert Entry.objects.get(operation="sandbox switched", target=title).outcome == Outcome.DONE
    assert "works normally again" in as_keeper.post(f"{SWITCHES}reset/", follow=True).text
    assert words not in as_keeper.get("/account/").text
    assert f"Switch on: {title}" in as_keeper.get(SWITCHES).text


def test_the_switched_service_really_refuses_and_the_switches_still_open(
    as_keeper: PageClient, embedded: Sandbox, ref: str
) -> None:
    as_keeper.post(f"{SWITCHES}busy/")
    assert as_keeper.get(f"/projects/{ref}/secrets/")["X-Problem"] == "SlowDown"
    assert as_keeper.get(SWITCHES).status_code == 200
    assert as_keeper.part(DNS, "dns-hosts")["X-Problem"] == "SlowDown"
    as_keeper.post(f"{SWITCHES}reset/")
    assert "X-Problem" not in as_keeper.get(f"/projects/{ref}/secrets/")


def test_the_bucket_page_has_the_banner_only_while_something_is_on(
    as_keeper: PageClient, owner: Person, embedded: Sandbox
) -> None:
    hold(owner, embedded.storage_tokens[TRACKING]["service"], TRACKING)
    bucket = f"/storage/{TRACKING}/handbook/"
    assert 'id="sandbox"' not in as_keeper.get(bucket).text
    as_keeper.post(f"{SWITCHES}stuck/")
    assert "leaves changes pending" in as_keeper.get(bucket).text


def test_an_unknown_switch_is_not_found(as_keeper: PageClient, embedded: Sandbox) -> None:
    assert as_keeper.post(f"{SWITCHES}on-fire/").status_code == 404


def test_the_records_of_a_hostname_are_published_and_removed_by_a_click(
    as_keeper: PageClient, embedded: Sandbox, desk: Desk
) -> None:
    ref, host, _ = desk.set_up()
    assert f"Publish the records of {host}" in as_keeper.part(DNS, "dns-hosts").text
    assert as_keeper.get(DNS)["Location"] == SWITCHES
    assert f"DNS records of {host} published." in as_keeper.post(f"{DNS}{ref}/", follow=True).text
    assert f"Publish the records of {host}" not in as_keeper.part(DNS, "dns-hosts").text
    assert desk.management.hostname.reverify(ref).status != "2_initiated"
    as_keeper.post(f"{DNS}{ref}/removal/")
    assert f"Publish the records of {host}" in as_keeper.part(DNS, "dns-hosts").text


def test_a_text_record_takes_the_place_of_the_cname_until_it_is_verified(
    as_keeper: PageClient, embedded: Sandbox, desk: Desk
) -> None:
    host = desk.management.hostname.get(LAB).custom_hostname
    for state in ("3_challenge_verified", "4_origin_setup_completed"):
        assert f"Publish the records of {host}" in as_keeper.part(DNS, "dns-hosts").text
        assert f"DNS records of {host} published." in as_keeper.post(f"{DNS}{LAB}/", follow=True).text
        assert f"Publish the records of {host}" not in as_keeper.part(DNS, "dns-hosts").text
        assert desk.management.hostname.reverify(LAB).status == state


def test_a_sandbox_that_is_away_is_a_sentence_and_not_done(as_keeper: PageClient, embedded: Sandbox, settings: Settings) -> None:
    settings.SANDBOX_URL = "http://127.0.0.1:9"
    assert "does not answer" in as_keeper.post(f"{SWITCHES}slow/", follow=True).text
    assert Entry.objects.get(operation="sandbox switched").outcome == Outcome.UNKNOWN


def test_an_owner_without_a_token_is_told_what_is_missing(as_owner: PageClient, owner: Person, embedded: Sandbox) -> None:
    StoredToken.objects.all().delete()
    assert "Store your management token first" in client_of(owner).get(reverse("trial:switches")).text
