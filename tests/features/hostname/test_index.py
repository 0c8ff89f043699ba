"""The page of one hostname: rail, records, what the service says."""

import re
from datetime import timedelta
from html import unescape

import pytest
from django.db.models import F

from dashboard.features.hostname.models import Event
from tests.features.hostname.desk import LAB, NEWSLETTER, PORTFOLIO, ROUTES, SIGNAGE, STAGING, TRACKING, UPLOADS, Desk
from tests.features.service import Calls, Faults
from tests.pages import PageClient

STATES = {
    STAGING: ("Verify ownership", "2_initiated"),
    SIGNAGE: ("Certificate", "3_challenge_verified"),
    PORTFOLIO: ("Activate", "4_origin_setup_completed"),
    TRACKING: ("Active", "5_services_reconfigured"),
}


def here(html: str) -> str:
    """The step where the rail stands."""
    found = re.search(r'aria-current="step">.*?steps__title">([^<]+)', html, re.DOTALL)
    return found[1] if found else ""


@pytest.mark.parametrize("ref", STATES)
def test_each_state_stands_at_its_step(as_keeper: PageClient, desk: Desk, ref: str) -> None:
    answer = as_keeper.get(desk.address("index", ref))
    word, raw = STATES[ref]
    assert here(answer.text) == word
    assert raw in answer.text
    assert "First seen" in answer.text


@pytest.mark.parametrize("ref", [UPLOADS, NEWSLETTER])
def test_both_forms_of_nothing_are_not_set_up(as_keeper: PageClient, desk: Desk, ref: str) -> None:
    answer = as_keeper.get(desk.address("index", ref))
    assert answer.status_code == 200
    assert "No custom hostname" in answer.text
    assert (desk.address("new", ref) in answer.text) == (ref == UPLOADS), "not while the project is coming up"


@pytest.mark.parametrize(("ref", "state"), [(NEWSLETTER, "coming up"), (ROUTES, "paused")])
def test_a_project_that_is_not_up_says_why_nothing_can_be_set_up_and_when(
    as_keeper: PageClient, desk: Desk, ref: str, state: str
) -> None:
    page = desk.address("index", ref)
    shown = as_keeper.get(page).text.partition('class="empty')[2]
    assert f"The project is {state}. You can set one up once it is healthy." in shown
    assert "Set up" not in shown.partition("</div>")[0]
    assert f'href="{page}">Check again</a>' in shown


def test_it_makes_two_calls_and_one_for_the_panel_and_none_for_the_rest(as_keeper: PageClient, desk: Desk, calls: Calls) -> None:
    as_keeper.get(desk.address("index", STAGING))
    assert sorted(calls()) == ["GET /v1/projects", f"GET /v1/projects/{STAGING}/custom-hostname"]
    as_keeper.part(desk.address("index", STAGING), "hostname-panel")
    assert calls() == [f"GET /v1/projects/{STAGING}/custom-hostname"]
    as_keeper.part(desk.address("index", STAGING), "hostname-records")
    as_keeper.part(desk.address("index", STAGING), "hostname-watch")
    assert calls() == []


def test_the_first_sight_of_a_step_is_kept(as_keeper: PageClient, desk: Desk) -> None:
    first = re.search(r'First seen <time class="when" datetime="([^"]+)"', as_keeper.get(desk.address("index", SIGNAGE)).text)
    again = re.search(r'First seen <time class="when" datetime="([^"]+)"', as_keeper.get(desk.address("index", SIGNAGE)).text)
    assert first
    assert again
    assert first[1] == again[1]


def test_a_look_before_the_setup_is_not_the_time_of_the_setup(as_keeper: PageClient, desk: Desk) -> None:
    ref, host = desk.project(), desk.host()
    page = desk.address("index", ref)
    as_keeper.get(page)
    Event.objects.filter(ref=ref).update(first_seen_at=F("first_seen_at") - timedelta(minutes=6))
    as_keeper.send(desk.address("new", ref), custom_hostname=host, anyway="on")
    rail = as_keeper.get(page).text.partition("Five steps")[2]
    assert here(rail) == "Verify ownership"
    assert len(re.findall(r"First seen <time[^>]*>just now<", rail)) == 2
    assert "6 minutes ago" not in rail.partition("</aside>")[0]


def opened(page: str) -> list[str]:
    """The purposes of the records that are shown whole."""
    return re.findall(r'<section class="record[^"]*" aria-label="\w+ for ([\w ]+)"', page)


def folded(page: str) -> list[str]:
    """The purposes and states of the records that are folded."""
    fold = page.partition("Finished records")[2].partition("</details>")[0]
    purposes, states = re.findall(r"</code><span class=\"below\">([\w ]+)</span>", fold), re.findall("Correct|Verified", fold)
    return [" ".join(pair) for pair in zip(purposes, states, strict=True)]


def test_at_each_step_only_records_with_something_left_to_do_are_open(as_keeper: PageClient, desk: Desk) -> None:
    ref, host, found = desk.set_up()
    assert found.ownership_record
    page = desk.address("index", ref)

    def shown() -> tuple[list[str], list[str]]:
        text = as_keeper.get(page, {"check": "now"}).text
        return sorted(opened(text)), sorted(folded(text))

    assert shown() == (["certificate", "ownership", "traffic"], [])
    desk.publish(host, "CNAME", f"{ref}.supabase.co")
    assert shown() == (["certificate", "ownership"], ["Traffic Correct"])
    desk.publish(found.ownership_record.name, "TXT", found.ownership_record.value)
    assert shown() == (["certificate"], ["Ownership Correct", "Traffic Correct"])
    desk.management.hostname.reverify(ref)
    assert shown() == (["certificate"], ["Ownership Verified", "Traffic Correct"])
    desk.publish_all(ref, found)
    assert shown() == ([], ["Certificate Correct", "Ownership Verified", "Traffic Correct"]), "step 3"
    while desk.management.hostname.get(ref).status.step != 4:
        desk.management.hostname.reverify(ref)
    assert shown() == ([], ["Certificate Verified", "Ownership Verified", "Traffic Correct"])
    desk.management.hostname.activate(ref)
    assert shown() == (["traffic"], ["Certificate Verified", "Ownership Verified"]), "what has to stay is what the page is about"


def test_a_record_that_vanishes_from_the_answer_stays_on_the_page(as_keeper: PageClient, desk: Desk) -> None:
    ref, host, found = desk.set_up()
    assert found.ownership_record
    page = desk.address("index", ref)
    assert found.ownership_record.value in as_keeper.get(page).text
    desk.publish(found.ownership_record.name, "TXT", found.ownership_record.value)
    desk.management.hostname.reverify(ref)
    assert desk.management.hostname.get(ref).ownership_record is None
    answer = as_keeper.get(page)
    assert found.ownership_record.value in answer.text
    fold = answer.text.partition("Finished records")[2].partition("</details>")[0]
    assert "1 of" in fold
    assert "no longer required" in fold
    assert host in answer.text


def test_the_old_form_shows_its_record_once_and_unknown_members_as_they_came(as_keeper: PageClient, desk: Desk) -> None:
    answer = as_keeper.get(desk.address("index", LAB))
    assert answer.text.count('aria-label="TXT for certificate"') == 1
    assert "ca3-" in answer.text
    assert "result.ownership_verification_http.http_body" in answer.text
    assert "result.ssl.settings.min_tls_version" in answer.text


def test_names_are_shown_whole_and_relative_to_each_zone(as_keeper: PageClient, desk: Desk) -> None:
    ref = desk.project()
    desk.management.hostname.initialize(ref, custom_hostname="api.eu.zones.example")
    desk.management.hostname.reverify(ref)
    page = desk.address("index", ref)
    answer = as_keeper.get(page)
    assert 'data-copy="_acme-challenge.api.eu.zones.example"' in answer.text
    assert 'data-copy="_acme-challenge.api.eu"' in answer.text
    every = re.search(r'data-copy="([^"]*)"\s+data-copied="All records copied"', answer.text)
    assert every
    lines = unescape(every[1]).splitlines()
    assert len(lines) == answer.text.count('<section class="record')
    assert any(line.startswith("_acme-challenge.api.eu.zones.example. 300 IN TXT ") for line in lines)
    assert any(line.startswith("api.eu.zones.example. 300 IN CNAME ") for line in lines)
    assert "Zone file" not in answer.text
    inner = as_keeper.part(page, "hostname-records", zone="eu.zones.example")
    assert 'data-copy="_acme-challenge.api"' in inner.text


def test_it_says_what_the_service_finds_in_the_way(as_keeper: PageClient, desk: Desk) -> None:
    assert "custom hostname does not CNAME to this zone." in as_keeper.get(desk.address("index", STAGING)).text


def test_the_name_of_the_project_is_not_worth_a_failure(as_keeper: PageClient, desk: Desk, faults: Faults) -> None:
    faults("M1", status=500)
    assert as_keeper.get(desk.address("index", STAGING)).status_code == 200


def test_a_project_that_is_not_there_is_not_found(as_keeper: PageClient, desk: Desk) -> None:
    assert as_keeper.get(desk.address("index", "a" * 20)).status_code == 404


def test_it_takes_no_post(as_keeper: PageClient, desk: Desk) -> None:
    assert as_keeper.post(desk.address("index", STAGING)).status_code == 405
