"""What the trash kept long enough is deleted for good, also once people have left."""

from datetime import timedelta

import msgspec
from django.utils import timezone
from pytest_django import Settings

from dashboard.jobs import schedules
from dashboard.jobs.models import ENDED, Job, Schedule, State
from dashboard.jobs.worker import sweep
from dashboard.snapshots import capture, manifest, restore, trash
from dashboard.snapshots.manifest import read_heads
from dashboard.team.models import Person, Role
from dashboard.tokens.models import StoredToken
from tests.catalog.conftest import Shelf, shelf
from tests.conftest import Sandbox
from tests.pages import htmx
from tests.people import client_of, hold
from tests.snapshots.test_capture import ended, in_a_folder, run
from tests.snapshots.test_trash import deletions, for_thirty_days, one

__all__ = ["for_thirty_days", "in_a_folder", "shelf"]


def emptied(settings: Settings, days: int = 0) -> None:
    """Let the worker empty the trash of what is so old."""
    settings.TRASH_DAYS = days
    Schedule.objects.filter(kind="trash", next_at__isnull=False).update(next_at=timezone.now())
    for _ in range(2):
        # A schedule whose owner has left ends, and the next sweep starts it again.
        sweep()
        while schedules.run_due():
            pass
    for job in Job.objects.filter(kind="delete snapshots").exclude(state__in=ENDED):
        ended(job)


def test_what_was_kept_long_enough_is_deleted_for_good(shelf: Shelf, settings: Settings) -> None:
    shelf.put("a.txt", "b.txt")
    run(shelf)
    trash.keep(*shelf.place, ["a.txt"])
    emptied(settings, 30)
    assert len(deletions()) == 1
    emptied(settings)
    assert not deletions()
    assert len(read_heads(capture.store())) == 1, "the snapshot stays"
    trash.keep(*shelf.place, ["b.txt"])
    emptied(settings)
    assert not deletions(), "it goes on"


def test_what_was_kept_on_the_last_day_stays(shelf: Shelf, settings: Settings) -> None:
    shelf.put("a.txt")
    head = trash.keep(*shelf.place, ["a.txt"]).head
    assert head
    begun = timezone.now() - timedelta(days=2, hours=23)
    capture.store().remove(head.path)
    # Its time counts, not its name.
    manifest.write_head(capture.store(), msgspec.structs.replace(head, id="20200101T000000Z-1", begun=begun))
    emptied(settings, 3)
    assert len(deletions()) == 1
    emptied(settings, 2)
    assert not deletions()


def test_the_trash_is_emptied_though_who_deleted_has_left(
    shelf: Shelf, settings: Settings, ada: Person, service: Sandbox
) -> None:
    shelf.put("a.txt", "b.txt")
    hold(ada, service.storage_tokens[shelf.space]["service"], shelf.space)
    client_of(ada).post(one(shelf, "a.txt"), headers=htmx("dialog"))
    assert [head.deleted_by for head in deletions()] == [str(ada)]
    StoredToken.objects.all().delete()
    Person.objects.filter(pk=ada.pk).update(is_active=False)
    emptied(settings)
    assert not deletions()


def test_the_trash_is_emptied_in_the_name_of_another_owner_once_the_first_has_left(
    shelf: Shelf, settings: Settings, owner: Person, ada: Person
) -> None:
    shelf.put("a.txt", "b.txt")
    for loss in ({"is_active": False}, {"is_active": True, "role": Role.VIEWER}):
        settings.TRASH_DAYS = 30
        trash.keep(*shelf.place, ["a.txt"])
        sweep()
        assert Schedule.objects.get(kind="trash").owner == owner
        Person.objects.filter(pk=ada.pk).update(role=Role.OWNER)
        Person.objects.filter(pk=owner.pk).update(**loss)
        emptied(settings)
        assert not deletions()
        assert Schedule.objects.get(kind="trash").owner == ada
        Person.objects.filter(pk=owner.pk).update(is_active=True, role=Role.OWNER)
        Schedule.objects.all().delete()


def test_without_a_store_nothing_is_emptied(owner: Person, settings: Settings) -> None:
    settings.SNAPSHOT_URL = "none"
    assert owner
    sweep()
    assert not Schedule.objects.exists()


def test_what_is_being_restored_is_emptied_later(shelf: Shelf, settings: Settings) -> None:
    shelf.put("a.txt", "b.txt")
    first, _ = trash.keep(*shelf.place, ["a.txt"]).head, trash.keep(*shelf.place, ["b.txt"]).head
    assert first
    job = restore.undo(shelf.workspace, first, back="/")
    emptied(settings)
    assert [head.names for head in deletions()] == [["a.txt"]]
    Job.objects.filter(pk=job.pk).update(state=State.CANCELLED)
    emptied(settings)
    assert not deletions()
