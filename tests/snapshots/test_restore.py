"""Restoring folders, selections and everything of a snapshot, as a reviewed plan."""

from html import unescape
from uuid import uuid4

import pytest
from django.urls import reverse
from pytest_django import Settings

from dashboard.jobs import kinds
from dashboard.jobs.models import Job, JobItem, State
from dashboard.journal.models import Entry
from dashboard.snapshots import capture, collect, restore_plan
from dashboard.snapshots.manifest import Manifest, read_heads
from dashboard.snapshots.store import Store, StoreError
from dashboard.team.models import Person, Role
from tests.catalog.conftest import Shelf, shelf
from tests.features.bulk.conftest import go, outcomes, words
from tests.features.service import Calls, Faults, calls, faults
from tests.jobs.conftest import turn
from tests.pages import PageClient, htmx
from tests.snapshots.test_capture import ended, in_a_folder, run

__all__ = ["calls", "faults", "in_a_folder", "shelf"]

EVERYTHING = {"all": "1", "filter": "*"}


def address(shelf: Shelf, name: str = "restorations", **query: str) -> str:
    head = read_heads(capture.store())[-1]
    return reverse(f"snapshots:{name}", args=[shelf.space, shelf.bucket, head.id], query=query or None)


def planned(
    client: PageClient, shelf: Shelf, *, bucket: str = "", space: str = "", deletes: str = "", **chosen: str | list[str]
) -> Job:
    """Choose on the page of a snapshot, then where to, and let the job be planned."""
    dialog = client.post(address(shelf), chosen, headers=htmx("dialog"), follow=True)
    given = {"space": space or shelf.space, "bucket": bucket or shelf.bucket, "deletes": deletes}
    client.post(dialog.request["PATH_INFO"] + "?" + dialog.request["QUERY_STRING"], given, headers=htmx("dialog"))
    return turn(Job.objects.filter(kind="restore objects").latest("pk"))


def page(client: PageClient, job: Job) -> str:
    return unescape(client.get(reverse("jobs:show", args=[job.pk])).text)


def text(shelf: Shelf, key: str, bucket: str = "") -> str:
    return shelf.storage.objects.read(bucket or shelf.bucket, key).read_all(10_000_000).decode()


def names(shelf: Shelf, bucket: str = "") -> list[str]:
    return sorted(row.name for row in shelf.storage.objects.all(bucket or shelf.bucket, limit=1000))


def as_it_was(shelf: Shelf) -> None:
    """Take a snapshot; then one object is gone, one is changed, one is new and one is the same."""
    shelf.put("a/gone.txt", "a/changed.txt", "a/same.txt", "other.txt", body=b"then")
    run(shelf)
    shelf.storage.objects.delete_many(shelf.bucket, ["a/gone.txt", "other.txt"])
    shelf.storage.objects.replace(shelf.bucket, "a/changed.txt", b"now", content_type="text/plain")
    shelf.put("a/new.txt", body=b"new")


def test_a_folder_is_restored_as_it_was_planned(as_owner: PageClient, shelf: Shelf) -> None:
    as_it_was(shelf)
    job = planned(as_owner, shelf, folder="a/")
    assert job.state == State.PLANNED
    shown = page(as_owner, job)
    assert f"Restore 1 folder to {shelf.bucket}: 2 objects, 8 bytes." in shown
    for line in ("1 is written.", "1 is there, but not as in the snapshot.", "1 is the same there, and left."):
        assert line in shown
    assert "owner and time of creation anew" in shown
    done = go(job, "replace")
    assert (done.state, done.done, done.failed) == (State.DONE, 2, 0)
    assert {key: text(shelf, f"a/{key}.txt") for key in ("gone", "changed", "same", "new")} == {
        "gone": "then",
        "changed": "then",
        "same": "then",
        "new": "new",
    }
    assert "other.txt" not in names(shelf)
    sent = Entry.objects.filter(action=f"job-{job.pk}").order_by("pk")
    assert [(entry.operation, entry.outcome, entry.before) for entry in sent] == [
        ("S9", "done", {"keys": ["a/gone.txt"]}),
        ("S10", "done", {"keys": ["a/changed.txt"]}),
    ]


def test_what_is_there_now_stays_unless_replacing_is_chosen(as_owner: PageClient, shelf: Shelf, calls: Calls) -> None:
    as_it_was(shelf)
    job = planned(as_owner, shelf, key=["a/gone.txt", "a/changed.txt"], folder=["nowhere"])
    assert "Leave them" in page(as_owner, job)
    calls()
    assert go(job, "skip").state == State.DONE
    assert not [call for call in calls() if call.startswith("PUT")]
    assert (text(shelf, "a/gone.txt"), text(shelf, "a/changed.txt")) == ("then", "now")
    assert words(job)["a/changed.txt"] == "Left: another object exists."
    entry = Entry.objects.get(action=f"job-{job.pk}")
    assert (entry.operation, entry.before) == ("S9", {"keys": ["a/gone.txt"]}), "the journal has what was sent"


def test_everything_is_restored_into_another_bucket_with_all_that_was_known(as_owner: PageClient, shelf: Shelf) -> None:
    other = f"restored {uuid4().hex[:8]}"
    shelf.storage.buckets.create(other)
    shelf.storage.objects.upload(
        shelf.bucket, "deep/a.html", b"<p>", content_type="text/html", cache_control="max-age=60", metadata={"by": "Ada"}
    )
    shelf.put("empty/.emptyFolderPlaceholder", "none", body=b"")
    run(shelf)
    link = address(shelf, **EVERYTHING)
    assert link in unescape(as_owner.get(address(shelf, "show")).text)
    assert f'value="{other}"' in as_owner.get(link, headers=htmx("dialog")).text
    as_owner.post(link, {"space": shelf.space, "bucket": other}, headers=htmx("dialog"))
    job = turn(Job.objects.get(kind="restore objects"))
    assert f"Restore everything to {other}: 3 objects" in page(as_owner, job)
    done = go(job)
    assert done.done == 3
    there = reverse("objects:index", args=[shelf.space, other])
    assert kinds.find(job.kind).follow_up(done) == ("Open bucket", there)  # type: ignore[union-attr] # it is registered
    assert f'<dt>To</dt><dd><a href="{there}">' in as_owner.get(reverse("jobs:show", args=[job.pk])).text
    info = shelf.storage.objects.info(other, "deep/a.html")
    assert (info.content_type, info.cache_control, info.metadata) == ("text/html", "max-age=60", {"by": "Ada"})
    assert names(shelf, other) == ["deep", "empty", "none"]
    assert text(shelf, "none", other) == ""
    shelf.storage.buckets.empty(other)
    shelf.storage.buckets.delete(other)


def test_what_the_bucket_refuses_and_what_was_left_out_is_told_before_and_after(
    as_owner: PageClient, shelf: Shelf, settings: Settings
) -> None:
    settings.SNAPSHOT_MAX_FILE_BYTES = 5000
    shelf.put("large.txt", body=b"x" * 2000)
    shelf.put("larger.txt", body=b"x" * 6000)
    shelf.put("small.txt", body=b"x")
    shelf.put("page.html", body=b"x", content_type="text/html")
    run(shelf)
    shelf.storage.objects.delete_many(shelf.bucket, ["large.txt", "larger.txt", "small.txt", "page.html"])
    shelf.storage.buckets.update(shelf.bucket, public=False, file_size_limit=1000, allowed_mime_types=["text/plain"])
    job = planned(as_owner, shelf, **EVERYTHING)
    assert "3 can't be restored; see the list. The bucket allows at most 1.0 KB per file" in page(as_owner, job)
    assert "Leave them" not in page(as_owner, job), "there is nothing to replace"
    done = go(job)
    assert (done.done, done.failed, names(shelf)) == (1, 3, ["small.txt"])
    said = words(job)
    assert said["larger.txt"].startswith("It was left out of the snapshot. It is larger than")
    assert "allows at most" in said["large.txt"]
    assert "allows only text/plain" in said["page.html"]


def test_a_bucket_of_few_types_takes_the_markers_of_empty_folders(as_owner: PageClient, shelf: Shelf) -> None:
    marker = "empty/.emptyFolderPlaceholder"
    shelf.put(marker, body=b"", content_type="application/octet-stream")
    shelf.put("page.html", body=b"x", content_type="text/html")
    run(shelf)
    shelf.storage.objects.delete_many(shelf.bucket, [marker])
    shelf.storage.buckets.update(shelf.bucket, public=False, file_size_limit=None, allowed_mime_types=["text/plain"])
    job = planned(as_owner, shelf, **EVERYTHING)
    shown = page(as_owner, job)
    assert ("1 is written." in shown, "1 can't be restored" in shown, "there, but" in shown) == (True, True, False)
    assert outcomes(go(job)) == {"empty/": "done", "page.html": "failed"}
    assert [row.name for row in shelf.storage.objects.all(shelf.bucket, prefix="empty")] == [".emptyFolderPlaceholder"]
    shelf.storage.objects.delete_many(shelf.bucket, ["page.html"])
    shelf.storage.objects.replace(shelf.bucket, marker, b"", content_type="text/plain")
    assert "1 is the same there, and left." in page(as_owner, planned(as_owner, shelf, folder="empty/"))


def test_a_damaged_object_alone_is_not_restored(as_owner: PageClient, shelf: Shelf) -> None:
    shelf.put("a.txt", body=b"one")
    shelf.put("b.txt", body=b"two")
    run(shelf)
    shelf.storage.objects.delete_many(shelf.bucket, ["a.txt", "b.txt"])
    entry = next(iter(Manifest(capture.store(), read_heads(capture.store())[0].lists)))
    capture.store().put(f"chunks/{entry.chunks[0][:2]}/{entry.chunks[0]}", b"ruin")
    done = go(planned(as_owner, shelf, **EVERYTHING))
    assert (done.done, done.failed, names(shelf)) == (1, 1, ["b.txt"])
    assert words(done)["a.txt"].startswith("Not restored. Its bytes are damaged in the store")


def test_nothing_is_replaced_that_the_plan_did_not_show(as_owner: PageClient, shelf: Shelf) -> None:
    as_it_was(shelf)
    job = planned(as_owner, shelf, folder="a/")
    shelf.storage.objects.replace(shelf.bucket, "a/changed.txt", b"even newer", content_type="text/plain")
    shelf.put("a/gone.txt", body=b"back again")
    done = go(job, "replace")
    assert (done.done, done.failed) == (0, 2)
    assert (text(shelf, "a/changed.txt"), text(shelf, "a/gone.txt")) == ("even newer", "back again")
    assert words(done) == {
        "a/changed.txt": "Not restored: the object was changed or deleted after planning.",
        "a/gone.txt": "Not restored: an object was stored there after planning.",
    }


@pytest.mark.parametrize("lost", ["S9 before", "S9 after", "S10 before", "S10 after"])
def test_a_lost_answer_is_settled_and_sent_again_only_if_nothing_was_stored(
    as_owner: PageClient, shelf: Shelf, faults: Faults, calls: Calls, lost: str
) -> None:
    operation, cut = lost.split()
    as_it_was(shelf)
    job = planned(as_owner, shelf, folder="a/")
    begins = {"S9": "POST /", "S10": "PUT /"}[operation]
    ends = {"S9": "/a/gone.txt", "S10": "/a/changed.txt"}[operation]
    faults(operation, cut=cut, times=1)
    calls()
    done = go(job, "replace")
    assert (done.state, done.done) == (State.DONE, 2), words(job)
    assert (text(shelf, "a/gone.txt"), text(shelf, "a/changed.txt")) == ("then", "then")
    sent = [call for call in calls() if call.startswith(begins) and call.endswith(ends)]
    assert len(sent) == (2 if cut == "before" else 1)
    assert Entry.objects.filter(action=f"job-{job.pk}", operation=operation).latest("pk").outcome == "done"


def test_a_store_that_is_away_pauses_it(as_owner: PageClient, shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    as_it_was(shelf)
    job = planned(as_owner, shelf, folder="a/")
    original = Store.chunk
    wanted = {name for entry in Manifest(capture.store(), read_heads(capture.store())[0].lists) for name in entry.chunks}

    def away(self: Store, name: str) -> bytes:
        if name in wanted:
            raise StoreError("Away.")
        return original(self, name)

    with monkeypatch.context() as patched:
        patched.setattr(Store, "chunk", away)
        Job.objects.filter(pk=job.pk).update(state=State.QUEUED, phase="run", parameters={**job.parameters, "policy": "skip"})
        paused = turn(job)
    assert (paused.state, paused.message) == (State.WAITING, "The store of snapshots can't be used. Away.")
    assert set(JobItem.objects.filter(job=job).values_list("state", flat=True)) <= {"waiting", "skipped"}
    assert ended(job).done == 1


def test_a_snapshot_is_not_deleted_while_a_job_restores_from_it(as_owner: PageClient, shelf: Shelf) -> None:
    as_it_was(shelf)
    job = planned(as_owner, shelf, folder="a/")
    heads = read_heads(capture.store())
    Job.objects.filter(pk=job.pk).update(state=State.QUEUED)
    refused = turn(collect.begin(shelf.workspace, heads, back=""))
    assert (refused.state, "A job restores from the snapshot" in refused.message) == (State.FAILED, True)
    Job.objects.filter(pk=job.pk).update(state=State.PLANNED)
    assert go(job, "replace").done == 2
    assert ended(collect.begin(shelf.workspace, heads, back="")).state == State.DONE
    assert read_heads(capture.store()) == []


def test_a_plan_that_waits_for_review_keeps_no_snapshot(as_owner: PageClient, shelf: Shelf) -> None:
    as_it_was(shelf)
    deletion = address(shelf, "deletion")
    assert "waits for review" not in as_owner.get(deletion, headers=htmx("dialog")).text
    job = planned(as_owner, shelf, folder="a/")
    assert "A plan to restore from it waits for review." in as_owner.get(deletion, headers=htmx("dialog")).text
    as_owner.post(deletion, headers=htmx("dialog"))
    assert ended(Job.objects.get(kind="delete snapshots")).state == State.DONE
    assert read_heads(capture.store()) == []
    failed = go(job, "replace")
    assert (failed.state, failed.message) == (State.FAILED, "The snapshot was deleted.")
    assert text(shelf, "a/changed.txt") == "now"


def test_a_snapshot_that_is_gone_ends_it_and_nothing_is_in_doubt(as_owner: PageClient, shelf: Shelf) -> None:
    as_it_was(shelf)
    job = planned(as_owner, shelf, folder="a/")
    capture.store().remove(read_heads(capture.store())[0].path)
    failed = go(job, "replace")
    assert (failed.state, failed.message) == (State.FAILED, "The snapshot was deleted.")
    assert set(outcomes(job).values()) == {"waiting"}


def test_where_all_is_as_it_was_there_is_nothing_to_do(as_owner: PageClient, shelf: Shelf) -> None:
    shelf.put("a.txt", "b/c.txt")
    run(shelf)
    job = planned(as_owner, shelf, **EVERYTHING)
    assert (job.state, job.total) == (State.DONE, 0)
    shown = page(as_owner, job)
    for line in ("Nothing to do", "0 objects, 0 bytes. 2 are the same there, and left.", "There was nothing to do."):
        assert line in shown


def labelled(shelf: Shelf, *, cache: str, by: str) -> None:
    """Store the same bytes as ever, with these labels."""
    shelf.storage.objects.upload(
        shelf.bucket, "a.txt", b"same", content_type="text/plain", cache_control=cache, metadata={"by": by}, upsert=True
    )


def labels(shelf: Shelf) -> tuple[str | None, object]:
    info = shelf.storage.objects.info(shelf.bucket, "a.txt")
    return info.cache_control, info.metadata


def test_the_same_bytes_with_other_labels_are_restored(as_owner: PageClient, shelf: Shelf, calls: Calls) -> None:
    labelled(shelf, cache="max-age=60", by="Ada")
    shelf.put("b.txt", "c.txt")
    run(shelf)
    labelled(shelf, cache="max-age=1", by="Bob")
    shelf.storage.objects.replace(shelf.bucket, "b.txt", b"x", content_type="text/plain")
    calls()
    job = planned(as_owner, shelf, **EVERYTHING)
    assert [call.rpartition("/")[2] for call in calls() if "/info/" in call] == ["a.txt", "b.txt"], "c.txt was not written again"
    shown = page(as_owner, job)
    assert "1 is there, but not as in the snapshot." in shown
    assert "2 are the same there, and left." in shown
    assert outcomes(go(job, "replace")) == {"a.txt": "done"}
    assert labels(shelf) == ("max-age=60", {"by": "Ada"})


def test_replacing_labels_whose_answer_was_lost_is_sent_again(as_owner: PageClient, shelf: Shelf, faults: Faults) -> None:
    """The bytes that are there prove nothing: they are the same before and after."""
    labelled(shelf, cache="max-age=60", by="Ada")
    run(shelf)
    labelled(shelf, cache="max-age=1", by="Bob")
    job = planned(as_owner, shelf, **EVERYTHING)
    faults("S10", cut="before", times=1)
    assert outcomes(go(job, "replace")) == {"a.txt": "done"}
    assert labels(shelf) == ("max-age=60", {"by": "Ada"})


def test_large_buckets_are_planned_in_blocks(as_owner: PageClient, shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    shelf.put(*(f"{folder}/{number}" for folder in "abc" for number in range(5)), "d")
    run(shelf)
    shelf.storage.buckets.empty(shelf.bucket)
    monkeypatch.setattr(restore_plan, "COMPARED_AT_ONCE", 2)
    done = go(planned(as_owner, shelf, folder=["a/", "c/"], key=["d", "b/3"]))
    assert done.done == 12
    assert sorted(outcomes(done)) == sorted(["b/3", "d", *(f"{folder}/{number}" for folder in "ac" for number in range(5))])


def test_ticking_nothing_is_told(as_owner: PageClient, shelf: Shelf) -> None:
    as_it_was(shelf)
    assert "Nothing selected" in as_owner.get(address(shelf), headers=htmx("dialog")).text
    search = as_owner.get(address(shelf, all="1", filter="gone"), headers=htmx("dialog")).text
    assert "Nothing selected" in search, "a search finds what is there now"
    folder = as_owner.get(address(shelf, "show", path="a/")).text
    assert 'name="key" value="a/gone.txt"' in folder
    assert 'name="folder" value="a/"' in as_owner.get(address(shelf, "show")).text


def test_a_viewer_restores_nothing(as_owner: PageClient, owner: Person, shelf: Shelf) -> None:
    as_it_was(shelf)
    Person.objects.filter(pk=owner.pk).update(role=Role.VIEWER)
    as_owner.post(address(shelf, **EVERYTHING), {"space": shelf.space, "bucket": shelf.bucket}, headers=htmx("dialog"))
    assert not Job.objects.filter(kind="restore objects").exists()


def test_an_item_that_an_earlier_try_stored_is_done(as_owner: PageClient, shelf: Shelf) -> None:
    as_it_was(shelf)
    job = planned(as_owner, shelf, folder="a/")
    shelf.storage.objects.replace(shelf.bucket, "a/changed.txt", b"then", content_type="text/plain")
    shelf.put("a/gone.txt", body=b"then")
    done = go(job, "replace")
    assert (done.done, done.failed) == (2, 0), words(done)


def test_what_the_service_refuses_to_replace_is_not_in_the_trash(
    as_owner: PageClient, shelf: Shelf, faults: Faults, settings: Settings
) -> None:
    settings.TRASH_DAYS = 30
    as_it_was(shelf)
    job = planned(as_owner, shelf, folder="a/")
    faults("S10", status=403, message="Not for you", times=1)
    done = go(job, "replace")
    assert outcomes(done) == {"a/changed.txt": "failed", "a/gone.txt": "done"}
    assert [head for head in read_heads(capture.store()) if head.is_trash] == []
