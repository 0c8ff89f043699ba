"""What is deleted through the pages is kept first, and comes back."""

from datetime import timedelta
from html import unescape

import pytest
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings

from dashboard.catalog.selection import Selection
from dashboard.features.bulk import services as bulk
from dashboard.features.bulk.tasks import delete
from dashboard.jobs.models import Job, State
from dashboard.jobs.plans import UNKEPT
from dashboard.journal.models import Entry
from dashboard.snapshots import capture, collect, manifest, restore, schedule, trash
from dashboard.snapshots.export import content, verify
from dashboard.snapshots.manifest import Head, Manifest, read_head, read_heads
from dashboard.snapshots.store import Store, StoreError
from dashboard.team.models import Person
from dashboard.tokens.models import StoredToken
from tests.catalog.conftest import Shelf, shelf
from tests.conftest import Sandbox
from tests.features.bulk.conftest import go, outcomes, through, words
from tests.features.grants import lend
from tests.features.service import Calls, Faults, calls, faults
from tests.jobs.conftest import turn
from tests.pages import PageClient, htmx, kept
from tests.people import client_of, hold
from tests.snapshots.conftest import replace_while_kept
from tests.snapshots.test_capture import ended, in_a_folder, run
from tests.snapshots.test_restore import names, text

__all__ = ["calls", "faults", "in_a_folder", "shelf"]

WITHOUT = {"unkept": "yes"}


@pytest.fixture(autouse=True)
def for_thirty_days(settings: Settings) -> None:
    settings.TRASH_DAYS = 30


def one(shelf: Shelf, key: str) -> str:
    return reverse("objects:deletion", args=[shelf.space, shelf.bucket], query={"key": key})


def selected(client: PageClient, shelf: Shelf, *keys: str) -> str:
    return kept(client, reverse("objects:selection", args=[shelf.space, shelf.bucket]), key=list(keys))


def deletions() -> list[Head]:
    return [head for head in read_heads(capture.store()) if head.is_trash]


def held(head: Head) -> dict[str, bytes]:
    store = capture.store()
    try:
        damaged = list(verify(store, head, set()))
    except StoreError as error:
        damaged = [str(error)]
    assert not damaged
    return {entry.key: b"".join(content(store, entry)) for entry in Manifest(store, head.lists)}


def planned(shelf: Shelf, *folders: str, policy: str = "") -> Job:
    selection = Selection(shelf.space, shelf.bucket, folders=folders)
    return turn(bulk.delete(shelf.workspace, selection, back="/", policy=policy))


def test_a_file_is_kept_before_it_is_deleted(as_owner: PageClient, shelf: Shelf, owner: Person) -> None:
    shelf.put("a/b.txt", body=b"then")
    asked = as_owner.get(one(shelf, "a/b.txt"), headers=htmx("dialog")).text
    assert "Kept for 30 days in the trash (4 bytes)." in asked
    assert "Delete without keeping" in asked
    assert "t be undone" not in unescape(asked)
    answer = as_owner.post(one(shelf, "a/b.txt"), headers=htmx("dialog"))
    assert not names(shelf)
    (head,) = deletions()
    assert held(head) == {"a/b.txt": b"then"}
    assert (head.deleted_by, head.names, head.bytes) == (str(owner), ["a/b.txt"], 4)
    undo = reverse("snapshots:undo", args=[shelf.space, shelf.bucket, head.id])
    assert f'hx-post="{undo}"' in answer.text


def test_undo_brings_a_deleted_file_back_as_it_was(as_owner: PageClient, shelf: Shelf) -> None:
    objects = shelf.storage.objects
    objects.upload(shelf.bucket, "a.html", b"<p>", content_type="text/html", cache_control="max-age=60", metadata={"by": "Ada"})
    as_owner.post(one(shelf, "a.html"), headers=htmx("dialog"))
    assert not names(shelf)
    as_owner.post(reverse("snapshots:undo", args=[shelf.space, shelf.bucket, deletions()[0].id]), headers=htmx("dialog"))
    job = through(Job.objects.get(kind="restore objects"))
    assert (job.state, job.done) == (State.DONE, 1), "nobody has to approve it"
    assert job.title.startswith(f"Restore what was deleted in {shelf.bucket} at ")
    info = objects.info(shelf.bucket, "a.html")
    assert (info.content_type, info.cache_control, info.metadata) == ("text/html", "max-age=60", {"by": "Ada"})


def test_undo_asks_first_where_something_else_is_there_now(shelf: Shelf) -> None:
    shelf.put("a.txt", body=b"then")
    head = trash.keep(*shelf.place, ["a.txt"]).head
    assert head
    shelf.storage.objects.replace(shelf.bucket, "a.txt", b"now", content_type="text/plain")
    job = turn(restore.undo(shelf.workspace, head, back="/"))
    assert job.state == State.PLANNED
    go(job, "replace")
    assert text(shelf, "a.txt") == "then"


def test_a_selection_is_kept_before_it_is_deleted(as_owner: PageClient, shelf: Shelf) -> None:
    shelf.put("b.txt", "a/1.txt", "a/2.txt", "stays.txt", body=b"12345")
    here = selected(as_owner, shelf, "b.txt", "a/1.txt", "a/2.txt")
    assert "Kept for 30 days in the trash (15 bytes)." in as_owner.get(here).text
    as_owner.post(here, {"count": "3"})
    assert names(shelf) == ["stays.txt"]
    assert list(held(deletions()[0])) == ["a/1.txt", "a/2.txt", "b.txt"]


def test_what_can_not_be_kept_is_not_deleted_and_says_why(as_owner: PageClient, shelf: Shelf, settings: Settings) -> None:
    settings.SNAPSHOT_MAX_FILE_BYTES = 3
    shelf.put("large.txt", body=b"12345")
    shelf.put("small.txt", body=b"1")
    shown = as_owner.post(selected(as_owner, shelf, "large.txt", "small.txt"), {"count": "2"}, headers=htmx("dialog")).text
    assert "1 of 2 deleted" in shown
    assert "could not be kept. It is larger than 3 bytes." in shown
    assert names(shelf) == ["large.txt"]
    assert "It is larger than 3 bytes." in as_owner.post(one(shelf, "large.txt"), headers=htmx("dialog")).text
    assert names(shelf) == ["large.txt"]


def test_without_keeping_it_is_deleted_at_once(as_owner: PageClient, shelf: Shelf, settings: Settings, calls: Calls) -> None:
    settings.SNAPSHOT_MAX_FILE_BYTES = 3
    shelf.put("large.txt", "larger.txt", "largest.txt", body=b"12345")
    calls()
    as_owner.post(one(shelf, "large.txt"), WITHOUT, headers=htmx("dialog"))
    as_owner.post(selected(as_owner, shelf, "larger.txt", "largest.txt"), {"count": "2", **WITHOUT}, headers=htmx("dialog"))
    assert not names(shelf)
    assert not deletions()


def test_a_full_store_deletes_nothing(as_owner: PageClient, shelf: Shelf, settings: Settings) -> None:
    settings.SNAPSHOT_MAX_BYTES = 3
    shelf.put("a.txt", body=b"12345")
    refused = as_owner.post(one(shelf, "a.txt"), headers=htmx("dialog")).text
    assert "Snapshots take 0 bytes of at most 3 bytes (SNAPSHOT_MAX_BYTES), and up to 5 bytes more are needed." in refused
    assert "Delete some, or raise the limit." in refused
    assert names(shelf) == ["a.txt"]


def test_a_store_that_is_away_deletes_nothing(as_owner: PageClient, shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise StoreError("The disk is away.")

    shelf.put("a.txt")
    monkeypatch.setattr(Store, "add", refuse)
    assert "The disk is away." in as_owner.post(one(shelf, "a.txt"), headers=htmx("dialog")).text
    assert names(shelf) == ["a.txt"]


def test_a_token_that_may_not_read_deletes_only_without_keeping(as_owner: PageClient, shelf: Shelf, faults: Faults) -> None:
    shelf.put("a.txt")
    faults("S18", status=403, message="Not for you", times=1)
    assert "Not deleted. It could not be kept." in as_owner.post(one(shelf, "a.txt"), headers=htmx("dialog")).text
    assert names(shelf) == ["a.txt"]
    as_owner.post(one(shelf, "a.txt"), WITHOUT, headers=htmx("dialog"))
    assert not names(shelf)


def test_what_changes_while_it_is_kept_is_not_deleted(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    shelf.put("a.txt", "b.txt", body=b"then")
    replace_while_kept(shelf, monkeypatch)
    found = trash.keep(*shelf.place, ["a.txt", "b.txt"])
    assert (found.keys, found.why) == (["b.txt"], {"a.txt": trash.CHANGED})


def test_what_the_store_holds_already_is_not_read_again(shelf: Shelf, calls: Calls) -> None:
    shelf.put("a.txt", "b.txt", body=b"then")
    run(shelf)
    calls()
    assert trash.keep(*shelf.place, ["a.txt", "b.txt"]).keys == ["a.txt", "b.txt"]
    assert not [call for call in calls() if call.startswith("GET")]


def test_a_folder_is_kept_before_a_job_deletes_it(as_owner: PageClient, shelf: Shelf) -> None:
    shelf.put("a/1.txt", "a/b/2.txt", "stays.txt", body=b"12345")
    shelf.put("a/empty/.emptyFolderPlaceholder", body=b"")
    job = planned(shelf, "a/")
    shown = unescape(as_owner.get(reverse("jobs:show", args=[job.pk])).text)
    for line in (
        "Kept for 30 days in the trash of the bucket.",
        "Keep for 30 days",
        "Copies 10 bytes to the trash first",
        "Delete without keeping",
    ):
        assert line in shown
    assert go(job, "keep").done == 3
    assert names(shelf) == ["stays.txt"]
    (head,) = deletions()
    assert list(held(head)) == ["a/1.txt", "a/b/2.txt", "a/empty/.emptyFolderPlaceholder"]
    job.refresh_from_db()
    ago = timezone.now() - timedelta(minutes=1)
    tray = as_owner.get(reverse("jobs:tray"), {"since": f"{ago:%Y-%m-%dT%H:%M:%S.%f}"}, headers=htmx("tray")).text
    assert f'<a href="{reverse("snapshots:undo", args=[shelf.space, shelf.bucket, head.id])}">Undo</a>' in tray


def test_a_job_tells_for_each_file_why_it_was_not_deleted(shelf: Shelf, settings: Settings) -> None:
    shelf.put("a/gone.txt")
    shelf.put("a/large.txt", body=b"12345")
    job = planned(shelf, "a/")
    settings.SNAPSHOT_MAX_FILE_BYTES = 3
    shelf.storage.objects.replace(shelf.bucket, "a/gone.txt", b"x", content_type="text/plain")
    done = go(job)
    assert outcomes(done) == {"a/gone.txt": "done", "a/large.txt": "failed"}
    assert words(done)["a/large.txt"].endswith("It is larger than 3 bytes.")
    assert names(shelf) == ["a"]


def test_a_job_deletes_without_keeping_if_that_was_chosen(shelf: Shelf, settings: Settings) -> None:
    settings.SNAPSHOT_MAX_FILE_BYTES = 3
    shelf.put("a/1.txt", "b/1.txt", body=b"12345")
    assert go(planned(shelf, "a/"), UNKEPT).done == 1
    assert go(planned(shelf, "b/", policy=UNKEPT)).done == 1
    assert (names(shelf), deletions()) == ([], [])


def test_a_folder_is_deleted_without_keeping_by_a_box_in_the_dialog(as_owner: PageClient, shelf: Shelf) -> None:
    shelf.put("a/1.txt", body=b"12345")
    here = reverse("bulk:deletion", args=[shelf.space, shelf.bucket], query={"folder": "a/", "counted": "1"})
    assert "Delete without keeping" in as_owner.get(here, headers=htmx("dialog")).text
    as_owner.post(here, {"count": "1", "typed": "a", **WITHOUT}, headers=htmx("dialog"))
    assert through(Job.objects.get(kind="delete objects")).done == 1
    assert (names(shelf), deletions()) == ([], [])


def test_many_bytes_are_kept_by_a_job_in_parts(as_owner: PageClient, shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trash, "AT_ONCE_BYTES", 8)
    shelf.put("a.txt", "b.txt", "c.txt", body=b"12345")
    answer = as_owner.get(selected(as_owner, shelf, "a.txt", "b.txt", "c.txt"), follow=True)
    assert answer.request["PATH_INFO"].endswith("/~bulk/deletion/")
    assert "3 objects, 15 bytes" in answer.text
    as_owner.post(f"{answer.request['PATH_INFO']}?{answer.request['QUERY_STRING']}", {"count": "3"}, headers=htmx("dialog"))
    job = through(Job.objects.get(kind="delete objects"))
    assert (job.state, job.done, names(shelf)) == (State.DONE, 3, [])
    (head,) = deletions()
    assert list(held(head)) == ["a.txt", "b.txt", "c.txt"]
    assert (head.objects, head.bytes, head.names) == (3, 15, ["a.txt", "b.txt", "c.txt"])
    job.refresh_from_db()
    assert delete.undo(job) == ("Undo", reverse("snapshots:undo", args=[shelf.space, shelf.bucket, head.id]))


def test_the_trash_lists_deletions_restores_and_deletes_them_for_good(as_owner: PageClient, shelf: Shelf) -> None:
    address = reverse("snapshots:trash", args=[shelf.space, shelf.bucket])
    assert "Nothing in the trash" in as_owner.get(address).text
    shelf.put("a/1.txt", "2.txt")
    for key in ("a/1.txt", "2.txt"):
        as_owner.post(one(shelf, key), headers=htmx("dialog"))
    shown = unescape(as_owner.get(address).text)
    assert shown.index("2.txt") < shown.index("a/1.txt"), "the newest first"
    assert "Kept for 30 days." in shown
    assert address in as_owner.get(reverse("objects:index", args=[shelf.space, shelf.bucket])).text
    snapshots = reverse("snapshots:index", args=[shelf.space, shelf.bucket])
    assert "No snapshots yet" in as_owner.get(snapshots).text
    here = reverse("snapshots:deletion", args=[shelf.space, shelf.bucket, deletions()[0].id])
    assert "Delete for good" in as_owner.get(here, headers=htmx("dialog")).text
    as_owner.post(here, headers=htmx("dialog"))
    assert ended(Job.objects.get(kind="delete snapshots")).state == State.DONE
    assert [head.names for head in deletions()] == [["2.txt"]]
    assert Entry.objects.filter(operation="snapshot deleted").count() == 1


def test_a_schedule_of_snapshots_leaves_the_trash_alone(shelf: Shelf) -> None:
    shelf.put("a.txt", body=b"then")
    trash.keep(*shelf.place, ["a.txt"])
    run(shelf)
    heads = read_heads(capture.store())
    kept = {"tokens": [heads[0].token], "last": 1, "days": 0}
    assert len(heads) == 2
    assert not schedule.outdated(heads, kept)
    assert not read_head(capture.store(), capture.last(shelf.space, shelf.bucket, heads[0].token)).is_trash


def test_chunks_that_are_removed_meanwhile_are_kept_again(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    shelf.put("a.txt", body=b"then")
    written = manifest.write_head

    def remove(store: Store, head: Head) -> None:
        written(store, head)
        monkeypatch.setattr(trash, "write_head", written)
        store.begin_generation()
        entries = list(Manifest(store, head.lists))
        store.remove_chunks(entries[0].chunks)

    monkeypatch.setattr(trash, "write_head", remove)
    assert trash.keep(*shelf.place, ["a.txt"]).keys == ["a.txt"]
    (head,) = deletions()
    assert held(head) == {"a.txt": b"then"}


def test_a_deletion_kept_while_chunks_are_removed_is_left_whole(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    shelf.put("a.txt", "b.txt", body=b"then")
    first = trash.keep(*shelf.place, ["a.txt"]).head
    assert first
    begin, is_removing = Store.begin_generation, collect.is_removing
    kept_now: list[Head | None] = []
    # It looked for such a job a moment before.
    monkeypatch.setattr(collect, "is_removing", lambda: False)

    def keep_between(store: Store) -> str:
        if is_removing() and not kept_now:
            kept_now.append(first)
            kept_now.append(trash.keep(*shelf.place, ["b.txt"]).head)
        return begin(store)

    monkeypatch.setattr(Store, "begin_generation", keep_between)
    ended(collect.begin(shelf.workspace, [first], back="/"))
    assert len(kept_now) == 2
    assert [held(head) for head in deletions()] == [{"b.txt": b"then"}]


def test_nothing_is_kept_by_chunks_that_are_being_removed(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    shelf.put("a.txt", body=b"then")
    run(shelf)
    (head,) = read_heads(capture.store())
    chunks, kept_now = Store.chunks, list[trash.Kept]()
    monkeypatch.setattr(trash, "WAIT_SECONDS", 0.0)

    def keep_before(store: Store, folder: str) -> list[str]:
        if not kept_now:
            kept_now.append(trash.keep(*shelf.place, ["a.txt"]))
        return chunks(store, folder)

    monkeypatch.setattr(Store, "chunks", keep_before)
    assert ended(collect.begin(shelf.workspace, [head], back="/")).state == State.DONE
    assert [(one.keys, one.why) for one in kept_now] == [
        ([], {"a.txt": "It could not be kept. Other snapshots are being deleted. Try again later."})
    ]
    assert not deletions()
    assert trash.keep(*shelf.place, ["a.txt"]).keys == ["a.txt"]
    assert [held(head) for head in deletions()] == [{"a.txt": b"then"}]


def test_it_waits_a_moment_for_chunks_to_be_removed(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    shelf.put("a.txt", body=b"then")
    job = Job.objects.create(
        kind="erase from snapshots", owner=shelf.workspace.person, state=State.RUNNING, cursor={"phase": "remove"}
    )
    monkeypatch.setattr(trash, "sleep", lambda _: Job.objects.filter(pk=job.pk).update(state=State.DONE))
    assert trash.keep(*shelf.place, ["a.txt"]).keys == ["a.txt"]
    job.refresh_from_db()
    assert job.state == State.DONE, "it was waited for"


def test_what_a_grantee_deletes_is_kept_for_whose_token_it_is(shelf: Shelf, ada: Person, storage_token: StoredToken) -> None:
    shelf.put("a.txt", body=b"then")
    lend(storage_token, ada, acts=["read", "delete"])
    answer = client_of(ada).post(one(shelf, "a.txt"), headers=htmx("dialog"))
    assert "Undo" not in answer.text, "restoring needs to upload"
    (head,) = deletions()
    assert (head.deleted_by, held(head)) == (str(ada), {"a.txt": b"then"})
    trash_page = client_of(ada).get(reverse("snapshots:trash", args=[shelf.space, shelf.bucket])).text
    assert "a.txt" in trash_page
    assert "Restore a.txt" not in trash_page
    assert "Delete for good" not in trash_page


def test_a_plain_token_sees_its_own_trash_only(shelf: Shelf, ada: Person, service: Sandbox) -> None:
    shelf.put("a.txt")
    head = trash.keep(*shelf.place, ["a.txt"]).head
    assert head
    hold(ada, service.personal_token)
    plain = next(token for name, token in service.storage_tokens[shelf.space].items() if name != "service")
    hold(ada, plain, shelf.space)
    client = client_of(ada)
    assert "Nothing in the trash" in client.get(reverse("snapshots:trash", args=[shelf.space, shelf.bucket])).text
    assert client.get(reverse("snapshots:undo", args=[shelf.space, shelf.bucket, head.id])).status_code == 404


@pytest.mark.parametrize("setting", [("SNAPSHOT_URL", "none"), ("TRASH_DAYS", 0)])
def test_where_nothing_is_kept_deleting_is_as_before(
    as_owner: PageClient, shelf: Shelf, settings: Settings, calls: Calls, setting: tuple[str, object]
) -> None:
    setattr(settings, *setting)
    shelf.put("a.txt", "b.txt")
    asked = as_owner.get(one(shelf, "a.txt")).text
    assert "be undone" in unescape(asked)
    assert "without keeping" not in asked
    calls()
    assert "Undo" not in as_owner.post(one(shelf, "a.txt"), headers=htmx("dialog")).text
    assert [call for call in calls() if not call.startswith(("POST", "HEAD"))] == [
        call for call in calls() if call.startswith("DELETE")
    ] or names(shelf) == ["b.txt"]
    assert kept(as_owner, reverse("objects:selection", args=[shelf.space, shelf.bucket]), key=["b.txt"])
