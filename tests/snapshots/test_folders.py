"""Snapshots of a folder: taken by hand or by a schedule of its own, beside those of the bucket."""

from html import unescape

import msgspec
import pytest
from django.urls import reverse
from django.utils import timezone

from dashboard.jobs.models import Job, Schedule, State
from dashboard.notifications.models import Notification
from dashboard.snapshots import capture, schedule, trash
from dashboard.snapshots.manifest import Head, Manifest, last_taken, place_of, read_heads, write_head
from dashboard.team.models import Person
from dashboard.tokens.workspace import Workspace
from tests.catalog.conftest import Shelf, shelf
from tests.features.grants import Lent, lent
from tests.features.service import Calls
from tests.pages import PageClient, htmx
from tests.snapshots.test_capture import bytes_of, ended, in_a_folder, last, run, taken
from tests.snapshots.test_pages import names, snapshot_address
from tests.snapshots.test_schedule import address, aged, look, row_of

__all__ = ["in_a_folder", "lent", "shelf"]


def run_folder(shelf: Shelf, folder: str) -> Job:
    return ended(capture.begin(*shelf.place, folder, back=""))


def save(client: PageClient, shelf: Shelf, folder: str, every: str = "daily", *, last: int = 7) -> str:
    given = {"folder": folder, "every": every, "last": last, "days": 1}
    return unescape(client.post(address(shelf), given, headers=htmx("dialog")).text)


def page(client: PageClient, shelf: Shelf) -> str:
    return " ".join(unescape(client.get(address(shelf, "index")).text).split())


def read(calls: Calls) -> list[str]:
    """Return the keys of what was read since the last look."""
    return sorted(call.rpartition("/")[2] for call in calls() if "/object/authenticated/" in call)


def test_it_holds_the_folder_alone_and_says_so(as_owner: PageClient, shelf: Shelf) -> None:
    shelf.put("a.txt", "docs-old/b.txt", "docs.txt", "docs/c.txt", "docs/deep/d.txt", "e.txt", body=b"here")
    job = run_folder(shelf, "docs/")
    assert (job.state, job.title) == (State.DONE, f"Take a snapshot of {shelf.bucket}/docs/")
    assert {key: bytes_of(entry) for key, entry in taken(shelf).items()} == {"docs/c.txt": b"here", "docs/deep/d.txt": b"here"}
    head = last(shelf)
    assert (head.folder, head.objects, head.bytes) == ("docs/", 2, 8)
    listed = page(as_owner, shelf)
    assert '<bdi class="quiet">docs/</bdi>' in listed
    assert f"{reverse('snapshots:show', args=[shelf.space, shelf.bucket, head.id])}?path=docs%2F" in listed
    shown = as_owner.get(snapshot_address(shelf, path="docs/")).text
    assert names(shown) == ["c.txt", "deep"]
    assert "Only <bdi>docs/</bdi>, read only." in shown
    assert names(as_owner.get(snapshot_address(shelf)).text) == ["docs"]


def test_what_is_outside_of_it_is_not_said_to_be_deleted(as_owner: PageClient, shelf: Shelf) -> None:
    shelf.put("docs/a.txt", "docs/b.txt", "other/c.txt")
    run_folder(shelf, "docs/")
    shelf.storage.objects.delete_many(shelf.bucket, ["docs/a.txt", "other/c.txt"])
    root = as_owner.get(snapshot_address(shelf)).text
    assert names(root) == ["docs"]
    assert "Deleted since" not in root
    assert as_owner.get(snapshot_address(shelf, path="docs/")).text.count("Deleted since") == 1
    outside = as_owner.get(snapshot_address(shelf, path="other/")).text
    assert "Only docs/ is in this snapshot" in outside
    assert "Nothing here then" in as_owner.get(snapshot_address(shelf, path="docs/nothing/")).text


def test_one_of_the_bucket_spares_that_of_a_folder_the_reading_but_not_the_other_way_round(shelf: Shelf, calls: Calls) -> None:
    shelf.put("a.txt", "docs/b.txt", "docs/c.txt", body=b"first")
    run_folder(shelf, "docs/")
    assert read(calls) == ["b.txt", "c.txt"]
    run(shelf)
    assert read(calls) == ["a.txt", "b.txt", "c.txt"]
    assert last(shelf).objects == 3
    shelf.storage.objects.replace(shelf.bucket, "docs/c.txt", b"second", content_type="text/plain")
    run_folder(shelf, "docs/")
    assert read(calls) == ["c.txt"]
    run_folder(shelf, "docs/")
    assert read(calls) == []
    run(shelf)
    assert read(calls) == ["c.txt"]


@pytest.mark.usefixtures("small_segments")
def test_segments_of_the_bucket_that_lie_across_its_ends_are_cut(shelf: Shelf, calls: Calls) -> None:
    keys = [f"{folder}{number:03}.txt" for folder in ("a/", "docs/", "docs/in/", "e/") for number in range(20)]
    shelf.put("docs", "docs-", "docs.txt", *keys, body=b"first")
    run(shelf)
    segments = Manifest(capture.store(), last(shelf).lists).segments
    assert sum(segment.first.startswith("docs/") for segment in segments) > 1
    assert not any(segment.first == "docs/000.txt" for segment in segments)
    calls()
    run_folder(shelf, "docs/")
    assert read(calls) == []
    inside = {key for key in keys if key.startswith("docs/")}
    assert taken(shelf).keys() == inside
    assert (last(shelf).objects, last(shelf).bytes) == (40, 200)
    shelf.storage.objects.delete_many(shelf.bucket, ["docs/000.txt", "docs/in/019.txt", "e/000.txt"])
    shelf.storage.objects.replace(shelf.bucket, "docs/010.txt", b"second", content_type="text/plain")
    run(shelf)
    calls()
    run_folder(shelf, "docs/")
    assert read(calls) == []
    assert taken(shelf).keys() == inside - {"docs/000.txt", "docs/in/019.txt"}
    assert bytes_of(taken(shelf)["docs/010.txt"]) == b"second"
    assert (last(shelf).objects, last(shelf).bytes) == (38, 191)


def test_a_deletion_uses_what_the_folder_kept_and_looks_at_a_few_snapshots_only(shelf: Shelf, calls: Calls) -> None:
    shelf.put("docs/a.txt", "docs/b.txt", "other.txt")
    run_folder(shelf, "docs/")
    calls()
    assert trash.keep(*shelf.place, ["docs/a.txt", "docs/b.txt"]).head
    assert read(calls) == []
    assert trash.keep(*shelf.place, ["docs/a.txt", "other.txt"]).head
    assert read(calls) == ["a.txt", "other.txt"]
    head = last_taken(capture.store(), place_of(shelf.space, shelf.bucket), read_heads(capture.store())[0].token)
    assert head
    for number in range(16):
        write_head(capture.store(), msgspec.structs.replace(head, id=f"20990101T000000Z-{number}", folder="z/"))
    assert trash.keep(*shelf.place, ["docs/a.txt"]).head
    assert read(calls) == ["a.txt"]


def test_the_dialog_of_a_folder_takes_one_now(as_owner: PageClient, shelf: Shelf) -> None:
    shelf.put("docs/a.txt")
    menu = as_owner.get(reverse("objects:index", args=[shelf.space, shelf.bucket]), {"path": "docs/"}).text
    assert f'data-for-folder="{address(shelf)}"' in menu
    assert f'href="{address(shelf)}?folder=docs%2F"' in menu
    dialog = as_owner.get(address(shelf), {"folder": "docs/"}).text
    assert 'value="docs/"' in dialog
    assert '<option value="now" selected>' in dialog
    assert '<option value="daily" selected>' in as_owner.get(address(shelf)).text
    save(as_owner, shelf, "docs", "now")
    job = Job.objects.get(kind=capture.TAKE)
    assert job.parameters["folder"] == "docs/"
    save(as_owner, shelf, "docs/", "now")
    assert Job.objects.filter(kind=capture.TAKE).count() == 1
    save(as_owner, shelf, "", "now")
    assert Job.objects.filter(kind=capture.TAKE).count() == 2
    waiting = page(as_owner, shelf)
    assert [f'href="{reverse("jobs:show", args=[one.pk])}"' in waiting for one in Job.objects.filter(kind=capture.TAKE)] == [
        True
    ] * 2
    assert "every 3s" in waiting
    for one in Job.objects.filter(kind=capture.TAKE):
        ended(one)
    assert [head.folder for head in read_heads(capture.store())] == ["docs/", ""]
    assert "every 3s" not in page(as_owner, shelf)


def test_its_schedule_is_one_of_its_own_and_keeps_only_its_snapshots_in_check(as_owner: PageClient, shelf: Shelf) -> None:
    shelf.put("a.txt", "docs/b.txt")
    run(shelf)
    aged(90, 1)
    run_folder(shelf, "docs/")
    aged(60, 2)
    assert "Snapshots are taken weekly." in save(as_owner, shelf, "docs", "weekly", last=1)
    assert "The next one begins within a minute." in page(as_owner, shelf)
    look()
    ended(Job.objects.filter(kind=capture.TAKE).latest("pk"))
    look()
    deleting = Job.objects.get(kind="delete snapshots")
    assert deleting.title.endswith(f"from {shelf.bucket}/docs/")
    ended(deleting)
    ages = [(head.folder, (timezone.now() - head.begun).days) for head in read_heads(capture.store())]
    assert ages == [("", 90), ("", 0), ("docs/", 0), ("docs/", 0)]
    assert schedule.find(*shelf.place) is None
    plan = schedule.find(*shelf.place, "docs/")
    assert plan
    assert (plan.every, plan.of, bool(plan.good_at)) == ("weekly", f"{shelf.bucket}/docs/", True)
    save(as_owner, shelf, "", "daily")
    assert [one.folder for one in schedule.find_inside(*shelf.place)] == ["", "docs/"]
    assert "By hand" not in as_owner.get(reverse("objects:index", args=[shelf.space, shelf.bucket])).text
    save(as_owner, shelf, "docs/", "never")
    assert [one.folder for one in schedule.find_inside(*shelf.place)] == [""]


def test_a_good_one_of_a_folder_does_not_count_for_the_bucket(as_owner: PageClient, shelf: Shelf) -> None:
    shelf.put("a.txt", "docs/b.txt")
    save(as_owner, shelf, "", "daily")
    run_folder(shelf, "docs/")
    plan = schedule.find(*shelf.place)
    assert plan
    assert plan.good_at is None
    save(as_owner, shelf, "", "never")
    save(as_owner, shelf, "docs/", "daily")
    look()
    ended(Job.objects.filter(kind=capture.TAKE).latest("pk"))
    look()
    shown = row_of(as_owner, shelf)
    assert ">None lately<" in shown
    assert f"Last good snapshot: {shelf.bucket}/docs/ just now." in shown
    assert capture.last(shelf.space, shelf.bucket, last(shelf).token) == ""
    assert capture.last(shelf.space, shelf.bucket, last(shelf).token, "docs/deep/") == last(shelf).path


def test_its_check_reads_only_its_snapshots(as_owner: PageClient, shelf: Shelf) -> None:
    shelf.put("a.txt", "docs/b.txt")
    run(shelf)
    run_folder(shelf, "docs/")
    save(as_owner, shelf, "docs/")
    look()
    ended(Job.objects.filter(kind=capture.TAKE).latest("pk"))
    look()
    job = Job.objects.get(kind="check snapshots")
    assert (job.title, job.parameters["folder"]) == (f"Check snapshots of {shelf.bucket}/docs/", "docs/")
    whole = next(head for head in read_heads(capture.store()) if not head.folder)
    write_head(capture.store(), msgspec.structs.replace(whole, lists=["0" * 64]))
    assert ended(job).state == State.DONE


def test_a_folder_with_nothing_in_it_is_refused_now_and_on_schedule(as_owner: PageClient, shelf: Shelf) -> None:
    shelf.put("docs-old/a.txt", "Docs/b.txt")
    sentence = "No snapshot is taken: there is nothing in docs/, or your token doesn't see it."
    for every in ("now", "daily", "weekly"):
        assert sentence in save(as_owner, shelf, "docs", every)
    assert not Job.objects.filter(kind=capture.TAKE).exists()
    assert not Schedule.objects.filter(kind=schedule.KIND).exists()
    shelf.put("docs/deep/.emptyFolderPlaceholder", body=b"")
    assert sentence not in save(as_owner, shelf, "docs", "daily")
    assert Schedule.objects.filter(kind=schedule.KIND).count() == 1


def test_an_empty_bucket_is_taken(as_owner: PageClient, shelf: Shelf) -> None:
    save(as_owner, shelf, "", "now")
    assert ended(Job.objects.get(kind=capture.TAKE)).state == State.DONE
    assert (last(shelf).folder, last(shelf).objects) == ("", 0)


def test_a_schedule_whose_folder_is_gone_says_so_and_keeps_what_was_taken(as_owner: PageClient, shelf: Shelf) -> None:
    shelf.put("docs/a.txt", "other.txt")
    save(as_owner, shelf, "docs/", "daily", last=1)
    look()
    ended(Job.objects.get(kind=capture.TAKE))
    look()
    aged(30, 1)
    shelf.storage.objects.delete(shelf.bucket, "docs/a.txt")
    Schedule.objects.filter(kind=schedule.KIND).update(payload=Schedule.objects.get(kind=schedule.KIND).payload | {"due": ""})
    look()
    failed = ended(Job.objects.filter(kind=capture.TAKE).latest("pk"))
    sentence = "No snapshot is taken: there is nothing in docs/, or your token doesn't see it."
    assert (failed.state, failed.message) == (State.FAILED, sentence)
    look()
    plan = schedule.find(*shelf.place, "docs/")
    assert plan
    assert (plan.failed, plan.ended, bool(plan.good_at)) == (sentence, "", True)
    assert sentence in page(as_owner, shelf)
    assert [(head.folder, head.objects) for head in read_heads(capture.store())] == [("docs/", 1)] * 2
    assert not Job.objects.filter(kind="delete snapshots").exists()
    save(as_owner, shelf, "docs/", "never")
    assert schedule.find(*shelf.place, "docs/") is None


def test_a_stopped_one_is_told_with_its_name(as_owner: PageClient, owner: Person, shelf: Shelf) -> None:
    shelf.put("docs/a.txt")
    save(as_owner, shelf, "docs/")
    Schedule.objects.filter(kind=schedule.KIND).update(next_at=None, message="Nobody knows.")
    assert "<bdi>docs/</bdi>: Automatic snapshots stopped. Nobody knows." in page(as_owner, shelf)
    save(as_owner, shelf, "docs/")
    look()
    shelf.storage.buckets.empty(shelf.bucket)
    shelf.storage.buckets.delete(shelf.bucket)
    ended(Job.objects.get(kind=capture.TAKE))
    look()
    told = Notification.objects.get(person=owner, kind="snapshots stopped")
    assert told.title.startswith(f"Snapshots of {shelf.bucket}/docs/ stopped")
    shelf.storage.buckets.create(shelf.bucket)


def test_heads_and_schedules_of_earlier_versions_are_of_the_bucket(as_owner: PageClient, shelf: Shelf) -> None:
    shelf.put("a.txt")
    run(shelf)
    head = last(shelf)
    plain = {key: value for key, value in msgspec.to_builtins(head).items() if key != "folder"}
    capture.store().put(head.path, msgspec.json.encode(plain))
    assert last(shelf).folder == ""
    save(as_owner, shelf, "")
    timer = Schedule.objects.get(kind=schedule.KIND)
    payload = {key: value for key, value in timer.payload.items() if key != "folder"}
    Schedule.objects.filter(pk=timer.pk).update(payload=payload)
    look()
    assert ended(Job.objects.filter(kind=capture.TAKE).latest("pk")).state == State.DONE
    assert last(shelf).folder == ""


def test_a_grantee_sees_only_those_of_folders_that_the_grant_meets(owner: Person, lent: Lent) -> None:
    lent.put("inside/a.txt", "inside/deep/b.txt", "beside/c.txt")
    made: dict[str, Head] = {}
    for folder in ("", "inside/", "inside/deep/", "beside/"):
        ended(capture.begin(Workspace(owner), lent.space, lent.bucket, folder, back=""))
        made[folder] = read_heads(capture.store())[-1]
    shown = unescape(lent.client.get(reverse("snapshots:index", args=[lent.space, lent.bucket])).text)
    assert [head.id in shown for head in made.values()] == [True, True, True, False]
    assert "beside" not in shown
    assert "3 snapshots" in shown
    answers = {
        folder: lent.client.get(reverse("snapshots:show", args=[lent.space, lent.bucket, head.id])).status_code
        for folder, head in made.items()
    }
    assert answers == {"": 200, "inside/": 200, "inside/deep/": 200, "beside/": 404}
