"""The daily check of an active hostname, its owner, and what becomes of its findings: fleet, Home, history."""

import re

import pytest
from django.urls import reverse
from django.utils import timezone

from dashboard.features.hostname.models import Event
from dashboard.features.hostname.services import watch
from dashboard.jobs import schedules
from dashboard.jobs.models import Schedule
from dashboard.team.models import Person
from dashboard.tokens.models import StoredToken
from tests.features.hostname.desk import PORTFOLIO, TICKED, Desk
from tests.features.hostname.test_certificate import certificate
from tests.features.hostname.test_overview import listed, row, state_in
from tests.features.service import Calls, Faults
from tests.pages import PageClient
from tests.people import client_of, hold

TAKE_OVER = "Take over the daily check"


def due() -> None:
    """Let the worker find every daily check due."""
    Schedule.objects.filter(kind=watch.DAILY, next_at__isnull=False).update(next_at=timezone.now())
    while schedules.run_due():
        pass


@pytest.fixture
def active(as_keeper: PageClient, desk: Desk) -> tuple[str, str]:
    """An active hostname that the keeper has checked daily, once so far."""
    ref, host = desk.active()
    as_keeper.send(desk.address("daily", ref), act="start")
    due()
    return ref, host


@pytest.fixture
def colleague(ada: Person, desk: Desk) -> PageClient:
    """Somebody with a token of their own, for one of the two organizations."""
    hold(ada, desk.reader_token())
    return client_of(ada)


def attention(client: PageClient, ref: str) -> str:
    """What Home says that a project needs, once it has read it."""
    client.part(reverse("home:index"), "home-waiting")
    return state_in(client.part(reverse("home:row", args=[ref]), "").text.partition('class="overview__next"')[2])


def history(client: PageClient, desk: Desk, ref: str) -> list[str]:
    rows = re.findall(r'<li class="seen__row">(.*?)</li>', client.get(desk.address("index", ref)).text, re.DOTALL)
    return [re.sub(r"^just now |^\d+ seconds? ago ", "", state_in(row)) for row in rows]


def test_activating_starts_the_daily_check_for_the_person_who_activated(as_keeper: PageClient, owner: Person, desk: Desk) -> None:
    ref, _, found = desk.set_up()
    desk.publish_all(ref, found)
    while desk.management.hostname.get(ref).status.step != 4:
        desk.management.hostname.reverify(ref)
    as_keeper.send(desk.address("activation", ref), **TICKED)
    schedule = Schedule.objects.get(kind=watch.DAILY)
    assert (schedule.key, schedule.owner) == (ref, owner)
    assert "Checking" in certificate(as_keeper, desk, ref)
    due()
    shown = certificate(as_keeper, desk, ref)
    assert "State Verified" in shown
    assert "Records and certificate are checked daily for you." in shown


def test_a_run_reads_the_state_once_and_comes_back_in_a_day(active: tuple[str, str], calls: Calls) -> None:
    calls()
    due()
    assert calls() == [f"GET /v1/projects/{active[0]}/custom-hostname"]
    next_at = Schedule.objects.get().next_at
    assert next_at
    assert round((next_at - timezone.now()).total_seconds() / 3600) == 24


def test_while_something_is_broken_it_comes_back_in_an_hour(desk: Desk, active: tuple[str, str]) -> None:
    desk.serve(active[1], "expired")
    due()
    next_at = Schedule.objects.get().next_at
    assert next_at
    assert round((next_at - timezone.now()).total_seconds() / 60) == 60


def test_an_expired_certificate_reaches_fleet_and_home(as_keeper: PageClient, desk: Desk, active: tuple[str, str]) -> None:
    ref, host = active
    assert "certificate" not in attention(as_keeper, ref)
    desk.serve(host, "expired")
    due()
    assert "Certificate invalid" in state_in(row(as_keeper, ref))
    assert "It has expired." in state_in(row(as_keeper, ref))
    assert ">Check certificate</a>" in row(as_keeper, ref)
    assert ref in listed(as_keeper, state="Certificate invalid")
    assert "The certificate is invalid. It has expired. Check certificate" in attention(as_keeper, ref)


def test_a_missing_record_reaches_home(as_keeper: PageClient, desk: Desk, active: tuple[str, str]) -> None:
    ref, host = active
    desk.dns({"action": "remove", "name": host})
    due()
    assert f"CNAME {host}: missing Fix DNS" in attention(as_keeper, ref)
    desk.publish(host, "CNAME", f"{ref}.supabase.co")
    due()
    assert "missing" not in attention(as_keeper, ref)


def test_home_fixes_dns_before_it_activates(as_keeper: PageClient, desk: Desk) -> None:
    ref, host, found = desk.set_up()
    desk.publish_all(ref, found)
    while desk.management.hostname.get(ref).status.step != 4:
        desk.management.hostname.reverify(ref)
    assert f"{host} is ready to activate Activate hostname" in attention(as_keeper, ref)
    desk.dns({"action": "remove", "name": host})
    as_keeper.get(desk.address("index", ref, check="now"))
    assert f"CNAME {host}: missing Fix DNS" in attention(as_keeper, ref)


def test_a_colleague_with_a_token_of_their_own_sees_what_it_found(
    owner: Person, colleague: PageClient, desk: Desk, active: tuple[str, str]
) -> None:
    ref, host = active
    desk.dns({"action": "remove", "name": host})
    due()
    assert ref not in listed(colleague, state="DNS broken"), "not before the own token read it"
    assert "DNS broken" in state_in(row(colleague, ref))
    assert f"checked daily for {owner}" in certificate(colleague, desk, ref)


def test_when_the_owner_leaves_the_projects_people_are_asked_and_one_takes_over(
    owner: Person, ada: Person, colleague: PageClient, desk: Desk, active: tuple[str, str]
) -> None:
    ref, host = active
    Person.objects.filter(pk=owner.pk).update(is_active=False)
    assert f"The daily check of {host} ended. Its owner can no longer sign in. {TAKE_OVER}" in attention(colleague, ref)
    found = row(colleague, ref)
    assert ">Ended<" in found
    assert f">{TAKE_OVER}</a>" in found
    assert TAKE_OVER in certificate(colleague, desk, ref)
    due()
    assert not Schedule.objects.get().is_on
    colleague.send(desk.address("daily", ref), act="start")
    due()
    assert Schedule.objects.get().owner == ada
    assert TAKE_OVER not in attention(colleague, ref)
    assert "checked daily for you" in certificate(colleague, desk, ref)


def test_a_missing_token_of_the_owner_ends_it_and_asks(owner: Person, colleague: PageClient, active: tuple[str, str]) -> None:
    StoredToken.objects.filter(person=owner).delete()
    due()
    assert "Its owner's management token is no longer stored." in attention(colleague, active[0])


def test_records_and_certificate_are_checked_while_the_service_fails(
    as_keeper: PageClient, desk: Desk, active: tuple[str, str], faults: Faults
) -> None:
    ref, host = active
    desk.serve(host, "expired")
    faults("M15", status=500)
    due()
    assert Schedule.objects.get().is_on
    assert "State Invalid Problem It has expired." in certificate(as_keeper, desk, ref)


def test_it_can_be_stopped_and_ends_with_the_hostname(as_keeper: PageClient, desk: Desk, active: tuple[str, str]) -> None:
    ref, host = active
    as_keeper.send(desk.address("daily", ref), act="stop")
    assert not Schedule.objects.exists()
    as_keeper.send(desk.address("daily", ref), act="start")
    as_keeper.send(desk.address("delete", ref), typed=host)
    assert not Schedule.objects.exists()


def test_one_switch_starts_it_for_all_active_hostnames_and_stops_the_own_ones(
    as_keeper: PageClient, owner: Person, ada: Person, desk: Desk, calls: Calls
) -> None:
    (ref, _), (other, _) = desk.active(), desk.active()
    for one in (ref, other, PORTFOLIO):
        row(as_keeper, one)
    Schedule.objects.create(kind=watch.DAILY, key=other, owner=ada, every=86400, next_at=timezone.now())
    calls()
    switch = reverse("hostnames:daily")
    assert "started." in as_keeper.send(switch, "", act="start").text
    assert calls() == []
    assert Schedule.objects.get(key=ref).owner == owner
    assert Schedule.objects.get(key=other).owner == ada, "that of a colleague goes on"
    assert not Schedule.objects.filter(key=PORTFOLIO), "it isn't active"
    assert ">Daily<" in row(as_keeper, ref)
    assert "checked daily already" in as_keeper.send(switch, "", act="start").text
    assert "stopped." in as_keeper.send(switch, "", act="stop").text
    assert [timer.owner for timer in Schedule.objects.all()] == [ada]
    assert "No hostname is checked daily for you." in as_keeper.send(switch, "", act="stop").text


def turn(client: PageClient) -> str:
    """The switch below the list of hostnames: its state, the act of a press, and the words."""
    found = client.get(reverse("home:hostnames")).text.partition('class="home__turned"')[2].partition("</form>")[0]
    state = re.search(r'value="(\w+)"\s+aria-checked="(\w+)"', found)
    words = found.partition('id="home-turned-words">')[2].partition("<")[0]
    marks = [mark for mark in ("switch--some", "disabled") if mark in found]
    return " ".join(filter(None, [*(state.groups()[::-1] if state else ()), *marks, words]))


def test_the_switch_for_all_says_whether_it_is_on_in_all_some_or_none(
    as_keeper: PageClient, owner: Person, ada: Person, desk: Desk
) -> None:
    as_keeper.part(reverse("home:hostnames"), "home-waiting")
    assert turn(as_keeper) == "", "no hostname is known to be active"
    (ref, _), (other, _) = desk.active(), desk.active()
    as_keeper.get(f"{reverse('home:hostnames')}?list=now")
    for one in (ref, other):
        row(as_keeper, one)
    assert turn(as_keeper) == "false start"
    as_keeper.send(desk.address("daily", ref), act="start")
    assert turn(as_keeper) == "false start switch--some 1 of 2 active hostnames"
    as_keeper.send(reverse("hostnames:daily"), "", act="start")
    assert turn(as_keeper) == "true stop"
    Schedule.objects.filter(key=other).update(owner=ada)
    assert turn(as_keeper) == "true stop 1 of 2 for others"
    Schedule.objects.update(owner=ada)
    assert turn(as_keeper) == "true stop disabled 2 of 2 for others", "theirs go on"
    Person.objects.filter(pk=ada.pk).update(is_active=False)
    assert turn(as_keeper) == "false start", "one that ended is off"


def test_a_hostname_deleted_elsewhere_ends_it(desk: Desk, active: tuple[str, str]) -> None:
    desk.management.hostname.delete(active[0])
    due()
    assert not Schedule.objects.exists()


def test_nobody_starts_or_stops_it_without_access_to_the_project(colleague: PageClient, owner: Person, desk: Desk) -> None:
    Schedule.objects.create(kind=watch.DAILY, key=PORTFOLIO, owner=owner, every=86400, next_at=timezone.now())
    for act in ("stop", "start"):
        assert "Your token may not do this" in colleague.post(desk.address("daily", PORTFOLIO), {"act": act}).text
    assert Schedule.objects.get().owner == owner


def test_the_history_tells_when_states_findings_and_certificates_were_first_seen(
    as_keeper: PageClient, colleague: PageClient, desk: Desk, active: tuple[str, str]
) -> None:
    ref, host = active
    before = history(as_keeper, desk, ref)
    assert re.fullmatch(r"Certificate Verified: Pilothouse sandbox, until \d{4}-\d\d-\d\d", before[0])
    assert before[1:] == ["DNS All records correct", "State Active 5_services_reconfigured"]
    due()
    assert history(as_keeper, desk, ref) == before, "nothing changed"
    desk.dns({"action": "remove", "name": host})
    desk.serve(host, "self-signed")
    due()
    after = history(colleague, desk, ref)
    assert after[2:] == before
    # Without its CNAME the name has no address.
    assert after[:2] == ["Certificate Not checked: The name has no address.", f"DNS CNAME {host}: missing"]
    as_keeper.send(desk.address("delete", ref), typed=host)
    assert Event.objects.filter(ref=ref).latest("pk").value == "1_not_started"
