"""Setting up, verifying, activating and deleting."""

import json
from datetime import timedelta

import pytest
from django.utils import timezone

from dashboard.features.hostname.models import Known
from dashboard.interfaces import errors
from dashboard.journal.models import Entry, Outcome
from dashboard.team.models import Person
from tests.features.hostname.desk import NEWSLETTER, PORTFOLIO, STAGING, TRACKING, UPLOADS, Desk
from tests.features.service import Calls, Faults
from tests.pages import PageClient

TICKED = {"redirects": "on", "callers": "on", "links": "on", "record": "on", "window": "on"}


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


def test_verifying_moves_on_what_dns_shows(as_keeper: PageClient, desk: Desk) -> None:
    ref, _, found = desk.set_up()
    as_keeper.get(desk.address("index", ref))
    answer = as_keeper.send(desk.address("verification", ref))
    assert "Not verified yet. It reports: custom hostname does not CNAME" in answer.text
    assert 'data-notice="info"' in answer.text
    desk.publish_all(ref, found)
    assert ": waiting for certificate" in as_keeper.send(desk.address("verification", ref)).text
    assert ": ready to activate" in as_keeper.send(desk.address("verification", ref)).text
    refused = as_keeper.send(desk.address("verification", ref))
    assert refused.status_code == 422
    assert "please proceed to activation" in refused.text


def test_with_the_ownership_verified_the_certificate_record_is_next(as_keeper: PageClient, desk: Desk) -> None:
    ref, _, found = desk.set_up()
    assert found.ownership_record
    as_keeper.get(desk.address("index", ref))
    desk.publish(found.ownership_record.name, "TXT", found.ownership_record.value)
    answer = as_keeper.send(desk.address("verification", ref)).text
    assert "Ownership verified. Add the certificate record next." in answer
    assert "Not verified yet" not in answer


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


def test_no_minute_sees_more_than_ten_calls(as_keeper: PageClient, desk: Desk, calls: Calls, owner: Person) -> None:
    ref, _, _ = desk.set_up()
    as_keeper.get(desk.address("index", ref))
    now = timezone.now()
    Entry.objects.bulk_create(
        Entry(person=owner, operation="M18", place=ref, outcome=Outcome.DONE, started_at=now - timedelta(seconds=age), status=201)
        for age in (5, 10, 15, 20, 25, 30, 35, 40, 45, 50)
    )
    calls()
    answer = as_keeper.send(desk.address("verification", ref))
    assert answer.status_code == 422
    assert "Nothing was sent" in answer.text
    assert calls() == []
    Entry.objects.filter(started_at__lt=now - timedelta(seconds=44)).update(started_at=now - timedelta(seconds=90))
    assert as_keeper.send(desk.address("verification", ref)).status_code == 200


def test_activating_wants_every_tick(as_keeper: PageClient, desk: Desk, calls: Calls) -> None:
    assert "Sign-in redirects are ready" in as_keeper.part(desk.address("activation", PORTFOLIO), "dialog").text
    for left_out in TICKED:
        ticks = {name: on for name, on in TICKED.items() if name != left_out}
        answer = as_keeper.send(desk.address("activation", PORTFOLIO), **ticks)
        assert answer.status_code == 422
        assert "Confirm this point." in answer.text
    assert not [call for call in calls() if "activate" in call]


def test_it_activates(as_keeper: PageClient, desk: Desk) -> None:
    ref, host, found = desk.set_up()
    desk.publish_all(ref, found)
    too_early = as_keeper.send(desk.address("activation", ref), **TICKED)
    assert too_early.status_code == 422
    assert "Verification has not been completed." in too_early.text
    desk.management.hostname.reverify(ref)
    desk.management.hostname.reverify(ref)
    assert f"{host} is active." in as_keeper.send(desk.address("activation", ref), **TICKED).text
    assert desk.management.hostname.get(ref).status.step == 5


def test_deleting_wants_the_name_and_remembers_it(as_keeper: PageClient, desk: Desk) -> None:
    ref, host, _ = desk.set_up()
    as_keeper.get(desk.address("index", ref))
    assert as_keeper.send(desk.address("delete", ref), typed=host.upper()).status_code == 422
    answer = as_keeper.post(desk.address("delete", ref), {"typed": host})
    assert (answer.status_code, answer["Location"]) == (303, desk.address("index", ref))
    with pytest.raises(errors.NotFound):
        desk.management.hostname.get(ref)
    after = as_keeper.get(desk.address("index", ref))
    assert "Set up again" in after.text
    assert host in as_keeper.get(desk.address("new", ref, hostname=host)).text


@pytest.mark.parametrize("view", ["verification", "activation", "delete"])
def test_without_a_hostname_there_is_nothing_to_act_on(as_keeper: PageClient, desk: Desk, view: str) -> None:
    for ref in (UPLOADS, NEWSLETTER):
        assert as_keeper.post(desk.address(view, ref), TICKED).status_code == 404


@pytest.mark.parametrize(
    ("operation", "view"), [("M17", "new"), ("M18", "verification"), ("M19", "activation"), ("M16", "delete")]
)
def test_a_refusal_stands_at_the_act_and_a_lost_answer_is_unknown(
    as_keeper: PageClient, desk: Desk, faults: Faults, operation: str, view: str
) -> None:
    data = {"custom_hostname": "api.lost.example", "anyway": "on", "typed": "track-staging.nordlicht-logistik.example", **TICKED}
    as_keeper.get(desk.address("index", STAGING))
    faults(operation, status=429, retry_after=30)
    answer = as_keeper.send(desk.address(view, STAGING), **data)
    assert answer.status_code == 422
    assert "Try again at" in answer.text
    faults(operation, cut="before")
    assert "The outcome is unknown" in as_keeper.send(desk.address(view, STAGING), **data).text
    assert Entry.objects.filter(operation=operation).first().outcome == Outcome.UNKNOWN  # type: ignore[union-attr] # it is there


def test_a_hostname_that_is_gone_already_is_said_and_the_page_looks_again(as_keeper: PageClient, desk: Desk) -> None:
    ref = desk.project()
    answer = as_keeper.send(desk.address("delete", ref), typed="x")
    assert "The custom hostname was already deleted." in answer.text
    assert "hostname:changed" in answer["HX-Trigger"]
