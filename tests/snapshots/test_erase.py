"""Erasing a file or a folder from all snapshots and the trash."""

import gzip
from pathlib import Path

import msgspec
import pytest
from django.urls import reverse
from pytest_django import Settings

from dashboard.catalog.query import EVERYTHING
from dashboard.catalog.selection import Selection
from dashboard.jobs.models import Job, State
from dashboard.journal.models import Entry as JournalEntry
from dashboard.snapshots import capture, collect, erase, restore, trash
from dashboard.snapshots.export import content
from dashboard.snapshots.manifest import Head, Manifest, read_heads, write_head
from dashboard.snapshots.store import Store
from dashboard.team.models import Person, Role
from tests.catalog.conftest import Shelf, shelf
from tests.conftest import Sandbox
from tests.features.bulk.conftest import go, words
from tests.jobs.conftest import turn
from tests.pages import PageClient, htmx
from tests.people import client_of, hold
from tests.snapshots.test_capture import ended, in_a_folder, run
from tests.snapshots.test_collect import alone, chunks, is_whole, needed, paused_take

__all__ = ["in_a_folder", "shelf"]


@pytest.fixture(autouse=True)
def for_thirty_days(settings: Settings) -> None:
    settings.TRASH_DAYS = 30


def erased(shelf: Shelf, path: str, *, turns: int = 30) -> Job:
    return ended(erase.begin(*shelf.place, path, back=""), turns=turns)


def held(head: Head) -> dict[str, bytes]:
    return {entry.key: b"".join(content(capture.store(), entry)) for entry in Manifest(capture.store(), head.lists)}


def delete(shelf: Shelf, *keys: str) -> None:
    """Delete as the pages do: keep first."""
    assert trash.keep(*shelf.place, keys).keys == sorted(keys)
    shelf.storage.objects.delete_many(shelf.bucket, list(keys))


def is_named(tmp_path: Path, word: bytes) -> bool:
    """Whether any file of the store has these bytes, packed or not."""
    files = [path.read_bytes() for path in (tmp_path / "store").rglob("*") if path.is_file()]
    return any(word in (gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data) for data in files)


def test_a_file_is_erased_from_every_snapshot_and_the_trash_and_the_others_stay(shelf: Shelf, tmp_path: Path) -> None:
    shelf.put("a/same.txt", body=b"shared")
    shelf.put("a/secret.txt", body=b"one of a kind")
    shelf.put("b.bin", body=bytes(range(250)) * 40_000)
    run(shelf)
    shelf.storage.objects.replace(shelf.bucket, "a/secret.txt", b"shared", content_type="text/plain")
    run(shelf)
    delete(shelf, "a/secret.txt", "b.bin")
    before = [held(head) for head in read_heads(capture.store())]
    assert [len(one) for one in before] == [3, 3, 2]
    job = erased(shelf, "a/secret.txt")
    assert (job.state, job.facts["remark"]) == (State.DONE, "erased from 3 snapshots")
    heads = read_heads(capture.store())
    assert [held(head) for head in heads] == [
        {key: data for key, data in one.items() if key != "a/secret.txt"} for one in before
    ], "byte for byte"
    assert [(head.objects, head.bytes, head.names) for head in heads] == [
        (2, 10_000_006, []),
        (2, 10_000_006, []),
        (1, 10_000_000, ["b.bin"]),
    ]
    assert chunks() == needed()
    assert not is_named(tmp_path, b"secret.txt")
    assert not is_named(tmp_path, b"one of a kind")
    entry = JournalEntry.objects.get(operation="file erased")
    assert (entry.outcome, entry.place) == ("done", shelf.space)
    assert entry.target == f"a/secret.txt from 3 snapshots of bucket {shelf.bucket}"


@pytest.mark.usefixtures("small_segments")
def test_a_folder_is_erased_with_all_below_it_and_nothing_beside_it(shelf: Shelf, tmp_path: Path) -> None:
    inside = [f"people/ann/{number:02}.txt" for number in range(40)]
    beside = ["people/an", "people/ann-b/1.txt", "people/anna.txt", "people/b.txt"]
    shelf.put(*inside, *beside)
    run(shelf)
    erased(shelf, "people/ann/")
    (head,) = read_heads(capture.store())
    assert (sorted(held(head)), head.objects, head.bytes) == (beside, 4, 4)
    assert chunks() == needed()
    assert not is_named(tmp_path, b"people/ann/")


def test_what_was_left_out_is_erased_too(shelf: Shelf, settings: Settings) -> None:
    settings.SNAPSHOT_MAX_FILE_BYTES = 3
    shelf.put("large.txt", body=b"four")
    shelf.put("small.txt")
    run(shelf)
    erased(shelf, "large.txt")
    (head,) = read_heads(capture.store())
    assert (list(held(head)), head.objects, head.bytes, head.left_out) == (["small.txt"], 1, 1, 0)


def test_a_deletion_of_nothing_else_goes_and_a_snapshot_stays(shelf: Shelf) -> None:
    shelf.put("a.txt")
    run(shelf)
    delete(shelf, "a.txt")
    assert erased(shelf, "a.txt").state == State.DONE
    (head,) = read_heads(capture.store())
    assert (head.is_trash, head.objects, head.bytes, held(head)) == (False, 0, 0, {})
    assert chunks() == set()
    again = erased(shelf, "a.txt")
    assert (again.state, again.facts["remark"]) == (State.DONE, "no snapshot holds it")
    assert JournalEntry.objects.filter(operation="file erased").count() == 1


def test_names_in_the_trash_are_those_that_are_left(shelf: Shelf) -> None:
    shelf.put(*"abcde")
    delete(shelf, *"abcde")
    erased(shelf, "b")
    (head,) = read_heads(capture.store())
    assert (head.names, sorted(held(head))) == (["a", "c", "d"], [*"acde"])


@pytest.mark.usefixtures("small_segments")
def test_other_buckets_and_unchanged_parts_of_a_manifest_stay_as_they_are(shelf: Shelf) -> None:
    shelf.put(*(f"{number:03}" for number in range(60)), body=b"x")
    other = f"{shelf.bucket} too"
    shelf.storage.buckets.create(other)
    shelf.storage.objects.upload(other, "000", b"x", content_type="text/plain")
    run(shelf)
    ended(capture.begin(shelf.workspace, shelf.space, other, back=""))
    shelf.storage.buckets.empty(other)
    shelf.storage.buckets.delete(other)
    before, untouched = sorted(read_heads(capture.store()), key=lambda head: head.bucket)
    old = Manifest(capture.store(), before.lists).segments
    erased(shelf, "000")
    after, still = sorted(read_heads(capture.store()), key=lambda head: head.bucket)
    assert still == untouched
    new = Manifest(capture.store(), after.lists).segments
    assert (old[1:], old[0].entries - new[0].entries) == (new[1:], 1)
    assert len(new) > 2
    assert is_whole()
    assert chunks() == needed()


def test_snapshots_of_other_tokens_are_erased_too(shelf: Shelf) -> None:
    shelf.put("a.txt", "b.txt")
    run(shelf)
    (head,) = read_heads(capture.store())
    write_head(capture.store(), msgspec.structs.replace(head, token="0" * 32, id="20200101T000000Z-1"))
    erased(shelf, "a.txt")
    assert [list(held(head)) for head in read_heads(capture.store())] == [["b.txt"], ["b.txt"]]


@pytest.mark.usefixtures("small_segments")
def test_it_works_in_short_steps(shelf: Shelf, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    shelf.put(*(f"{number:02}" for number in range(30)), "people.txt")
    for number in range(3):
        shelf.put(f"more{number}")
        run(shelf)
    delete(shelf, "people.txt")
    monkeypatch.setattr(erase, "STEP_SECONDS", 0.0)
    monkeypatch.setattr(collect, "STEP_SECONDS", 0.0)
    assert erased(shelf, "people.txt", turns=600).state == State.DONE
    assert chunks() == needed()
    assert is_whole()
    assert not is_named(tmp_path, b"people.txt")


def test_it_is_refused_while_a_job_restores_from_such_a_snapshot(shelf: Shelf) -> None:
    shelf.put("a.txt", "b.txt")
    run(shelf)
    shelf.storage.objects.delete_many(shelf.bucket, ["b.txt"])
    (head,) = read_heads(capture.store())
    everything = Selection(shelf.space, shelf.bucket, filter=EVERYTHING)
    restoring = turn(restore.begin(shelf.workspace, head, everything, to_space=shelf.space, to_bucket=shelf.bucket, back=""))
    assert restoring.state == State.PLANNED
    Job.objects.filter(pk=restoring.pk).update(state=State.QUEUED)
    job = erased(shelf, "a.txt")
    assert (job.state, "A job restores from the snapshot of" in job.message) == (State.FAILED, True)
    assert read_heads(capture.store()) == [head]
    assert erased(shelf, "c.txt").state == State.DONE, "that one holds no such file"
    Job.objects.filter(pk=restoring.pk).update(state=State.PLANNED)
    assert erased(shelf, "b.txt").state == State.DONE, "a plan that waits for review keeps nothing"
    restoring.refresh_from_db()
    done = go(restoring, "skip")
    assert words(done) == {"b.txt": "Not restored. The snapshot doesn't hold it."}


@pytest.mark.parametrize("phase", ["mark", "remove"])
def test_what_is_kept_meanwhile_is_erased_too(shelf: Shelf, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, phase: str) -> None:
    shelf.put("a.txt", "b.txt", body=b"then")
    run(shelf)
    original, left = erase._STEPS[phase], ["once"]
    # It looked for a job that removes chunks a moment before.
    monkeypatch.setattr(collect, "is_removing", lambda: False)

    def keep_before(*given: object) -> None:
        if left:
            left.pop()
            delete(shelf, "a.txt", "b.txt")
        original(*given)  # type: ignore[arg-type] # as given

    monkeypatch.setitem(erase._STEPS, phase, keep_before)
    assert erased(shelf, "a.txt").state == State.DONE
    assert [list(held(head)) for head in read_heads(capture.store())] == [["b.txt"], ["b.txt"]]
    assert not is_named(tmp_path, b"a.txt")


def test_a_deletion_that_ends_while_chunks_are_removed_holds_nothing_of_it(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Its first part was rewritten, and its second part was begun with what the first had been."""
    shelf.put("a.txt", "b.txt", "c.txt")
    first = trash.keep(*shelf.place, ["a.txt", "b.txt"]).head
    assert first
    original, left = Store.begin_generation, ["once", "skipped"]

    def keep_before(store: Store) -> str:
        if left and left.pop() == "once":
            write_head(store, msgspec.structs.replace(first, id="20300101T000000Z-1"))
        return original(store)

    monkeypatch.setattr(Store, "begin_generation", keep_before)
    assert erased(shelf, "a.txt").state == State.DONE
    assert [list(held(head)) for head in read_heads(capture.store())] == [["b.txt"], ["b.txt"]]
    assert not is_named(tmp_path, b"a.txt")


def test_a_snapshot_that_was_interrupted_is_begun_anew_and_reads_what_the_bucket_has(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    shelf.put("a.txt", "b.txt")
    run(shelf)
    job = paused_take(shelf, monkeypatch)
    shelf.storage.objects.delete_many(shelf.bucket, ["a.txt"])
    alone(erase.begin(*shelf.place, "a.txt", back=""))
    assert ended(job).state == State.DONE
    assert is_whole()
    assert [sorted(held(head)) for head in read_heads(capture.store())] == [["b.txt"], ["b.txt", "large.bin"]]
    assert b"a.txt" not in b"".join(capture.store().read(path) for path in capture.store().heads())


def test_what_stays_in_the_bucket_is_kept_by_the_next_snapshot(shelf: Shelf) -> None:
    shelf.put("a.txt", "b.txt", body=b"here")
    run(shelf)
    erased(shelf, "a.txt")
    assert shelf.storage.objects.read(shelf.bucket, "a.txt").read_all(10) == b"here"
    run(shelf)
    assert [sorted(held(head)) for head in read_heads(capture.store())] == [["b.txt"], ["a.txt", "b.txt"]]


def test_where_a_snapshot_can_not_be_read_the_others_are_rewritten_and_it_is_named(shelf: Shelf) -> None:
    shelf.put("a.txt", "b.txt")
    run(shelf)
    (head,) = read_heads(capture.store())
    broken = msgspec.structs.replace(head, id="20200101T000000Z-1", lists=["0" * 64])
    write_head(capture.store(), broken)
    job = erased(shelf, "a.txt")
    assert (job.state, "The snapshot 20200101T000000Z-1 can't be read" in job.message) == (State.FAILED, True)
    assert list(held(read_heads(capture.store())[-1])) == ["b.txt"]


def test_it_is_erased_from_an_s3_store(
    shelf: Shelf, settings: Settings, s3_settings: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.SNAPSHOT_URL = s3_settings["SNAPSHOT_URL"]
    for name, value in s3_settings.items():
        monkeypatch.setenv(name, value)
    shelf.put("a.txt", "b.txt", body=b"here")
    run(shelf)
    delete(shelf, "a.txt")
    assert erased(shelf, "a.txt").state == State.DONE
    assert [held(head) for head in read_heads(capture.store())] == [{"b.txt": b"here"}]
    assert chunks() == needed()


def test_another_installation_erases_nothing(shelf: Shelf) -> None:
    shelf.put("a.txt")
    run(shelf)
    before = read_heads(capture.store())
    capture.store().put("installation.json", b"another")
    assert erased(shelf, "a.txt").state == State.FAILED
    assert read_heads(capture.store()) == before


def address(shelf: Shelf, **query: str) -> str:
    return reverse("snapshots:erasure", args=[shelf.space, shelf.bucket], query=query)


def test_administrators_erase_from_the_pages_after_typing_the_name(as_owner: PageClient, owner: Person, shelf: Shelf) -> None:
    shelf.put("a/b.txt", "a/c.txt")
    run(shelf)
    (head,) = read_heads(capture.store())
    Person.objects.filter(pk=owner.pk).update(role=Role.ADMINISTRATOR)
    show = reverse("snapshots:show", args=[shelf.space, shelf.bucket, head.id])
    folder, file = address(shelf, folder="a/"), address(shelf, key="a/b.txt")
    assert f'hx-get="{folder}"' in as_owner.get(show).text
    assert f'hx-get="{file}"' in as_owner.get(show, {"path": "a/"}).text
    versions = reverse("snapshots:versions", args=[shelf.space, shelf.bucket], query={"key": "a/b.txt"})
    assert f'hx-get="{file}"' in as_owner.get(versions, headers=htmx("dialog")).text
    asked = as_owner.get(file, headers=htmx("dialog")).text
    assert "What is still in the bucket stays" in asked
    assert 'data-must-be="b.txt"' in asked
    assert "Type b.txt to continue" in as_owner.post(file, headers=htmx("dialog")).text
    assert not Job.objects.filter(kind="erase from snapshots").exists()
    begun = as_owner.post(file, {"typed": "b.txt"}, headers=htmx("dialog"))
    assert "jobs:changed" in begun["HX-Trigger"]
    assert ended(Job.objects.get(kind="erase from snapshots")).state == State.DONE
    assert list(held(read_heads(capture.store())[0])) == ["a/c.txt"]


@pytest.mark.parametrize("query", [{}, {"key": ""}, {"key": "a/"}, {"folder": "a"}])
def test_an_address_without_a_file_or_folder_is_not_found(as_owner: PageClient, shelf: Shelf, query: dict[str, str]) -> None:
    assert as_owner.get(address(shelf, **query)).status_code == 404


def test_operators_erase_nothing(as_owner: PageClient, owner: Person, shelf: Shelf) -> None:
    shelf.put("a.txt")
    run(shelf)
    job = erase.begin(*shelf.place, "a.txt", back="")
    Person.objects.filter(pk=owner.pk).update(role=Role.OPERATOR)
    answer = as_owner.post(address(shelf, key="a.txt"), {"typed": "a.txt"})
    assert "Needs the administrator role" in answer.text
    assert Job.objects.filter(kind="erase from snapshots").count() == 1
    assert ended(job).state == State.FAILED, "a role that was lowered since"
    assert list(held(read_heads(capture.store())[0])) == ["a.txt"]


def test_who_has_no_token_there_erases_nothing(shelf: Shelf, ada: Person, service: Sandbox) -> None:
    Person.objects.filter(pk=ada.pk).update(role=Role.OWNER)
    hold(ada, service.personal_token)
    client_of(ada).post(address(shelf, key="a.txt"), {"typed": "a.txt"})
    assert not Job.objects.filter(kind="erase from snapshots").exists()
