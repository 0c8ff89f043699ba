"""Verifying a hostname."""

from datetime import timedelta

from django.utils import timezone

from dashboard.journal.models import Entry, Outcome
from dashboard.team.models import Person
from tests.features.hostname.desk import Desk
from tests.features.service import Calls
from tests.pages import PageClient


def test_verifying_moves_on_what_dns_shows(as_keeper: PageClient, desk: Desk) -> None:
    ref, _, found = desk.set_up()
    as_keeper.get(desk.address("index", ref))
    answer = as_keeper.send(desk.address("verification", ref))
    assert "Not verified yet. The service reports: custom hostname does not CNAME" in answer.text
    assert 'data-notice="info"' in answer.text
    desk.publish_all(ref, found)
    assert ": waiting for certificate" in as_keeper.send(desk.address("verification", ref)).text
    assert ": ready to activate" in as_keeper.send(desk.address("verification", ref)).text


def test_a_hostname_that_was_verified_meanwhile_is_said_and_the_page_looks_again(
    as_keeper: PageClient, desk: Desk, calls: Calls
) -> None:
    ref, host, found = desk.set_up()
    as_keeper.get(desk.address("index", ref))
    desk.publish_all(ref, found)
    desk.management.hostname.reverify(ref)
    desk.management.hostname.reverify(ref)
    calls()
    answer = as_keeper.send(desk.address("verification", ref))
    assert f"{host}: ready to activate." in answer.text
    assert "hostname:changed" in answer["HX-Trigger"]
    assert not [call for call in calls() if "reverify" in call]


def test_with_the_ownership_verified_the_certificate_record_is_next(as_keeper: PageClient, desk: Desk) -> None:
    ref, _, found = desk.set_up()
    assert found.ownership_record
    as_keeper.get(desk.address("index", ref))
    desk.publish(found.ownership_record.name, "TXT", found.ownership_record.value)
    answer = as_keeper.send(desk.address("verification", ref)).text
    assert "Ownership verified. Add the certificate record next." in answer
    assert "Not verified yet" not in answer


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
    assert not [call for call in calls() if "reverify" in call]
    Entry.objects.filter(started_at__lt=now - timedelta(seconds=44)).update(started_at=now - timedelta(seconds=90))
    assert as_keeper.send(desk.address("verification", ref)).status_code == 200
