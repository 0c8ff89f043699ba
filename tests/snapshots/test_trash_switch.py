"""The trash is on for each bucket, until its settings turn it off."""

from html import unescape

import pytest
from django.urls import reverse
from pytest_django import Settings

from dashboard.features.bulk import services as bulk
from dashboard.jobs.models import State
from dashboard.jobs.plans import REPLACE
from dashboard.journal.models import Entry
from dashboard.snapshots import trash
from dashboard.team.models import Person
from dashboard.tokens.models import StoredToken
from tests.catalog.conftest import Shelf, shelf
from tests.features.bulk.conftest import go
from tests.features.grants import lend
from tests.features.service import Faults, faults
from tests.jobs.conftest import turn
from tests.pages import PageClient, htmx
from tests.people import client_of
from tests.snapshots.test_capture import in_a_folder, run
from tests.snapshots.test_restore import EVERYTHING, names, planned, text
from tests.snapshots.test_trash import deletions, for_thirty_days, held, one, selected
from tests.snapshots.test_trash import planned as deleting
from tests.snapshots.test_trash_replacing import carried
from tests.snapshots.test_trash_uploads import put

__all__ = ["faults", "for_thirty_days", "in_a_folder", "shelf"]

LABEL = "Keep deleted and replaced files"


def address(shelf: Shelf) -> str:
    return reverse("buckets:edit", args=[shelf.space, shelf.bucket])


def save(client: PageClient, shelf: Shelf, *, keeps: bool) -> None:
    client.post(address(shelf), {"size": "", "size_unit": "MB"} | ({"keeps": "on"} if keeps else {}), headers=htmx("dialog"))


def test_it_is_on_until_it_is_turned_off_and_what_is_kept_stays(as_owner: PageClient, shelf: Shelf) -> None:
    shelf.put("a.txt", "b.txt", "c.txt", body=b"then")
    asked = as_owner.get(address(shelf), headers=htmx("dialog")).text
    assert LABEL in asked
    assert "For 30 days, in the trash." in asked
    as_owner.post(one(shelf, "a.txt"), headers=htmx("dialog"))
    save(as_owner, shelf, keeps=False)
    assert "be undone" in unescape(as_owner.get(one(shelf, "b.txt")).text)
    as_owner.post(one(shelf, "b.txt"), headers=htmx("dialog"))
    assert [held(head) for head in deletions()] == [{"a.txt": b"then"}]
    page = as_owner.get(reverse("snapshots:trash", args=[shelf.space, shelf.bucket])).text
    assert "Nothing that is deleted is kept now." in page
    save(as_owner, shelf, keeps=True)
    as_owner.post(one(shelf, "c.txt"), headers=htmx("dialog"))
    assert [list(held(head)) for head in deletions()] == [["a.txt"], ["c.txt"]]
    told = Entry.objects.filter(operation="S5").order_by("pk").values_list("before__trash", "after__trash")
    assert list(told) == [(True, False), (False, True)]


def test_no_way_of_deleting_or_replacing_keeps_anything_where_it_is_off(as_owner: PageClient, shelf: Shelf) -> None:
    keys = ("a.txt", "b.txt", "c.txt", "d/e.txt")
    shelf.put(*keys, "there/a.txt", body=b"then")
    run(shelf)
    trash.switch(shelf.space, shelf.bucket, on=False)
    assert "unkept" not in as_owner.get(selected(as_owner, shelf, "b.txt", "c.txt")).text
    assert put(as_owner, shelf, "c.txt").status_code == 200
    as_owner.post(selected(as_owner, shelf, "b.txt"), {"count": "1"})
    assert go(carried(shelf, "copy", "a.txt"), REPLACE).state == State.DONE
    assert go(deleting(shelf, "d/")).done == 1
    assert go(planned(as_owner, shelf, **EVERYTHING), REPLACE).state == State.DONE
    assert text(shelf, "c.txt") == "then"
    assert go(turn(bulk.empty(*shelf.place, back="/"))).state == State.DONE
    assert (names(shelf), deletions()) == ([], [])


def test_who_may_not_change_the_bucket_does_not_turn_it_off(as_owner: PageClient, shelf: Shelf, faults: Faults) -> None:
    faults("S5", status=403)
    save(as_owner, shelf, keeps=False)
    assert trash.days_of(shelf.space, shelf.bucket) == 30


def test_a_grantee_does_not_turn_it_off(shelf: Shelf, ada: Person, storage_token: StoredToken) -> None:
    lend(storage_token, ada, acts=["read", "buckets"])
    asked = client_of(ada).get(address(shelf), headers=htmx("dialog")).text
    assert ("Allowed types" in asked, LABEL in asked) == (True, False)
    save(client_of(ada), shelf, keeps=False)
    assert trash.days_of(shelf.space, shelf.bucket) == 30


@pytest.mark.parametrize("setting", [("SNAPSHOT_URL", "none"), ("TRASH_DAYS", 0)])
def test_without_a_store_it_is_not_asked(
    as_owner: PageClient, shelf: Shelf, settings: Settings, setting: tuple[str, object]
) -> None:
    setattr(settings, *setting)
    assert LABEL not in as_owner.get(address(shelf), headers=htmx("dialog")).text
    save(as_owner, shelf, keeps=False)
    settings.TRASH_DAYS = 30
    if setting[0] == "TRASH_DAYS":
        assert trash.days_of(shelf.space, shelf.bucket) == 30, "nothing was turned off"


def test_a_new_bucket_of_the_same_name_begins_with_it_on(as_owner: PageClient, shelf: Shelf) -> None:
    trash.switch(shelf.space, shelf.bucket, on=False)
    as_owner.post(reverse("buckets:delete", args=[shelf.space, shelf.bucket]), {"typed": shelf.bucket}, headers=htmx("dialog"))
    assert trash.days_of(shelf.space, shelf.bucket) == 30
    shelf.storage.buckets.create(shelf.bucket)
