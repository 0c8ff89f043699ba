"""A damaged snapshot hides no other one, and stops nothing but freeing space."""

from html import unescape
from pathlib import Path

import pytest
from django.urls import reverse
from pytest_django import Settings

from dashboard.jobs.models import Job, State
from dashboard.snapshots import capture, check, collect, trash
from dashboard.snapshots.manifest import Manifest, ident_of, read_heads
from dashboard.team.models import Person
from tests.catalog.conftest import Shelf, shelf
from tests.features.grants import Lent, lent
from tests.pages import PageClient
from tests.snapshots import test_grantees
from tests.snapshots.test_capture import ended, in_a_folder, run
from tests.snapshots.test_pages import address
from tests.snapshots.test_schedule import look, save, taken_now

__all__ = ["in_a_folder", "lent", "shelf"]


@pytest.fixture(autouse=True)
def for_thirty_days(settings: Settings) -> None:
    settings.TRASH_DAYS = 30


def words(client: PageClient, href: str) -> str:
    return " ".join(unescape(client.get(href).text).split("<main")[-1].split())


def two_of_each(shelf: Shelf) -> list[str]:
    """Take two snapshots, each with a deletion after it. Return the paths of their heads."""
    shelf.put("a.txt", "first.txt", "second.txt")
    for number, key in enumerate(("first.txt", "second.txt")):
        shelf.storage.objects.replace(shelf.bucket, "a.txt", f"{number}".encode(), content_type="text/plain")
        run(shelf)
        assert trash.keep(*shelf.place, [key]).keys == [key]
        shelf.storage.objects.delete(shelf.bucket, key)
    return [head.path for head in read_heads(capture.store())]


def damage(store: Path, *paths: str, how: str = "cut") -> None:
    for file in (store / path for path in paths):
        data = file.read_bytes()
        file.write_bytes(data[:-9] if how == "cut" else data.replace(b'"format":1', b'"format":2'))


def shows_the_rest(client: PageClient, shelf: Shelf, told: str) -> None:
    """Check that one version of a.txt and the first deleted file are found, and that it is told what was not read."""
    offered = words(client, f"{address(shelf, 'versions')}?key=a.txt")
    assert (told in offered, offered.count("Restore")) == (True, 1)
    found = words(client, reverse("snapshots:deleted", args=[shelf.space, shelf.bucket], query={"q": "first"}))
    assert "first.txt" in found
    assert "Not all of the" in found


@pytest.mark.parametrize("how", ["cut", "newer"])
def test_pages_list_the_others_and_tell_of_it(as_owner: PageClient, shelf: Shelf, tmp_path: Path, how: str) -> None:
    *_, taken, deletion = two_of_each(shelf)
    damage(tmp_path / "store", taken, deletion, how=how)
    listed = words(as_owner, address(shelf))
    assert "1 snapshot can't be read: damaged in the store, or written by a newer version of Pilothouse." in listed
    assert f"frees no space: <code>{taken}</code>" in listed
    assert '<span role="status">1 snapshot</span>' in listed
    kept = words(as_owner, address(shelf, "trash"))
    assert "1 deletion can't be read: damaged in the store, or written by a newer version of Pilothouse. Until this file" in kept
    assert ("first.txt" in kept, "second.txt" in kept) == (True, False)
    shows_the_rest(as_owner, shelf, "2 snapshots can't be read. Versions that only they have are missing here.")


def test_a_damaged_list_of_files_hides_no_other_version(as_owner: PageClient, shelf: Shelf, tmp_path: Path) -> None:
    two_of_each(shelf)
    last = read_heads(capture.store())[-2]
    (segment,) = Manifest(capture.store(), last.lists).segments
    damage(tmp_path / "store", f"chunks/{segment.chunk[:2]}/{segment.chunk}")
    shows_the_rest(as_owner, shelf, "1 snapshot can't be read. Versions that only it has are missing here.")


def test_who_has_access_by_a_grant_is_told_of_none(owner: Person, lent: Lent, tmp_path: Path) -> None:
    test_grantees.taken(owner, lent)
    (path,) = capture.store().heads()
    damage(tmp_path / "store", path)
    assert "can't be read" not in words(lent.client, test_grantees.of_bucket(lent))


def test_a_check_tells_of_it_and_reads_the_others(shelf: Shelf, tmp_path: Path) -> None:
    *_, taken, _ = two_of_each(shelf)
    damage(tmp_path / "store", taken)
    job = ended(check.begin(*shelf.place, share=0, back=""))
    assert (job.state, job.message) == (State.FAILED, f"Damaged, and can't be taken again: the snapshot {ident_of(taken)}.")


def test_a_schedule_deletes_what_it_no_longer_keeps(as_owner: PageClient, shelf: Shelf, tmp_path: Path) -> None:
    taken, *_ = two_of_each(shelf)
    damage(tmp_path / "store", taken)
    save(as_owner, shelf, last=1, days=0)
    look()
    taken_now()
    assert [
        path.endswith(f"/{ident_of(taken)}.json") for path in Job.objects.get(kind=collect.DELETE).parameters["snapshots"]
    ] == [False]
