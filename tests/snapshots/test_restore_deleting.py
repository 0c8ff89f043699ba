"""Restoring a folder or everything to where it was, and deleting what came later: only if asked, reviewed, and kept first."""

from datetime import timedelta
from html import unescape

import msgspec
import pytest
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings

from dashboard.catalog.selection import Selection
from dashboard.jobs import transitions
from dashboard.jobs.models import ItemState, Job, JobItem, State
from dashboard.journal.models import Entry
from dashboard.snapshots import capture, restore, restore_plan, trash
from dashboard.snapshots.manifest import Manifest, read_heads, write_head
from dashboard.team.models import Person, Role
from dashboard.tokens.models import Kind
from dashboard.tokens.workspace import Workspace
from tests.catalog.conftest import Shelf, shelf
from tests.conftest import Sandbox
from tests.features.bulk.conftest import go, outcomes, words
from tests.features.grants import Lent, lent
from tests.features.service import Faults, faults
from tests.jobs.conftest import turn
from tests.pages import PageClient, htmx
from tests.people import hold
from tests.snapshots.test_capture import ended, in_a_folder, run
from tests.snapshots.test_folders import run_folder
from tests.snapshots.test_restore import EVERYTHING, address, as_it_was, names, page, planned
from tests.snapshots.test_trash import deletions, for_thirty_days, held

__all__ = ["faults", "for_thirty_days", "in_a_folder", "lent", "shelf"]

BOX = 'name="deletes"'


def there(shelf: Shelf, folder: str = "a/") -> list[str]:
    return sorted(row.name for row in shelf.storage.objects.all(shelf.bucket, prefix=folder, limit=1000))


def dialog(client: PageClient, shelf: Shelf, **chosen: str | list[str]) -> str:
    return client.post(address(shelf), chosen, headers=htmx("dialog"), follow=True).text


def confirm(client: PageClient, job: Job, typed: str, policy: str = "replace") -> str:
    """Apply the plan on its page."""
    assert job.planned_at
    given = {"planned": job.planned_at.isoformat(), "typed": typed, "policy": policy}
    return unescape(client.post(reverse("jobs:beginning", args=[job.pk]), given).text)


def test_nothing_is_deleted_unless_the_box_is_ticked(as_owner: PageClient, shelf: Shelf) -> None:
    as_it_was(shelf)
    shown = dialog(as_owner, shelf, folder="a/")
    assert BOX in shown
    assert "checked" not in shown
    job = planned(as_owner, shelf, folder="a/")
    assert "deleted" not in page(as_owner, job).partition("Items")[0]
    go(job, "replace")
    assert there(shelf) == ["changed.txt", "gone.txt", "new.txt", "same.txt"]


def test_what_came_later_is_named_confirmed_kept_and_deleted(as_owner: PageClient, shelf: Shelf) -> None:
    as_it_was(shelf)
    shelf.put("a/deep/newer.txt", "beside.txt", body=b"newer")
    job = planned(as_owner, shelf, folder="a/", deletes="on")
    shown = page(as_owner, job)
    assert f"Restore 1 folder to {shelf.bucket}: 2 objects, 8 bytes. Delete 2 objects that came later, 8 bytes." in shown
    assert "2 are deleted: a/new.txt, a/deep/newer.txt. The list names all." in shown
    assert "Deleted files are kept for 30 days in the trash. What can't be kept stays." in shown
    assert "Restore and delete" in shown
    assert shown.count(">Deletion<") == 2
    assert "This does not match 2" in confirm(as_owner, job, "3")
    job.refresh_from_db()
    assert job.state == State.PLANNED
    confirm(as_owner, job, "2")
    done = ended(job)
    assert (done.state, done.done, done.failed) == (State.DONE, 4, 0), words(done)
    assert there(shelf) == ["changed.txt", "gone.txt", "same.txt"]
    assert names(shelf) == ["a", "beside.txt"]
    kept = [held(head) for head in deletions()]
    assert kept == [{"a/changed.txt": b"now"}, {"a/deep/newer.txt": b"newer", "a/new.txt": b"new"}]
    entry = Entry.objects.get(action=f"job-{job.pk}", operation="S8")
    assert (entry.outcome, entry.target) == ("done", f"2 objects in {shelf.bucket}")
    assert (entry.before, entry.after) == ({"keys": ["a/deep/newer.txt", "a/new.txt"]}, {"deleted": 2, "left": []})
    csv = b"".join(as_owner.get(reverse("jobs:export", args=[job.pk])).streaming_content).decode()  # type: ignore[attr-defined] # streamed
    assert [row.rstrip().endswith(",yes") for row in csv.splitlines() if ",a/" in row] == [False, False, True, True]


def test_everything_is_as_it_was_then(as_owner: PageClient, shelf: Shelf) -> None:
    as_it_was(shelf)
    shelf.put("z/empty/.emptyFolderPlaceholder", body=b"")
    job = planned(as_owner, shelf, deletes="on", **EVERYTHING)
    assert job.title.endswith(", and delete what came later")
    assert go(job, "replace").state == State.DONE
    assert (names(shelf), there(shelf)) == (["a", "other.txt"], ["changed.txt", "gone.txt", "same.txt"])
    head = next(head for head in read_heads(capture.store()) if not head.is_trash)
    everything = Selection(shelf.space, shelf.bucket, filter="*")
    again = restore.begin(shelf.workspace, head, everything, to_space=shelf.space, to_bucket=shelf.bucket, deletes=True, back="/")
    again = turn(again)
    assert (again.state, again.total) == (State.DONE, 0)


def test_what_was_stored_before_the_snapshot_was_whole_stays_and_is_told(as_owner: PageClient, shelf: Shelf) -> None:
    as_it_was(shelf)
    head = read_heads(capture.store())[-1]
    write_head(capture.store(), msgspec.structs.replace(head, ended=head.ended + timedelta(days=1)))
    job = planned(as_owner, shelf, folder="a/", deletes="on")
    shown = page(as_owner, job)
    assert "1 is not in the snapshot, though stored before it was whole, and stays." in shown
    assert "Nothing is deleted: nothing there came after the snapshot." in shown
    go(job, "replace")
    assert "new.txt" in there(shelf)


def test_what_was_left_out_of_the_snapshot_is_not_deleted(as_owner: PageClient, shelf: Shelf, settings: Settings) -> None:
    settings.SNAPSHOT_MAX_FILE_BYTES = 3
    shelf.put("a/large.txt", body=b"1234")
    run(shelf)
    settings.SNAPSHOT_MAX_FILE_BYTES = 5000
    shelf.storage.objects.replace(shelf.bucket, "a/large.txt", b"12345", content_type="text/plain")
    shelf.put("a/new.txt", body=b"new")
    done = go(planned(as_owner, shelf, folder="a/", deletes="on"))
    assert outcomes(done) == {"a/large.txt": "failed", "a/new.txt": "done"}, "it was known that it can't be restored"
    assert there(shelf) == ["large.txt"]


def test_what_is_new_or_changed_after_planning_stays_and_is_told(as_owner: PageClient, shelf: Shelf) -> None:
    as_it_was(shelf)
    shelf.put("a/other.txt", body=b"same")
    job = planned(as_owner, shelf, folder="a/", deletes="on")
    shelf.storage.objects.replace(shelf.bucket, "a/new.txt", b"newer", content_type="text/plain")
    shelf.storage.objects.delete(shelf.bucket, "a/other.txt")
    shelf.put("a/newest.txt", body=b"newest")
    done = go(job, "replace")
    assert words(done)["a/new.txt"] == "Not deleted: the object was changed after planning."
    assert outcomes(done)["a/other.txt"] == "skipped"
    assert there(shelf) == ["changed.txt", "gone.txt", "new.txt", "newest.txt", "same.txt"]


def test_what_can_not_be_kept_is_not_deleted(as_owner: PageClient, shelf: Shelf, settings: Settings) -> None:
    as_it_was(shelf)
    shelf.put("a/large.txt", body=b"12345")
    job = planned(as_owner, shelf, folder="a/", deletes="on")
    settings.SNAPSHOT_MAX_FILE_BYTES = 4
    done = go(job, "replace")
    assert words(done)["a/large.txt"] == "Not deleted. It could not be kept. It is larger than 4 bytes."
    assert there(shelf) == ["changed.txt", "gone.txt", "large.txt", "same.txt"]


@pytest.mark.parametrize("policy", ["replace", "unkept"])
def test_where_the_trash_is_off_the_plan_says_that_it_is_for_good(as_owner: PageClient, shelf: Shelf, policy: str) -> None:
    as_it_was(shelf)
    if policy == "replace":
        trash.switch(shelf.space, shelf.bucket, on=False)
    job = planned(as_owner, shelf, folder="a/", deletes="on")
    assert ("Deleted files are not kept. This can't be undone." in page(as_owner, job)) == (policy == "replace")
    go(job, policy)
    assert there(shelf) == ["changed.txt", "gone.txt", "same.txt"]
    kept = [held(head) for head in deletions()]
    assert kept == ([] if policy == "replace" else [{"a/new.txt": b"new"}]), "the choice is about what is replaced"


def test_nothing_is_deleted_while_something_is_not_restored(as_owner: PageClient, shelf: Shelf, faults: Faults) -> None:
    as_it_was(shelf)
    job = planned(as_owner, shelf, folder="a/", deletes="on")
    faults("S9", status=400, message="No room", times=1)
    done = go(job, "replace")
    assert outcomes(done) == {"a/changed.txt": "done", "a/gone.txt": "failed", "a/new.txt": "failed"}
    assert words(done)["a/new.txt"] == "Not deleted: something could not be restored. Try that again first."
    as_owner.post(reverse("jobs:repetition", args=[job.pk]))
    assert outcomes(ended(job)) == dict.fromkeys(("a/changed.txt", "a/gone.txt", "a/new.txt"), "done")
    assert there(shelf) == ["changed.txt", "gone.txt", "same.txt"]


@pytest.mark.parametrize("cut", ["before", "after"])
def test_a_deletion_without_an_answer_is_settled(as_owner: PageClient, shelf: Shelf, faults: Faults, cut: str) -> None:
    as_it_was(shelf)
    job = planned(as_owner, shelf, folder="a/", deletes="on")
    faults("S8", cut=cut, times=1)
    done = go(job, "replace")
    assert (done.state, done.done, done.failed) == (State.DONE, 3, 0), words(done)
    assert there(shelf) == ["changed.txt", "gone.txt", "same.txt"]


def test_an_upload_without_an_answer_is_settled_before_anything_is_deleted(
    as_owner: PageClient, shelf: Shelf, faults: Faults
) -> None:
    as_it_was(shelf)
    job = planned(as_owner, shelf, folder="a/", deletes="on")
    faults("S9", cut="before", times=1)
    done = go(job, "replace")
    assert (done.state, done.done, done.failed) == (State.DONE, 3, 0), words(done)
    operations = list(Entry.objects.filter(action=f"job-{job.pk}").order_by("pk").values_list("operation", flat=True))
    assert (operations.count("S9"), operations.index("S8")) == (2, len(operations) - 1)


def test_what_is_in_doubt_is_waited_for_before_anything_is_deleted(as_owner: PageClient, shelf: Shelf) -> None:
    as_it_was(shelf)
    job = planned(as_owner, shelf, folder="a/", deletes="on")
    transitions.apply(job, "replace")
    item = JobItem.objects.filter(job=job, target="a/gone.txt")
    item.update(state=ItemState.IN_FLIGHT, started_at=timezone.now(), check_until=timezone.now() + timedelta(hours=1))
    waiting = turn(job)
    assert (waiting.state, waiting.message) == (State.WAITING, "Nothing is deleted before everything is restored.")
    assert "new.txt" in there(shelf)
    item.update(check_until=timezone.now())
    assert ended(job).done == 3
    assert there(shelf) == ["changed.txt", "gone.txt", "same.txt"]


def test_it_is_not_offered_for_a_selection_nor_elsewhere(as_owner: PageClient, shelf: Shelf) -> None:
    as_it_was(shelf)
    for chosen in ({"key": "a/gone.txt"}, {"folder": ["a/", "b/"]}, {"folder": "a/", "key": "other.txt"}):
        assert BOX not in dialog(as_owner, shelf, **chosen)
    link = address(shelf, **EVERYTHING)
    assert BOX in as_owner.get(link, headers=htmx("dialog")).text
    another = f"{shelf.bucket} 2"
    shelf.storage.buckets.create(another)
    given = {"space": shelf.space, "bucket": another, "deletes": "on"}
    answer = unescape(as_owner.post(link, given, headers=htmx("dialog")).text)
    shelf.storage.buckets.delete(another)
    assert "Files can be deleted only where the snapshot was taken. Nothing was planned." in answer
    assert not Job.objects.filter(kind="restore objects").exists()


def test_a_snapshot_that_does_not_tell_what_was_not_there_deletes_nothing(as_owner: PageClient, shelf: Shelf) -> None:
    shelf.put("a/b/c.txt", "a/d.txt", body=b"then")
    folder = Selection(shelf.space, shelf.bucket, folders=("a/",))
    everything = Selection(shelf.space, shelf.bucket, filter="*")

    def deletes(selection: Selection) -> str | None:
        return restore_plan.vouched(shelf.workspace, read_heads(capture.store())[-1], selection)

    run(shelf)
    assert (deletes(folder), deletes(everything)) == ("a/", "")
    head = read_heads(capture.store())[-1]
    write_head(capture.store(), msgspec.structs.replace(head, unlisted=1))
    assert (deletes(folder), deletes(everything)) == (None, None), "it doesn't list every file"
    write_head(capture.store(), msgspec.structs.replace(head, token="of somebody else"))
    assert (deletes(folder), deletes(everything)) == (None, None), "another token may have seen fewer"
    run_folder(shelf, "a/b/")
    assert (deletes(folder), deletes(everything)) == (None, "a/b/"), "it tells nothing of the other files of a folder around it"
    assert deletes(Selection(shelf.space, shelf.bucket, folders=("a/b/other/",))) is None, "it holds nothing there"
    assert trash.keep(*shelf.place, ["a/d.txt"]).head
    kept = [restore_plan.vouched(shelf.workspace, deletions()[0], one) for one in (folder, everything)]
    assert kept == [None, None], "the trash holds what was deleted only"
    assert restore.undo(shelf.workspace, deletions()[0], back="/").parameters["deletes"] is None


def test_a_token_that_may_not_see_every_file_deletes_nothing(owner: Person, shelf: Shelf, service: Sandbox) -> None:
    shelf.put("a.txt")
    run(shelf)
    everything, head = Selection(shelf.space, shelf.bucket, filter="*"), read_heads(capture.store())[-1]
    assert restore_plan.vouched(Workspace(owner), head, everything) == ""
    hold(owner, next(token for name, token in service.storage_tokens[shelf.space].items() if name != "service"), shelf.space)
    write_head(capture.store(), msgspec.structs.replace(head, token=Workspace(owner).fingerprint(Kind.STORAGE, shelf.space)))
    assert restore_plan.vouched(Workspace(owner), head, everything) is None


def test_a_lower_role_stops_the_deletion(as_owner: PageClient, owner: Person, shelf: Shelf) -> None:
    as_it_was(shelf)
    job = planned(as_owner, shelf, folder="a/", deletes="on")
    Person.objects.filter(pk=owner.pk).update(role=Role.VIEWER)
    assert go(job, "replace").state == State.FAILED
    assert there(shelf) == ["changed.txt", "new.txt", "same.txt"]


@pytest.mark.parametrize(
    ("acts", "is_offered"),
    [
        (("read", "upload", "change", "delete"), True),
        (("read", "upload", "change"), False),
        (("read", "delete"), False),
    ],
)
def test_a_grantee_deletes_only_in_a_folder_of_theirs_and_only_with_delete(
    owner: Person, lent: Lent, acts: tuple[str, ...], is_offered: bool
) -> None:
    lent.put("inside/gone.txt", "outside.txt", body=b"then")
    ended(capture.begin(Workspace(owner), lent.space, lent.bucket, back=""))
    lent.put("inside/new.txt", "outside-new.txt", body=b"new")
    lent.change(acts=list(acts))
    head = read_heads(capture.store())[-1]
    link = reverse("snapshots:restorations", args=[lent.space, lent.bucket, head.id])
    assert BOX not in lent.client.get(link, EVERYTHING, headers=htmx("dialog")).text, "it is only a part of the snapshot"
    assert (BOX in lent.client.get(link, {"folder": "inside/"}, headers=htmx("dialog")).text) == is_offered
    given = {"space": lent.space, "bucket": lent.bucket, "deletes": "on"}
    lent.client.post(f"{link}?folder=inside/", given, headers=htmx("dialog"))
    for job in map(turn, Job.objects.filter(kind="restore objects")):
        if job.state == State.PLANNED:
            go(job)
    left = sorted(row.name for row in lent.storage.objects.all(lent.bucket, prefix="inside/", limit=10))
    assert left == (["gone.txt"] if is_offered else ["gone.txt", "new.txt"])
    assert "outside-new.txt" in {row.name for row in lent.storage.objects.all(lent.bucket, limit=10)}


def test_what_is_deleted_leaves_the_index_and_the_manifest_is_read_in_order(
    as_owner: PageClient, shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys = [f"{folder}{number:03}.txt" for folder in ("a/", "a/b/", "c/") for number in range(30)]
    shelf.put(*keys)
    run(shelf)
    shelf.put(*(f"{key}.new" for key in keys))
    monkeypatch.setattr(restore_plan, "COMPARED_AT_ONCE", 20)
    assert len(list(Manifest(capture.store(), read_heads(capture.store())[-1].lists))) == 90
    job = planned(as_owner, shelf, deletes="on", **EVERYTHING)
    assert (job.total, job.facts["extra"], len(job.facts["extra names"])) == (90, 90, 5)
    assert "and more. The list names all." in page(as_owner, job)
    assert go(job).done == 90
    assert [len(there(shelf, folder)) for folder in ("a/", "a/b/", "c/")] == [31, 30, 30]
