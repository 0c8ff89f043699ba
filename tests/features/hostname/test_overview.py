"""The list of all hostnames: the list of projects with columns of its own, whose rows check DNS, too."""

import re
import time
from datetime import timedelta
from html import unescape

import pytest
from django.urls import reverse
from django.utils import timezone

from dashboard.facts.models import KeptFact
from dashboard.features.hostname.models import Known
from tests.features.home.desk import LIST, WAITING, cell, chips
from tests.features.hostname.desk import CAMPAIGN, LAB, NEWSLETTER, PORTFOLIO, SIGNAGE, STAGING, TRACKING, UPLOADS, Desk
from tests.features.service import FAILURES, Calls, Faults
from tests.pages import PageClient, htmx

PAGE = reverse("home:hostnames")
TRACK = "track.nordlicht-logistik.example"


@pytest.fixture
def active(desk: Desk) -> tuple[str, str]:
    return desk.active()


def read(client: PageClient, ref: str) -> str:
    """A row of the list, read just now."""
    answer = client.part(reverse("home:row", args=[ref]), "", view="hostnames")
    assert answer.status_code == 200
    return str(answer.text)


def age(*, place: str, **ago: float) -> None:
    """Let what was read of a place be older."""
    moment = timezone.now() - timedelta(**ago)
    KeptFact.objects.filter(place=place).update(tried_at=moment)
    Known.objects.filter(ref=place).update(read_at=moment)


def row(client: PageClient, ref: str) -> str:
    """A row of a project that was listed just now, and is due."""
    client.part(PAGE, WAITING)
    age(minutes=2, place=ref)
    return read(client, ref)


def listed(client: PageClient, **query: str) -> list[str]:
    """The refs of the rows that a filter leaves, without reading any."""
    return re.findall(r'title="[^"]* \(([a-z]{20})\)"', client.part(PAGE, LIST, **query).text)


def listed_by_home(client: PageClient, **query: str) -> str:
    return str(client.part("/", LIST, **query).text)


def state_in(html: str) -> str:
    return unescape(" ".join(re.sub(r"<[^>]+>", " ", html).split()))


def test_the_page_waits_for_nobody(as_keeper: PageClient, desk: Desk, calls: Calls, faults: Faults) -> None:
    faults("M1", delay=20)
    calls()
    started = time.monotonic()
    answer = as_keeper.get(PAGE)
    assert time.monotonic() - started < 5
    assert calls() == []
    assert f'href="{PAGE}?list=now"' in answer.text


def test_a_row_is_one_call(as_keeper: PageClient, desk: Desk, calls: Calls) -> None:
    page = as_keeper.part(PAGE, WAITING).text
    assert page.count('data-turn="1"') == page.count('class="overview__row"') - 1 >= 8, "all but the removed one"
    calls()
    assert TRACK in cell(read(as_keeper, TRACKING), "host")
    assert calls() == [f"GET /v1/projects/{TRACKING}/custom-hostname"]


@pytest.mark.parametrize(
    ("ref", "word"), [(STAGING, "Stuck"), (PORTFOLIO, "Ready to activate"), (TRACKING, "Active"), (UPLOADS, "Not set up")]
)
def test_home_and_this_list_have_one_word_for_a_state(as_keeper: PageClient, desk: Desk, ref: str, word: str) -> None:
    found = row(as_keeper, ref)
    assert word in cell(found, "hostname")
    assert f'href="{desk.address("index", ref)}"' in found
    home = as_keeper.part(reverse("home:row", args=[ref]), "").text
    assert f"Hostname: {word}" in cell(home, "hostname")
    assert "fact--since" not in home


def test_it_shows_no_raw_state(as_keeper: PageClient, desk: Desk) -> None:
    for ref, raw in {UPLOADS: "1_not_started", STAGING: "2_initiated"}.items():
        assert raw not in row(as_keeper, ref)
    assert "1_not_started" not in as_keeper.get(PAGE, {"list": "now"}).text


def test_those_that_need_something_come_first_and_are_counted(as_keeper: PageClient, desk: Desk) -> None:
    for ref in (TRACKING, UPLOADS, PORTFOLIO, STAGING, SIGNAGE, LAB):
        row(as_keeper, ref)
    found = listed(as_keeper)
    places = [found.index(ref) for ref in (STAGING, PORTFOLIO, TRACKING)]
    assert places == sorted(places)
    kinds = dict(chips(as_keeper.get(PAGE).text))
    assert f"{PAGE}?problem=hostname-stuck" in kinds
    assert STAGING in listed(as_keeper, problem="hostname-stuck")
    assert TRACKING not in listed(as_keeper, problem="hostname-stuck")


@pytest.mark.parametrize("failure", sorted(FAILURES.keys() - {"too many requests"}))
def test_a_failure_stays_in_its_row(as_keeper: PageClient, desk: Desk, faults: Faults, failure: str) -> None:
    as_keeper.part(PAGE, WAITING)
    KeptFact.objects.all().delete()
    faults("M15", **FAILURES[failure][0])
    found = read(as_keeper, TRACKING)
    assert "Unavailable" in cell(found, "hostname")
    assert "confirmed" not in found, "a failed read says nothing of a change"


def test_a_failure_keeps_what_was_read_before_and_says_how_old_it_is(
    as_keeper: PageClient, desk: Desk, active: tuple[str, str], faults: Faults
) -> None:
    ref, host = active
    desk.dns({"action": "remove", "name": host})
    row(as_keeper, ref)
    hours = timezone.now() - timedelta(hours=3)
    KeptFact.objects.filter(place=ref).update(read_at=hours, tried_at=hours)
    faults("M15", status=500)
    found = read(as_keeper, ref)
    assert "DNS broken" in cell(found, "hostname")
    assert "Not updated: The management service returned an error (500)." in found
    assert "as of 3 hours ago" in found
    assert host in cell(found, "host")


def test_a_refusal_shows_nothing_of_before(as_keeper: PageClient, desk: Desk, faults: Faults) -> None:
    assert TRACK in row(as_keeper, TRACKING)
    faults("M15", status=403)
    found = row(as_keeper, TRACKING)
    assert "Unavailable" in cell(found, "hostname")
    assert TRACK not in found


def test_a_service_that_asks_to_slow_down_keeps_the_row_and_its_turn(as_keeper: PageClient, desk: Desk, faults: Faults) -> None:
    row(as_keeper, TRACKING)
    age(minutes=2, place=TRACKING)
    faults("M15", status=429, retry_after=30)
    answer = as_keeper.part(reverse("home:row", args=[TRACKING]), "", view="hostnames")
    assert int(answer["Retry-After"]) > 25
    assert "data-turn" in answer.text
    assert TRACK in answer.text


def test_what_was_read_within_a_minute_is_not_read_again_and_an_open_page_waits_for_five(
    as_keeper: PageClient, desk: Desk
) -> None:
    found = row(as_keeper, TRACKING)
    assert "data-turn" not in found
    assert 'data-later="300"' in found
    for seconds, is_due in ((40, False), (80, True)):
        age(seconds=seconds, place=TRACKING)
        assert ("data-turn" in as_keeper.part(PAGE, LIST, q=TRACKING).text) is is_due


def test_without_script_a_row_leads_to_the_hostname(as_keeper: PageClient, desk: Desk) -> None:
    answer = as_keeper.get(reverse("home:row", args=[TRACKING]), {"view": "hostnames"})
    assert (answer.status_code, answer["Location"]) == (302, desk.address("index", TRACKING))


def test_an_active_hostname_whose_record_is_gone_reads_dns_broken(
    as_keeper: PageClient, desk: Desk, active: tuple[str, str], calls: Calls
) -> None:
    ref, host = active
    assert "Active" in cell(row(as_keeper, ref), "hostname")
    desk.dns({"action": "remove", "name": host})
    broken = row(as_keeper, ref)
    assert "DNS broken" in cell(broken, "hostname")
    assert f"CNAME {host}: missing" in state_in(broken)
    assert ">Fix DNS</a>" in broken
    calls()
    assert ref in listed(as_keeper, state="DNS broken"), "as last seen, without looking again"
    assert calls() == []
    desk.publish(host, "CNAME", f"{ref}.supabase.co")
    assert "Active" in cell(row(as_keeper, ref), "hostname")


def test_a_row_finds_in_dns_what_the_projects_page_finds(as_keeper: PageClient, desk: Desk) -> None:
    ref, host, _ = desk.set_up()
    assert f"CNAME {host}: missing" in state_in(row(as_keeper, ref))
    page = as_keeper.get(desk.address("index", ref, check="now")).text
    assert "Add these 3 records at your DNS provider." in state_in(page)
    desk.publish(host, "CNAME", f"elsewhere.{host}")
    assert f"CNAME {host}: wrong value" in state_in(row(as_keeper, ref))


def test_home_says_which_record_is_missing_once_it_was_looked_for(as_keeper: PageClient, desk: Desk) -> None:
    assert LAB not in listed_by_home(as_keeper, problem="hostname-records")
    assert "Fix DNS" in row(as_keeper, LAB)
    assert LAB in listed_by_home(as_keeper, problem="hostname-records")
    home = state_in(as_keeper.part("/", LIST, q=LAB).text)
    assert re.search(r"\w+ [\w.-]+: missing", home)
    assert "Fix DNS" in home


def test_the_check_on_the_projects_page_is_known_to_the_list(as_keeper: PageClient, desk: Desk, active: tuple[str, str]) -> None:
    ref, host = active
    row(as_keeper, ref)
    desk.dns({"action": "remove", "name": host})
    page = as_keeper.get(desk.address("index", ref, check="now"))
    assert ">DNS broken</span>" in page.text
    assert ref in listed(as_keeper, state="DNS broken")
    desk.publish(host, "CNAME", f"{ref}.supabase.co")
    assert "DNS broken" not in as_keeper.get(desk.address("index", ref, check="now")).text


def test_a_row_of_home_looks_up_no_records(as_keeper: PageClient, desk: Desk, active: tuple[str, str]) -> None:
    ref, host = active
    desk.dns({"action": "remove", "name": host})
    as_keeper.part(PAGE, WAITING)
    as_keeper.part(reverse("home:row", args=[ref]), "")
    assert ref not in listed(as_keeper, state="DNS broken")
    assert "data-turn" in as_keeper.part(PAGE, LIST, q=ref).text, "so it is due here at once"
    assert "DNS broken" in read(as_keeper, ref)
    assert "data-turn" not in as_keeper.part(PAGE, LIST, q=ref).text


def test_a_removed_project_reads_removed_and_is_not_asked(as_keeper: PageClient, desk: Desk) -> None:
    as_keeper.part(PAGE, WAITING)
    page = as_keeper.part(PAGE, LIST, q=CAMPAIGN).text
    assert "Removed" in cell(page, "state")
    assert 'hx-trigger="turn"' not in page
    assert CAMPAIGN in listed(as_keeper, state="Removed")


def test_resolvers_that_do_not_answer_change_nothing(as_keeper: PageClient, desk: Desk, active: tuple[str, str]) -> None:
    ref, host = active
    desk.dns({"action": "break", "name": host, "how": "servfail"})
    found = row(as_keeper, ref)
    assert "Active" in cell(found, "hostname")
    assert "No resolver answered, so DNS wasn't checked." in state_in(found)


@pytest.mark.parametrize(
    ("ref", "step"),
    [(UPLOADS, "Set up hostname"), (NEWSLETTER, ""), (PORTFOLIO, "Activate hostname"), (TRACKING, ""), (SIGNAGE, "Fix")],
)
def test_each_row_names_its_next_step(as_keeper: PageClient, desk: Desk, ref: str, step: str) -> None:
    found = re.findall(r'<a class="button[^"]*" href="([^"]*)"\s+aria-label="[^"]*">([^<]*)</a>', row(as_keeper, ref))
    assert [address for address, _ in found] == ([desk.address("index", ref)] if step else [])
    assert all(words.startswith(step) for _, words in found)


def test_a_row_says_whether_it_is_checked_automatically(as_keeper: PageClient, desk: Desk) -> None:
    ref, _, _ = desk.set_up()
    assert ">Off<" in cell(row(as_keeper, ref), "check")
    as_keeper.get(desk.address("index", ref))
    as_keeper.send(desk.address("watch", ref), act="start")
    assert ">Until verified<" in cell(row(as_keeper, ref), "check")
    as_keeper.send(desk.address("watch", ref), act="stop")
    assert ">Off<" in cell(row(as_keeper, ref), "check")
    assert "fact__text" not in cell(row(as_keeper, UPLOADS), "check"), "there is nothing to check"


def test_it_is_searched_by_hostname_and_filtered_grouped_and_sorted_by_state(as_keeper: PageClient, desk: Desk) -> None:
    for ref in (TRACKING, UPLOADS, PORTFOLIO):
        row(as_keeper, ref)
    assert listed(as_keeper, q="TRACK.nordlicht") == [TRACKING]
    assert UPLOADS not in listed(as_keeper, q="nordlicht")
    assert TRACKING in listed(as_keeper, state="Active", q="nordlicht")
    assert UPLOADS in listed(as_keeper, state="Not set up")
    page = as_keeper.get(PAGE, {"state": "Active", "q": "track"}).text
    assert '<option value="Active" selected>' in page
    assert "view=" not in page.partition('id="home-list"')[2].partition("<tbody")[0]
    assert ">Not set up</th>" in as_keeper.part(PAGE, LIST, group="state").text
    found = [ref for ref in listed(as_keeper, sort="hostname") if ref in (TRACKING, UPLOADS, PORTFOLIO)]
    assert found == [UPLOADS, PORTFOLIO, TRACKING]
    assert listed(as_keeper, sort="-host")[0] == TRACKING


def test_a_row_that_was_never_read_stays_until_it_is_known_not_to_match(as_keeper: PageClient, desk: Desk) -> None:
    as_keeper.part(PAGE, WAITING)
    KeptFact.objects.filter(place=TRACKING).delete()
    assert TRACKING in listed(as_keeper, state="Not set up")
    assert "Healthy" not in re.findall(r'<option value="([^"]*)"', as_keeper.get(PAGE).text), (
        "the project's state isn't asked for"
    )
    row(as_keeper, TRACKING)
    assert TRACKING not in listed(as_keeper, state="Not set up")


def test_what_was_so_before_the_first_look_is_at_least_that_old(as_keeper: PageClient, desk: Desk) -> None:
    ref, _, found = desk.set_up()
    assert re.search(r"At least since \d\d:\d\d UTC", cell(row(as_keeper, ref), "since"))
    desk.publish_all(ref, found)
    desk.management.hostname.reverify(ref)
    changed = row(as_keeper, ref)
    assert "Waiting for certificate" in cell(changed, "hostname")
    assert "At least" not in cell(changed, "since")


def test_a_check_that_took_longer_than_a_minute_ends(as_keeper: PageClient, active: tuple[str, str]) -> None:
    """Its last row asks for the list in its order. What was checked first is not checked again for that."""
    row(as_keeper, TRACKING)
    age(minutes=5, place=TRACKING)
    assert "data-turn" in as_keeper.part(PAGE, LIST, q=TRACKING).text
    found = as_keeper.get(PAGE, {"q": TRACKING}, headers={**htmx(LIST), "HX-Trigger": "home-checked"}).text
    assert TRACKING in found
    assert "data-turn" not in found
