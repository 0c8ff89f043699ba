"""The watch: what one look of the worker does."""

import re
from datetime import timedelta
from html import unescape

import pytest
from django.utils import timezone

from dashboard.features.hostname.services import watch
from dashboard.jobs import schedules
from dashboard.jobs.models import Schedule
from dashboard.journal.models import Entry
from dashboard.notifications.models import Notification
from dashboard.tokens.models import StoredToken
from tests.features.hostname.desk import NEWSLETTER, UPLOADS, Desk
from tests.features.service import Calls, Faults
from tests.pages import PageClient


def due() -> None:
    """Let the worker find every watch due, and look."""
    Schedule.objects.filter(kind=watch.WATCH).update(next_at=timezone.now())
    while schedules.run_due():
        pass


def watched(as_keeper: PageClient, desk: Desk, ref: str) -> None:
    as_keeper.get(desk.address("index", ref))
    assert as_keeper.post(desk.address("watch", ref), {"act": "start"}).status_code == 303


def test_setting_up_begins_to_watch_unless_told_not_to(as_keeper: PageClient, desk: Desk) -> None:
    ref = desk.project()
    as_keeper.post(desk.address("new", ref), {"custom_hostname": desk.host(), "anyway": "on", "watch": "on"})
    assert "Checking automatically" in as_keeper.get(desk.address("index", ref)).text
    ref = desk.project()
    as_keeper.post(desk.address("new", ref), {"custom_hostname": desk.host(), "anyway": "on"})
    assert "Check automatically, and we verify once the records are correct." in as_keeper.get(desk.address("index", ref)).text


def test_the_service_is_not_asked_while_the_records_look_wrong(as_keeper: PageClient, desk: Desk, calls: Calls) -> None:
    ref, _, _ = desk.set_up()
    watched(as_keeper, desk, ref)
    calls()
    due()
    assert calls() == [f"GET /v1/projects/{ref}/custom-hostname"]
    page = as_keeper.part(desk.address("index", ref), "hostname-watch")
    assert "seen=missing%20missing%20missing" in page.text


def test_could_not_ask_is_no_reason_to_ask_the_service(as_keeper: PageClient, desk: Desk, calls: Calls) -> None:
    ref, host, found = desk.set_up()
    desk.publish_all(ref, found)
    desk.dns({"action": "break", "name": host, "how": "servfail"})
    watched(as_keeper, desk, ref)
    calls()
    due()
    assert calls() == [f"GET /v1/projects/{ref}/custom-hostname"]


def test_it_asks_when_they_look_right_and_ends_when_all_is_verified(as_keeper: PageClient, desk: Desk) -> None:
    ref, _, found = desk.set_up()
    desk.publish_all(ref, found)
    watched(as_keeper, desk, ref)
    due()
    assert desk.management.hostname.get(ref).status.step == 3
    due()
    assert desk.management.hostname.get(ref).status.step == 3, "it was asked a moment ago"
    Schedule.objects.filter(kind=watch.WATCH).update(payload={**Schedule.objects.get().payload, "asked_at": None})
    due()
    assert desk.management.hostname.get(ref).status.step == 4
    assert not Schedule.objects.exists()
    assert "Ready to activate" in as_keeper.get(desk.address("index", ref)).text
    assert Entry.objects.filter(operation="M18").count() == 2


def test_what_it_sees_reaches_the_open_page(as_keeper: PageClient, desk: Desk, calls: Calls) -> None:
    ref, _, found = desk.set_up()
    watched(as_keeper, desk, ref)
    before = as_keeper.part(desk.address("index", ref), "hostname-watch")
    mark = before.text.split("?mark=")[1].split('"')[0]
    assert "HX-Trigger" not in as_keeper.part(f"{desk.address('index', ref)}?mark={mark}", "hostname-watch").headers
    desk.publish_all(ref, found)
    due()
    calls()
    after = as_keeper.part(f"{desk.address('index', ref)}?mark={mark}", "hostname-watch")
    assert after["HX-Trigger"] == "hostname:changed"
    assert calls() == []


def test_a_record_that_appears_reaches_the_open_page(as_keeper: PageClient, desk: Desk) -> None:
    ref, host, _ = desk.set_up()
    watched(as_keeper, desk, ref)
    due()
    address = re.findall(r'hx-get="([^"]+mark=[^"]+)"', as_keeper.part(desk.address("index", ref), "hostname-watch").text)[0]
    assert "HX-Trigger" not in as_keeper.part(unescape(address), "hostname-watch").headers
    desk.publish(host, "CNAME", f"{ref}.supabase.co")
    due()
    assert as_keeper.part(unescape(address), "hostname-watch")["HX-Trigger"] == "hostname-dns:changed"


def test_while_a_record_is_missing_verifying_is_not_the_first_thing_offered(as_keeper: PageClient, desk: Desk) -> None:
    def primary() -> list[str]:
        page = as_keeper.part(f"{desk.address('index', ref)}?check=now", "hostname-records").text
        return re.findall(r'button--primary"[^>]*>\s*(?:<svg.*?</svg>)?([^<]+?)\s*</button>', page, re.DOTALL)

    ref, _, found = desk.set_up()
    as_keeper.get(desk.address("index", ref))
    assert primary() == ["Check automatically"]
    as_keeper.send(desk.address("watch", ref), act="start")
    assert primary() == []
    desk.publish_all(ref, found)
    assert primary() == ["Verify now"]


def test_a_hostname_that_is_gone_ends_it(as_keeper: PageClient, desk: Desk) -> None:
    ref, _, _ = desk.set_up()
    watched(as_keeper, desk, ref)
    desk.management.hostname.delete(ref)
    due()
    assert not Schedule.objects.exists()


def test_it_can_be_stopped_and_ends_with_the_hostname(as_keeper: PageClient, desk: Desk) -> None:
    ref, host, _ = desk.set_up()
    watched(as_keeper, desk, ref)
    as_keeper.send(desk.address("watch", ref), act="stop")
    assert not Schedule.objects.exists()
    watched(as_keeper, desk, ref)
    as_keeper.send(desk.address("delete", ref), typed=host)
    assert not Schedule.objects.exists()


def test_it_checks_less_often_with_time_and_stops_after_a_month_with_a_word(as_keeper: PageClient, desk: Desk) -> None:
    ref, host, _ = desk.set_up()
    watched(as_keeper, desk, ref)
    pauses = []
    for age in (timedelta(), timedelta(minutes=20), timedelta(hours=2), timedelta(days=2)):
        timer = Schedule.objects.get()
        timer.payload["since"] = (timezone.now() - age).isoformat()
        timer.save()
        due()
        timer.refresh_from_db()
        assert timer.next_at
        assert timer.last_run_at
        pauses.append(round((timer.next_at - timer.last_run_at).total_seconds(), -1))
    assert pauses[1:] == [60, 300, 1800]
    assert pauses[0] < 60
    timer = Schedule.objects.get()
    timer.payload["since"] = (timezone.now() - timedelta(days=31)).isoformat()
    timer.save()
    due()
    assert not Schedule.objects.exists()
    assert Notification.objects.get().title == f"Automatic check of {host} stopped after 30 days"


def test_a_failing_service_is_said_and_tried_again_later(as_keeper: PageClient, desk: Desk, faults: Faults) -> None:
    ref, _, _ = desk.set_up()
    watched(as_keeper, desk, ref)
    faults("M15", status=429, retry_after=30)
    due()
    assert Schedule.objects.get().is_on
    assert "The last check failed" in as_keeper.part(desk.address("index", ref), "hostname-watch").text


def test_a_token_that_is_gone_ends_it_with_a_sentence(as_keeper: PageClient, desk: Desk) -> None:
    ref, _, _ = desk.set_up()
    watched(as_keeper, desk, ref)
    StoredToken.objects.all().delete()
    due()
    assert "no longer stored" in Schedule.objects.get().message


@pytest.mark.parametrize("ref", [UPLOADS, NEWSLETTER])
def test_there_is_nothing_to_watch_without_a_hostname(as_keeper: PageClient, desk: Desk, ref: str) -> None:
    assert as_keeper.post(desk.address("watch", ref), {"act": "start"}).status_code == 404
