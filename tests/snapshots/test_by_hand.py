"""Snapshots taken by hand where there is a schedule."""

from django.urls import reverse
from pytest_django import Settings

from dashboard.jobs.models import Job
from dashboard.snapshots import capture
from dashboard.team.models import Person, Role
from tests.catalog.conftest import Shelf, shelf
from tests.conftest import Sandbox
from tests.pages import PageClient, htmx
from tests.people import client_of, hold
from tests.snapshots.test_capture import in_a_folder
from tests.snapshots.test_schedule import address, look, save, taken_now, timer

__all__ = ["in_a_folder", "shelf"]


def test_it_ends_the_warning_of_the_failed_one(as_owner: PageClient, shelf: Shelf, settings: Settings) -> None:
    settings.SNAPSHOT_MAX_BYTES = 1
    shelf.put("a.txt", body=b"too large")
    save(as_owner, shelf)
    look()
    taken_now()
    due = timer().payload["due"]
    page = as_owner.get(address(shelf, "index")).text
    assert "The last one failed." in page
    assert page.count(timer().payload["failed"]) == 1, "not again in the row below"
    settings.SNAPSHOT_MAX_BYTES = 0
    as_owner.post(address(shelf, "new"), headers=htmx(""))
    taken_now()
    assert "The last one failed." not in as_owner.get(address(shelf, "index")).text
    _, by_hand = Job.objects.filter(kind=capture.TAKE).order_by("pk")
    assert (timer().payload["good"], timer().payload["due"]) == (by_hand.created_at.isoformat(), due)


def test_one_of_somebody_else_changes_nothing_in_the_schedule(
    as_owner: PageClient, shelf: Shelf, service: Sandbox, ada: Person
) -> None:
    shelf.put("a.txt")
    save(as_owner, shelf)
    look()
    taken_now()
    before = timer().payload
    hold(ada, service.storage_tokens[shelf.space]["service"], shelf.space)
    Person.objects.filter(pk=ada.pk).update(role=Role.OPERATOR)
    ada.refresh_from_db()
    client_of(ada).post(reverse("snapshots:new", args=[shelf.space, shelf.bucket]))
    assert Job.objects.filter(kind=capture.TAKE, owner=ada).exists()
    assert timer().payload == before
