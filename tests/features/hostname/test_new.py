"""Setting up a hostname."""

import json
from datetime import timedelta

import pytest
from django.utils import timezone

from dashboard.features.hostname.models import Known
from dashboard.journal.models import Entry, Outcome
from tests.features.hostname.desk import NEWSLETTER, TRACKING, UPLOADS, Desk
from tests.features.service import Calls
from tests.pages import PageClient


def test_a_hostname_is_set_up_as_it_was_pasted(as_keeper: PageClient, desk: Desk, calls: Calls) -> None:
    ref, host = desk.project(), desk.host()
    desk.publish(host, "CNAME", f"{ref}.supabase.co")
    calls()
    answer = as_keeper.send(desk.address("new", ref), custom_hostname=f" HTTPS://{host.upper()}./ ")
    assert json.loads(answer["HX-Trigger"]) == {"dialog:close": True, "hostname:changed": True}
    assert calls() == ["GET /v1/projects", f"POST /v1/projects/{ref}/custom-hostname/initialize"]
    assert desk.management.hostname.get(ref).custom_hostname == host
    entry = Entry.objects.get(operation="M17")
    assert (entry.target, entry.place, entry.outcome) == (f"hostname {host}", ref, Outcome.DONE)


def test_without_script_it_leads_back(as_keeper: PageClient, desk: Desk) -> None:
    ref, host = desk.project(), desk.host()
    form = as_keeper.get(desk.address("new", ref)).text
    assert f"{ref}.supabase.co" in form
    assert "Set up anyway" in form
    answer = as_keeper.post(desk.address("new", ref), {"custom_hostname": host, "anyway": "on"})
    assert (answer.status_code, answer["Location"]) == (303, desk.address("index", ref))


def test_a_cname_that_is_not_there_is_a_warning_that_can_be_passed(as_keeper: PageClient, desk: Desk) -> None:
    ref, host = desk.project(), desk.host()
    answer = as_keeper.send(desk.address("new", ref), custom_hostname=host)
    assert answer.status_code == 422
    assert "isn&#x27;t correct (missing)" in answer.text
    assert host in answer.text
    assert not Entry.objects.filter(operation="M17").exists()
    assert as_keeper.send(desk.address("new", ref), custom_hostname=host, anyway="on").status_code == 200
    assert desk.management.hostname.get(ref).custom_hostname == host


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ("", "Enter a hostname"),
        ("example.com", "is a domain itself"),
        ("a b.example.com", "letters"),
        ("x" * 254 + ".a.b", "at most"),
    ],
)
def test_what_can_not_be_a_hostname_is_refused_with_the_reason(
    as_keeper: PageClient, desk: Desk, calls: Calls, typed: str, words: str
) -> None:
    answer = as_keeper.send(desk.address("new", UPLOADS), custom_hostname=typed)
    assert answer.status_code == 422
    assert words in answer.text
    assert calls() == ["GET /v1/projects"]


def test_the_top_of_a_zone_is_refused_where_dns_shows_one(as_keeper: PageClient, desk: Desk) -> None:
    host = desk.host()
    desk.publish(host, "NS", "ns1.example.")
    answer = as_keeper.send(desk.address("new", UPLOADS), custom_hostname=host, anyway="on")
    assert answer.status_code == 422
    assert "has name servers of its own" in answer.text


def test_a_missing_entitlement_is_shown_in_the_services_words(as_keeper: PageClient, desk: Desk) -> None:
    answer = as_keeper.send(desk.address("new", NEWSLETTER), custom_hostname=desk.host(), anyway="on")
    assert answer.status_code == 422
    assert "Please enable the Custom Domain add-on for the project first." in answer.text
    assert Entry.objects.get(operation="M17").outcome == Outcome.REFUSED


def test_a_second_hostname_is_in_the_way(as_keeper: PageClient, desk: Desk) -> None:
    answer = as_keeper.send(desk.address("new", TRACKING), custom_hostname=desk.host(), anyway="on")
    assert answer.status_code == 422
    assert "Delete the custom hostname associated with your project" in answer.text


def test_a_new_hostname_shows_no_record_of_the_one_before(as_keeper: PageClient, desk: Desk) -> None:
    ref, before, _ = desk.set_up()
    as_keeper.get(desk.address("index", ref))
    as_keeper.part(desk.address("index", ref), "hostname-records")
    assert as_keeper.send(desk.address("delete", ref), typed=before).status_code == 200
    host = desk.host()
    as_keeper.send(desk.address("new", ref), custom_hostname=host, anyway="on", watch="on")
    for part in ("hostname-panel", "hostname-records", "hostname-watch", "hostname-links"):
        assert before not in as_keeper.part(desk.address("index", ref), part).text.partition("History")[0], part
    desk.management.hostname.delete(ref)
    other = desk.host()
    desk.management.hostname.initialize(ref, custom_hostname=other)
    Known.objects.filter(ref=ref).update(read_at=timezone.now() - timedelta(minutes=1))
    for part in ("hostname-records", "hostname-watch", "hostname-panel"):
        assert host not in as_keeper.part(desk.address("index", ref), part).text.partition("History")[0], part
