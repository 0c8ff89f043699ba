"""Deleting snapshots, and the chunks that no other one needs."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from django.urls import reverse
from django.utils import timezone

from dashboard.catalog import leases
from dashboard.catalog.models import KeyLease
from dashboard.jobs.batch import Batch, Pause
from dashboard.jobs.models import ENDED, Job, State
from dashboard.journal.models import Entry as JournalEntry
from dashboard.snapshots import capture, collect
from dashboard.snapshots.export import verify
from dashboard.snapshots.manifest import Head, Manifest, read_heads, write_head
from dashboard.snapshots.segment import Progress
from dashboard.snapshots.store import FOLDERS, Damaged, Store, StoreError
from dashboard.team.models import Person, Role
from dashboard.tokens.workspace import Workspace
from tests.catalog.conftest import Shelf, shelf
from tests.conftest import Sandbox
from tests.pages import PageClient, htmx
from tests.people import client_of, hold
from tests.snapshots.test_capture import bytes_of, ended, in_a_folder, run, taken

__all__ = ["in_a_folder", "shelf"]


def delete(shelf: Shelf, *heads: Head) -> Job:
    return ended(collect.begin(shelf.workspace, heads, back=""))


def chunks() -> set[str]:
    return {name for folder in FOLDERS for name in capture.store().chunks(folder)}


def needed() -> set[str]:
    """Every chunk that a snapshot names, found without the code that collects."""
    found = set[str]()
    for head in read_heads(capture.store()):
        manifest = Manifest(capture.store(), head.lists)
        found |= {*head.lists, *(segment.chunk for segment in manifest.segments)}
        found |= {name for entry in manifest for name in entry.chunks}
    return found


def is_whole() -> bool:
    try:
        return not [line for head in read_heads(capture.store()) for line in verify(capture.store(), head, set())]
    except StoreError:
        return False


def two(shelf: Shelf) -> list[Head]:
    """Two snapshots: one object stays, one is replaced, one is deleted."""
    shelf.put("same.txt", body=b"same")
    shelf.put("changed.txt", body=b"first")
    shelf.put("deleted.bin", body=bytes(range(250)) * 40_000)
    run(shelf)
    shelf.storage.objects.replace(shelf.bucket, "changed.txt", b"second", content_type="text/plain")
    shelf.storage.objects.delete_many(shelf.bucket, ["deleted.bin"])
    run(shelf)
    return read_heads(capture.store())


def test_what_no_other_snapshot_holds_is_removed(shelf: Shelf) -> None:
    first, second = two(shelf)
    before = capture.store().used()
    assert delete(shelf, first).state == State.DONE
    assert read_heads(capture.store()) == [second]
    assert chunks() == needed()
    assert before - capture.store().used() > 10_000_000
    assert {key: bytes_of(entry) for key, entry in taken(shelf).items()} == {"same.txt": b"same", "changed.txt": b"second"}
    delete(shelf, second)
    assert (chunks(), read_heads(capture.store())) == (set(), [])


def test_snapshots_of_other_buckets_stay(shelf: Shelf) -> None:
    first, second = two(shelf)
    other = f"{shelf.bucket} too"
    shelf.storage.buckets.create(other)
    shelf.storage.objects.upload(other, "copy.txt", b"first", content_type="text/plain")
    ended(capture.begin(shelf.workspace, shelf.space, other, back=""))
    shelf.storage.buckets.empty(other)
    shelf.storage.buckets.delete(other)
    delete(shelf, first, second)
    (head,) = read_heads(capture.store())
    assert head.bucket == other
    assert is_whole()
    assert chunks() == needed()


@pytest.mark.usefixtures("small_segments")
def test_it_works_in_short_steps(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(collect, "STEP_SECONDS", 0.0)
    shelf.put(*(f"{number:02}" for number in range(30)))
    first, *_ = two(shelf)
    assert ended(collect.begin(shelf.workspace, [first], back=""), turns=400).state == State.DONE
    assert chunks() == needed()
    assert is_whole()


@pytest.mark.parametrize("what", ["head", "newer", "list", "segment", "missing"])
def test_nothing_is_removed_while_a_manifest_can_not_be_read(shelf: Shelf, tmp_path: Path, what: str) -> None:
    first, second = two(shelf)
    lists = second.lists[0]
    (segment,) = Manifest(capture.store(), second.lists).segments
    ways = {"head": second.path, "newer": second.path, "list": f"chunks/{lists[:2]}/{lists}"}
    damaged = tmp_path / "store" / ways.get(what, f"chunks/{segment.chunk[:2]}/{segment.chunk}")
    before = damaged.read_bytes()
    if what == "missing":
        damaged.unlink()
    else:
        damaged.write_bytes(before.replace(b'"format":1', b'"format":2') if what == "newer" else b"damaged")
    left = chunks()
    job = delete(shelf, first)
    assert (job.state, f"The snapshot {second.id} can't be read, so no space was freed." in job.message) == (State.FAILED, True)
    assert chunks() >= left
    damaged.write_bytes(before)
    Job.objects.filter(pk=job.pk).update(state=State.QUEUED)
    assert ended(job).state == State.DONE
    assert chunks() == needed()


def test_a_file_with_the_bytes_of_a_manifest_hides_nothing(shelf: Shelf) -> None:
    """Somebody keeps a copy of the store in a bucket."""
    shelf.put("a.txt", body=b"alone")
    run(shelf)
    (head,) = read_heads(capture.store())
    (segment,) = Manifest(capture.store(), head.lists).segments
    other = f"{shelf.bucket} copy"
    shelf.storage.buckets.create(other)
    shelf.storage.objects.upload(other, "copy", capture.store().chunk(segment.chunk), content_type="a/b")
    ended(capture.begin(shelf.workspace, shelf.space, other, back=""))
    # The copy's snapshot is read first: its path is made the earlier one.
    *_, copy = read_heads(capture.store())
    capture.store().put(copy.path.replace(copy.id, "20200101T000000Z-1"), capture.store().read(copy.path))
    delete(shelf, copy)
    assert is_whole()
    shelf.storage.buckets.empty(other)
    shelf.storage.buckets.delete(other)


LARGE = bytes(range(251)) * 120_000


def paused_take(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> Job:
    """A job that has stored a part of a large object, and lost the store."""
    shelf.put("large.bin", body=LARGE)
    keep = capture._keep_partial

    def keep_and_pause(batch: Batch, progress: Progress) -> None:
        keep(batch, progress)
        raise Pause(60, "Here.")

    with monkeypatch.context() as patched:
        patched.setattr(capture, "STEP_SECONDS", 0.0)
        patched.setattr(capture, "_keep_partial", keep_and_pause)
        return stopped(capture.begin(*shelf.place, back=""))


def stopped(job: Job) -> Job:
    """Run a job until it pauses "Here.", and take the store from it."""
    while job.message != "Here.":
        with pytest.raises(AssertionError, match="the job is waiting"):
            ended(job, turns=1)
    leases.release(*capture.STORE_LEASE, job=job.pk)
    return job


def _pause(_workspace: Workspace, _batch: Batch) -> None:
    raise Pause(60, "Here.")


def alone(job: Job) -> None:
    """Run a job to its end while all others rest."""
    others = Job.objects.exclude(pk=job.pk).exclude(state__in=ENDED)
    states = dict(others.values_list("pk", "state"))
    others.update(state=State.PAUSED)
    assert ended(job).state == State.DONE, job.message
    for pk, state in states.items():
        Job.objects.filter(pk=pk).update(state=state)


def test_a_snapshot_that_was_interrupted_is_whole_though_its_chunks_were_removed(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, _ = two(shelf)
    job = paused_take(shelf, monkeypatch)
    stored = chunks() - needed()
    assert stored
    delete_job = collect.begin(shelf.workspace, [first], back="")
    alone(delete_job)
    assert not chunks() & stored - needed()
    assert ended(job).state == State.DONE
    assert len(read_heads(capture.store())) == 2
    assert is_whole()
    assert bytes_of(taken(shelf)["large.bin"]) == LARGE


def test_a_snapshot_whose_base_was_deleted_is_whole(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    heads = two(shelf)
    job = paused_take(shelf, monkeypatch)
    assert job.cursor
    assert job.cursor["base"] == heads[-1].path
    deleting = collect.begin(shelf.workspace, heads, back="")
    alone(deleting)
    assert ended(job).state == State.DONE
    assert is_whole()
    assert sorted(taken(shelf)) == ["changed.txt", "large.bin", "same.txt"]


def test_a_snapshot_that_ends_while_chunks_are_looked_through_keeps_its_own(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, _ = two(shelf)
    deleting = collect.begin(shelf.workspace, [first], back="")
    with monkeypatch.context() as patched:
        patched.setitem(collect._STEPS, "remove", _pause)
        stopped(deleting)
    shelf.put("new.txt", body=b"new")
    alone(capture.begin(*shelf.place, back=""))
    assert ended(deleting).state == State.DONE
    assert is_whole()
    assert chunks() == needed()


def test_another_installation_removes_nothing(shelf: Shelf) -> None:
    first, _ = two(shelf)
    before = chunks()
    capture.store().put("installation.json", b"another")
    job = delete(shelf, first)
    assert (job.state, "may only read" in job.message) == (State.FAILED, True)
    assert (chunks(), len(read_heads(capture.store()))) == (before, 2)


def test_it_waits_for_the_store(shelf: Shelf) -> None:
    first, _ = two(shelf)
    other = Job.objects.create(kind="other", owner=shelf.workspace.person)
    leases.claim(shelf.workspace, *capture.STORE_LEASE, job=other.pk, seconds=60)
    job = collect.begin(shelf.workspace, [first], back="")
    with pytest.raises(AssertionError, match="Another job is using the store"):
        ended(job, turns=3)
    assert len(read_heads(capture.store())) == 2


def test_nobody_gets_the_store_while_a_head_is_written_or_chunks_are_removed(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A call to the store may take minutes, with all its tries."""
    left: list[timedelta] = []

    def noted(original: Callable[..., object]) -> Callable[..., object]:
        def call(*given: object) -> object:
            left.append(KeyLease.objects.get().expires_at - timezone.now())
            return original(*given)

        return call

    monkeypatch.setattr(capture, "write_head", noted(write_head))
    monkeypatch.setattr(Store, "remove_chunks", noted(Store.remove_chunks))
    first, _ = two(shelf)
    delete(shelf, first)
    assert len(left) > 3
    assert min(left) > timedelta(minutes=9)
    assert not KeyLease.objects.exists()


def test_a_replaced_token_deletes_nothing(shelf: Shelf) -> None:
    first, _ = two(shelf)
    job = collect.begin(shelf.workspace, [first], back="")
    Job.objects.filter(pk=job.pk).update(parameters={**job.parameters, "token": "0" * 32})
    assert ended(job).state == State.FAILED
    assert len(read_heads(capture.store())) == 2


def deletion(shelf: Shelf, head: Head) -> str:
    return reverse("snapshots:deletion", args=[shelf.space, shelf.bucket, head.id])


def test_a_snapshot_is_deleted_from_the_page_and_journaled(as_owner: PageClient, shelf: Shelf) -> None:
    first, second = two(shelf)
    index = reverse("snapshots:index", args=[shelf.space, shelf.bucket])
    assert deletion(shelf, first) in as_owner.get(index).text
    asked = as_owner.get(deletion(shelf, first), headers=htmx("dialog")).text
    assert "(3 objects, 10.0 MB) is deleted." in asked
    begun = as_owner.post(deletion(shelf, first), headers=htmx("dialog"))
    assert "jobs:changed" in begun["HX-Trigger"]
    ended(Job.objects.get(kind="delete snapshots"))
    page = as_owner.get(index).text
    assert (first.id in page, second.id in page) == (False, True)
    entry = JournalEntry.objects.get(operation="snapshot deleted")
    assert (entry.outcome, entry.place, entry.before) == ("done", shelf.space, {"objects": 3, "bytes": 10_000_009})
    assert entry.target.endswith(f"of bucket {shelf.bucket}")
    again = as_owner.get(deletion(shelf, first), headers=htmx("dialog"))
    assert "was deleted already" in again.text


def test_viewers_and_other_tokens_delete_nothing(
    as_owner: PageClient, owner: Person, shelf: Shelf, service: Sandbox, ada: Person
) -> None:
    first, _ = two(shelf)
    plain = next(token for name, token in service.storage_tokens[shelf.space].items() if name != "service")
    hold(ada, service.personal_token)
    hold(ada, plain, shelf.space)
    assert client_of(ada).post(deletion(shelf, first)).status_code == 404
    Person.objects.filter(pk=owner.pk).update(role=Role.VIEWER)
    assert "Needs the operator role" in as_owner.post(deletion(shelf, first)).text
    assert not Job.objects.filter(kind="delete snapshots").exists()


@pytest.mark.parametrize("call", ["remove_chunks", "begin_generation", "remove"])
def test_a_store_that_fails_in_between_is_tried_again(shelf: Shelf, monkeypatch: pytest.MonkeyPatch, call: str) -> None:
    first, _ = two(shelf)
    original: Callable[..., object] = getattr(Store, call)
    left = [2]

    def failing(self: Store, *given: object) -> object:
        left[0] -= 1
        if left[0] >= 0:
            raise Damaged("Away.")
        return original(self, *given)

    monkeypatch.setattr(Store, call, failing)
    assert delete(shelf, first).state == State.DONE
    assert chunks() == needed()
    assert is_whole()
