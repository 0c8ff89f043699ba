"""Snapshots that are taken by a schedule, and how long they are kept."""

from datetime import timedelta

import msgspec
import pytest
from django.core.exceptions import ValidationError
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings

from dashboard.features.snapshots import tasks
from dashboard.jobs import schedules
from dashboard.jobs.models import Job, Schedule, State
from dashboard.notifications.models import Notification
from dashboard.snapshots import capture, schedule
from dashboard.snapshots.manifest import read_heads, write_head
from dashboard.snapshots.store import Store, StoreError
from dashboard.team.models import Person, Role
from dashboard.team.services import hand_over
from dashboard.tokens.models import StoredToken
from tests.catalog.conftest import Shelf, shelf
from tests.conftest import Sandbox
from tests.features.grants import lend
from tests.features.home.desk import WAITING
from tests.pages import PageClient, htmx
from tests.people import client_of, hold
from tests.snapshots.test_capture import ended, in_a_folder, run

__all__ = ["in_a_folder", "shelf"]


def address(shelf: Shelf, name: str = "schedule") -> str:
    return reverse(f"snapshots:{name}", args=[shelf.space, shelf.bucket])


def save(client: PageClient, shelf: Shelf, every: str = "daily", last: int = 7, days: int = 30) -> str:
    return client.post(address(shelf), {"every": every, "last": last, "days": days}, headers=htmx("dialog")).text


def timer() -> Schedule:
    return Schedule.objects.get(kind=schedule.KIND)


def look() -> None:
    """Let the schedule look now, as a worker does."""
    Schedule.objects.filter(kind=schedule.KIND, next_at__isnull=False).update(next_at=timezone.now())
    while schedules.run_due():
        pass


def a_day_later() -> None:
    """Let the next one be due."""
    found = timer()
    Schedule.objects.filter(pk=found.pk).update(payload={**found.payload, "due": timezone.now().isoformat()})
    look()


def taken_now() -> None:
    """Look, let the job end, and look what became of it."""
    ended(Job.objects.filter(kind=capture.TAKE).latest("pk"))
    look()


def aged(days: int, number: int) -> None:
    """Add a copy of the last snapshot that is older."""
    head = read_heads(capture.store())[-1]
    begun = timezone.now() - timedelta(days=days)
    write_head(capture.store(), msgspec.structs.replace(head, id=f"{begun:%Y%m%dT%H%M%SZ}-{number}", begun=begun))


def kept_days() -> list[int]:
    return [(timezone.now() - head.begun).days for head in read_heads(capture.store())]


def test_it_takes_one_at_once_and_the_next_after_a_day(as_owner: PageClient, shelf: Shelf) -> None:
    shelf.put("a.txt")
    assert "Snapshots are taken daily." in save(as_owner, shelf)
    assert "The next one begins within a minute." in as_owner.get(address(shelf, "index")).text
    look()
    assert "The next one is due" in as_owner.get(address(shelf, "index")).text
    assert Job.objects.filter(kind=capture.TAKE).count() == 1
    soon = timer().next_at
    assert soon
    assert soon < timezone.now() + timedelta(seconds=61)
    taken_now()
    assert len(read_heads(capture.store())) == 1
    later = timer().next_at
    assert later
    assert timedelta(hours=23) < later - timezone.now() <= timedelta(days=1)
    look()
    assert Job.objects.filter(kind=capture.TAKE).count() == 1
    a_day_later()
    taken_now()
    assert len(read_heads(capture.store())) == 2
    page = as_owner.get(address(shelf, "index")).text
    assert "Taken daily for you." in page
    assert "The last 7 and those of 30 days are kept, and always the last one with files." in " ".join(page.split())


def test_weekly_means_seven_days(as_owner: PageClient, shelf: Shelf) -> None:
    save(as_owner, shelf, "weekly")
    look()
    taken_now()
    later = timer().next_at
    assert later
    assert timedelta(days=6, hours=23) < later - timezone.now() <= timedelta(days=7)


def test_a_change_does_not_take_one_before_it_is_due(as_owner: PageClient, shelf: Shelf) -> None:
    save(as_owner, shelf)
    look()
    taken_now()
    save(as_owner, shelf, last=3)
    look()
    assert Job.objects.filter(kind=capture.TAKE).count() == 1
    assert 'value="3"' in as_owner.get(address(shelf)).text


def test_the_last_ones_and_the_young_ones_are_kept(as_owner: PageClient, shelf: Shelf) -> None:
    shelf.put("a.txt")
    run(shelf)
    for number, days in enumerate((40, 30, 12, 8)):
        aged(days, number)
    save(as_owner, shelf, last=2, days=10)
    look()
    taken_now()
    ended(Job.objects.get(kind="delete snapshots"))
    assert kept_days() == [8, 0, 0]
    assert schedule.outdated(read_heads(capture.store()), timer().payload) == []


def test_the_last_ones_are_kept_however_old(as_owner: PageClient, shelf: Shelf) -> None:
    run(shelf)
    for number, days in enumerate((400, 300, 200)):
        aged(days, number)
    save(as_owner, shelf, last=3, days=0)
    look()
    taken_now()
    ended(Job.objects.get(kind="delete snapshots"))
    assert kept_days() == [200, 0, 0]


def test_the_last_snapshot_with_files_is_kept_when_the_bucket_was_emptied(as_owner: PageClient, shelf: Shelf) -> None:
    shelf.put("a.txt", body=b"all there was")
    run(shelf)
    for number, days in enumerate((90, 60)):
        aged(days, number)
    first = read_heads(capture.store())[-1]
    capture.store().remove(first.path)
    shelf.storage.objects.delete_many(shelf.bucket, ["a.txt"])
    run(shelf)
    aged(30, 2)
    save(as_owner, shelf, last=1, days=0)
    look()
    taken_now()
    ended(Job.objects.get(kind="delete snapshots"))
    assert kept_days() == [60, 0]
    assert [head.objects for head in read_heads(capture.store())] == [1, 0]


def test_files_that_are_left_out_are_told_once(as_owner: PageClient, owner: Person, shelf: Shelf, settings: Settings) -> None:
    settings.SNAPSHOT_MAX_FILE_BYTES = 10
    shelf.put("small.txt", body=b"x")
    shelf.put("large.txt", "larger.txt", body=b"more than ten")
    save(as_owner, shelf)
    look()
    taken_now()
    a_day_later()
    taken_now()
    (told,) = Notification.objects.filter(person=owner)
    assert told.title == f"Done, 2 files left out: Take a snapshot of {shelf.bucket}"


def test_snapshots_of_other_tokens_are_kept(as_owner: PageClient, shelf: Shelf) -> None:
    run(shelf)
    aged(100, 1)
    (old, _) = read_heads(capture.store())
    write_head(capture.store(), msgspec.structs.replace(old, token="0" * 32))
    save(as_owner, shelf, last=1, days=0)
    look()
    taken_now()
    ended(Job.objects.get(kind="delete snapshots"))
    assert kept_days() == [100, 0]


def test_a_failed_snapshot_deletes_nothing_and_is_told(
    as_owner: PageClient, owner: Person, shelf: Shelf, settings: Settings
) -> None:
    run(shelf)
    aged(100, 1)
    settings.SNAPSHOT_MAX_BYTES = 1
    shelf.put("a.txt", body=b"too large")
    save(as_owner, shelf, last=1, days=0)
    look()
    taken_now()
    assert not Job.objects.filter(kind="delete snapshots").exists()
    page = as_owner.get(address(shelf, "index")).text
    assert "The last one failed." in page
    assert "SNAPSHOT_MAX_BYTES" in page
    assert Notification.objects.filter(kind="job failed", person=owner).exists()


def test_nothing_is_deleted_while_the_store_is_away(as_owner: PageClient, shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    run(shelf)
    aged(100, 1)
    save(as_owner, shelf, last=1, days=0)
    look()
    ended(Job.objects.filter(kind=capture.TAKE).latest("pk"))

    def away(_store: Store, _place: str = "") -> list[str]:
        raise StoreError("Away.")

    with monkeypatch.context() as patched:
        patched.setattr(Store, "heads", away)
        look()
    assert not Job.objects.filter(kind="delete snapshots").exists()
    look()
    ended(Job.objects.get(kind="delete snapshots"))
    assert kept_days() == [0]


def test_a_lost_token_stops_it_and_tells(as_owner: PageClient, owner: Person, shelf: Shelf, storage_token: StoredToken) -> None:
    save(as_owner, shelf)
    kept = {field.attname: getattr(storage_token, field.attname) for field in StoredToken._meta.concrete_fields}
    storage_token.delete()
    look()
    found = timer()
    assert (found.next_at, "no longer stored" in found.message) == (None, True)
    (told,) = Notification.objects.filter(kind=tasks.STOPPED, person=owner)
    assert told.title == f"Snapshots of {shelf.bucket} stopped: {found.message}"
    StoredToken(**kept).save(force_insert=True)
    page = as_owner.get(told.address).text
    assert "Automatic snapshots stopped." in page
    save(as_owner, shelf)
    assert timer().next_at


def test_a_deleted_bucket_ends_it_tells_once_and_keeps_its_snapshots(as_owner: PageClient, owner: Person, shelf: Shelf) -> None:
    save(as_owner, shelf)
    look()
    taken_now()
    shelf.storage.buckets.delete(shelf.bucket)
    a_day_later()
    taken_now()
    assert not Schedule.objects.filter(kind=schedule.KIND).exists()
    (told,) = Notification.objects.filter(kind=tasks.STOPPED, person=owner)
    assert told.title == f"Snapshots of {shelf.bucket} stopped: The bucket was deleted. Its snapshots stay."
    assert "1 snapshot" in as_owner.get(told.address).text
    # What the shelf clears away is there again.
    shelf.storage.buckets.create(shelf.bucket)


def test_a_lower_role_and_a_store_that_was_switched_off_stop_it(
    as_owner: PageClient, owner: Person, shelf: Shelf, settings: Settings
) -> None:
    save(as_owner, shelf)
    Person.objects.filter(pk=owner.pk).update(role=Role.VIEWER)
    look()
    assert "role" in timer().message
    assert "Needs the operator role" in save(as_owner, shelf)
    Person.objects.filter(pk=owner.pk).update(role=Role.OPERATOR)
    save(as_owner, shelf)
    url = settings.SNAPSHOT_URL
    settings.SNAPSHOT_URL = "none"
    look()
    assert timer().message == "Snapshots are not set up here."
    settings.SNAPSHOT_URL = url
    assert not Job.objects.filter(kind=capture.TAKE).exists()


def test_by_hand_only_ends_it_and_keeps_its_snapshots(as_owner: PageClient, shelf: Shelf) -> None:
    save(as_owner, shelf)
    look()
    taken_now()
    assert "Snapshots are taken by hand only." in save(as_owner, shelf, "never")
    assert not Schedule.objects.filter(kind=schedule.KIND).exists()
    assert len(read_heads(capture.store())) == 1


def test_a_plain_token_changes_no_schedule_of_another(
    as_owner: PageClient, shelf: Shelf, service: Sandbox, ada: Person, owner: Person
) -> None:
    save(as_owner, shelf)
    plain = next(token for name, token in service.storage_tokens[shelf.space].items() if name != "service")
    hold(ada, service.personal_token)
    hold(ada, plain, shelf.space)
    assert "Only people with the same token" in save(client_of(ada), shelf, "never")
    assert timer().owner == owner
    StoredToken.objects.filter(person=ada).delete()
    hold(ada, service.personal_token)
    hold(ada, service.storage_tokens[shelf.space]["service"], shelf.space)
    save(client_of(ada), shelf, "weekly")
    assert (timer().owner, timer().payload["every"]) == (ada, "weekly")


def test_a_grantee_sets_up_none(as_owner: PageClient, shelf: Shelf, ada: Person, storage_token: StoredToken) -> None:
    lend(storage_token, ada)
    assert "token of their own" in save(client_of(ada), shelf)
    assert not Schedule.objects.filter(kind=schedule.KIND).exists()


def test_it_is_handed_over_to_somebody_whose_token_reads_as_much(
    as_owner: PageClient, shelf: Shelf, service: Sandbox, ada: Person, owner: Person
) -> None:
    save(as_owner, shelf)
    look()
    taken_now()
    before = timer()
    assert schedule.hand_over(owner, ada) == 0
    hold(ada, service.storage_tokens[shelf.space]["service"], shelf.space)
    Person.objects.filter(pk=ada.pk).update(role=Role.VIEWER)
    ada.refresh_from_db()
    with pytest.raises(ValidationError, match="Nothing was handed over"):
        hand_over(owner, owner, ada)
    Person.objects.filter(pk=ada.pk).update(role=Role.OPERATOR)
    ada.refresh_from_db()
    assert hand_over(owner, owner, ada) == (["1 snapshot schedule"], [])
    after = timer()
    assert (after.owner, after.payload["good"], after.payload["due"]) == (ada, before.payload["good"], before.payload["due"])
    a_day_later()
    taken_now()
    assert len(read_heads(capture.store())) == 2
    assert Job.objects.filter(kind=capture.TAKE, state=State.DONE).latest("pk").owner == ada


def test_the_page_of_the_bucket_says_when_the_last_good_one_was(as_owner: PageClient, shelf: Shelf, settings: Settings) -> None:
    page = reverse("objects:index", args=[shelf.space, shelf.bucket])
    shelf.put("a.txt", body=b"some bytes")
    assert "Snapshot" not in as_owner.get(page).text.partition("objects__facts")[2].partition("</p>")[0]
    save(as_owner, shelf)
    look()
    taken_now()
    facts = as_owner.get(page).text.partition("objects__facts")[2].partition("</p>")[0]
    assert "Snapshot" in facts
    assert address(shelf, "index") in facts
    assert "failed" not in facts
    settings.SNAPSHOT_MAX_BYTES = 1
    shelf.put("b.txt", body=b"more bytes")
    a_day_later()
    taken_now()
    assert "Snapshot failed" in as_owner.get(page).text.partition("objects__facts")[2].partition("</p>")[0]


def row_of(client: PageClient, shelf: Shelf) -> str:
    """The row of the project in the list of storages, once its buckets were read."""
    client.part("/?view=storage", WAITING)
    return client.get(f"{reverse('home:row', args=[shelf.space])}?view=storage", headers=htmx("")).text


def test_home_says_how_old_the_last_good_one_is_and_what_failed(as_owner: PageClient, shelf: Shelf) -> None:
    assert "good snapshot" not in row_of(as_owner, shelf)
    assert ">None lately<" in row_of(as_owner, shelf)
    shelf.put("folder/a.txt")
    assert ended(capture.begin(*shelf.place, "folder/", back="")).state == State.DONE
    assert ">None lately<" in row_of(as_owner, shelf)
    run(shelf)
    assert ">By hand<" in row_of(as_owner, shelf)
    save(as_owner, shelf)
    assert f"Last good snapshot: {shelf.bucket} none yet." in row_of(as_owner, shelf)
    assert ">None yet<" in row_of(as_owner, shelf)
    look()
    taken_now()
    assert f"Last good snapshot: {shelf.bucket} just now." in row_of(as_owner, shelf)
    assert ">just now<" in row_of(as_owner, shelf)
    found = timer()
    Schedule.objects.filter(pk=found.pk).update(payload={**found.payload, "failed": "The bucket could not be listed."})
    assert f"Snapshots failed: {shelf.bucket}" in row_of(as_owner, shelf)
    assert f'href="{address(shelf, "index")}"' in row_of(as_owner, shelf)
    assert "problem=snapshots-failed" in as_owner.get("/").text


def test_home_says_where_snapshots_stopped(as_owner: PageClient, shelf: Shelf) -> None:
    save(as_owner, shelf)
    Schedule.objects.filter(kind=schedule.KIND).update(next_at=None, message="The token was refused.")
    assert f"Snapshots stopped: {shelf.bucket}" in row_of(as_owner, shelf)


def test_home_says_nothing_of_snapshots_of_another_token(
    as_owner: PageClient, as_ada: PageClient, ada: Person, service: Sandbox, shelf: Shelf
) -> None:
    save(as_owner, shelf)
    hold(ada, service.personal_token)
    hold(ada, service.storage_tokens[shelf.space]["anon"], shelf.space)
    assert "good snapshot" not in row_of(as_ada, shelf)
    run(shelf)
    assert ">None lately<" in row_of(as_ada, shelf)
    StoredToken.objects.filter(person=ada, space=shelf.space).delete()
    lend(StoredToken.objects.exclude(person=ada).get(space=shelf.space), ada)
    assert "None lately" not in row_of(as_ada, shelf), "who may not take any is told nothing"


def test_home_names_three_of_many_buckets(as_owner: PageClient, shelf: Shelf) -> None:
    save(as_owner, shelf)
    payload, owner = timer().payload, timer().owner
    for number in range(4):
        kept = {**payload, "bucket": f"more {number}", "failed": "The bucket could not be listed."}
        schedules.start(schedule.KIND, f"more {number}", owner=owner, first_in=60, every=60, payload=kept)
    assert "Snapshots failed: more 0, more 1, more 2, 1 more" in row_of(as_owner, shelf)
