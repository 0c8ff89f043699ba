"""Taking a snapshot of a bucket, through the sandbox."""

import os
from collections.abc import Callable
from hashlib import md5
from pathlib import Path

import pytest
from django.urls import reverse
from pytest_django import Settings

from dashboard.catalog import leases
from dashboard.jobs.models import Job, State
from dashboard.snapshots import capture, objects
from dashboard.snapshots.export import content
from dashboard.snapshots.manifest import Entry, Head, Manifest, read_heads
from dashboard.snapshots.store import Store
from tests.catalog.conftest import Shelf, shelf
from tests.features.service import Calls, Faults
from tests.jobs.conftest import turn
from tests.pages import PageClient

__all__ = ["shelf"]


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path: Path, settings: Settings) -> None:
    settings.SNAPSHOT_URL = (tmp_path / "store").as_uri()
    (tmp_path / "store").mkdir()


def run(shelf: Shelf, *, turns: int = 30) -> Job:
    """Take a snapshot, as a worker would."""
    return ended(capture.begin(*shelf.place, back=""), turns=turns)


def ended(job: Job, *, turns: int = 30) -> Job:
    for _ in range(turns):
        for other in Job.objects.exclude(state__in=("done", "failed", "cancelled")).order_by("-pk"):
            Job.objects.filter(pk=other.pk, state=State.WAITING).update(due_at=other.created_at)
            turn(other)
        job.refresh_from_db()
        if job.state in (State.DONE, State.FAILED):
            return job
    raise AssertionError(f"the job is {job.state}: {job.message} {job.cursor}")


def last(shelf: Shelf) -> Head:
    return read_heads(capture.store())[-1]


def taken(shelf: Shelf) -> dict[str, Entry]:
    return {entry.key: entry for entry in Manifest(capture.store(), last(shelf).lists)}


def bytes_of(entry: Entry) -> bytes:
    return b"".join(content(capture.store(), entry))


def test_it_keeps_every_object_with_what_is_known_of_it(shelf: Shelf) -> None:
    shelf.put("a.txt", "b/c.txt", body=b"hello")
    shelf.put("empty", "folder/.emptyFolderPlaceholder", body=b"")
    shelf.storage.objects.upload(
        shelf.bucket, "page.html", b"<p>", content_type="text/html", cache_control="max-age=60", metadata={"by": "Ada"}
    )
    assert run(shelf).state == State.DONE
    entries = taken(shelf)
    assert sorted(entries) == ["a.txt", "b/c.txt", "empty", "folder/.emptyFolderPlaceholder", "page.html"]
    assert {key: bytes_of(entry) for key, entry in entries.items()}["b/c.txt"] == b"hello"
    page = entries["page.html"]
    assert (page.type, page.cache_control, page.metadata, page.size) == ("text/html", "max-age=60", {"by": "Ada"}, 3)
    assert page.etag == f'"{md5(b"<p>", usedforsecurity=False).hexdigest()}"'
    assert page.updated
    head = last(shelf)
    assert (head.space, head.bucket, head.objects, head.bytes, head.left_out) == (shelf.space, shelf.bucket, 5, 13, 0)
    assert 8 <= head.new_bytes < 2000
    assert head.begun < head.ended


@pytest.mark.usefixtures("small_segments")
def test_the_next_one_reads_only_what_has_changed(shelf: Shelf, calls: Calls) -> None:
    shelf.put(*(f"{number:03}" for number in range(30)), body=b"first")
    run(shelf)
    first = last(shelf)
    calls()
    run(shelf)
    assert [call for call in calls() if "/object/authenticated/" in call] == []
    assert (last(shelf).objects, last(shelf).new_bytes) == (30, 0)
    assert last(shelf).lists == first.lists
    shelf.storage.objects.delete_many(shelf.bucket, ["000"])
    shelf.storage.objects.replace(shelf.bucket, "001", b"second", content_type="text/plain")
    shelf.put("030", body=b"first")
    run(shelf)
    read = [call.rpartition("/")[2] for call in calls() if "/object/authenticated/" in call]
    assert sorted(read) == ["001", "030"]
    entries = taken(shelf)
    assert ("000" in entries, bytes_of(entries["001"]), bytes_of(entries["002"])) == (False, b"second", b"first")
    assert len(read_heads(capture.store())) == 3


def test_a_large_object_is_kept_in_chunks(shelf: Shelf) -> None:
    data = bytes(range(250)) * 80_000
    shelf.put("large.bin", body=data)
    run(shelf)
    entry = taken(shelf)["large.bin"]
    assert [len(capture.store().chunk(name)) for name in entry.chunks] == [8_388_608, 8_388_608, 3_222_784]
    assert bytes_of(entry) == data


def test_a_large_object_goes_on_where_it_was_interrupted(shelf: Shelf, monkeypatch: pytest.MonkeyPatch, calls: Calls) -> None:
    data = bytes(range(250)) * 120_000
    shelf.put("large.bin", body=data)
    monkeypatch.setattr(capture, "STEP_SECONDS", 0.0)
    original, read = Store.chunk, set[str]()

    def noted(self: Store, name: str) -> bytes:
        read.add(name)
        return original(self, name)

    monkeypatch.setattr(Store, "chunk", noted)
    run(shelf)
    # What this process has hashed it doesn't read again.
    assert not read & set(taken(shelf)["large.bin"].chunks)
    assert sum("/object/authenticated/" in call for call in calls()) >= 3
    assert bytes_of(taken(shelf)["large.bin"]) == data


def test_an_object_that_changes_while_it_is_read_is_read_again(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    shelf.put("a.txt", body=b"first")
    _before_details(monkeypatch, lambda: shelf.storage.objects.replace(shelf.bucket, "a.txt", b"second", content_type="a/b"), 1)
    run(shelf)
    entry = taken(shelf)["a.txt"]
    assert (bytes_of(entry), entry.type, entry.updated) == (b"second", "a/b", None)


def test_what_changes_each_time_or_is_too_large_is_left_out_with_the_reason(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch, settings: Settings, as_owner: PageClient
) -> None:
    settings.SNAPSHOT_MAX_FILE_BYTES = 1000
    shelf.put("a.txt", body=b"0")
    shelf.put("large.txt", body=b"x" * 1001)
    count = iter(range(1, 100))

    def change() -> None:
        shelf.storage.objects.replace(shelf.bucket, "a.txt", f"{next(count)}".encode(), content_type="a/b")

    _before_details(monkeypatch, change, 100)
    run(shelf)
    entries = taken(shelf)
    assert entries["a.txt"].left_out == "It changed each time it was read."
    assert entries["large.txt"].left_out == "It is larger than 1.0 KB."
    assert (last(shelf).objects, last(shelf).left_out) == (0, 2)
    shown = as_owner.get(reverse("snapshots:show", args=[shelf.space, shelf.bucket, last(shelf).id])).text
    assert "It changed each time it was read." in shown
    assert "large.txt" in shown


def test_all_readers_together_read_no_more_than_the_rate(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    settings.SNAPSHOT_MAX_RATE = 2
    for name in ("a", "b", "c"):
        shelf.put(f"{name}.bin", body=os.urandom(2 << 20))
    slept: list[float] = []
    monkeypatch.setattr(objects, "monotonic", lambda: 0.0)
    monkeypatch.setattr(objects, "sleep", slept.append)
    run(shelf)
    assert max(slept) == pytest.approx(3)
    assert last(shelf).objects == 3


def test_what_was_left_out_is_tried_again_next_time(shelf: Shelf, settings: Settings) -> None:
    settings.SNAPSHOT_MAX_FILE_BYTES = 3
    shelf.put("a.txt", body=b"four")
    run(shelf)
    settings.SNAPSHOT_MAX_FILE_BYTES = 0
    run(shelf)
    assert not taken(shelf)["a.txt"].left_out
    assert bytes_of(taken(shelf)["a.txt"]) == b"four"


def test_an_object_that_the_service_breaks_off_again_and_again_is_left_out(shelf: Shelf, faults: Faults) -> None:
    shelf.put("a.txt", body=b"some bytes")
    faults("S18", cut="mid")
    job = run(shelf)
    assert job.state == State.DONE
    assert taken(shelf)["a.txt"].left_out


def test_an_object_whose_contents_the_service_lost_is_left_out(shelf: Shelf, faults: Faults) -> None:
    shelf.put("a.txt", body=b"some bytes")
    faults("S18", status=404, message="The resource was not found")
    job = run(shelf)
    assert (job.state, job.facts["left out"]) == (State.DONE, 1)
    assert taken(shelf)["a.txt"].left_out == "The service lists it, but doesn't find its contents."


def test_while_the_service_is_away_it_waits(shelf: Shelf, faults: Faults) -> None:
    shelf.put("a.txt", body=b"some bytes")
    job = capture.begin(*shelf.place, back="")
    faults("S18", status=503)
    faults("S4", status=503)
    with pytest.raises(AssertionError, match="waiting"):
        ended(job, turns=8)
    assert read_heads(capture.store()) == []


def test_limits_are_checked_before_anything_is_written(shelf: Shelf, settings: Settings, tmp_path: Path) -> None:
    settings.SNAPSHOT_MAX_BYTES = 1000
    shelf.put("a.txt", body=b"x" * 1001)
    job = run(shelf)
    assert job.state == State.FAILED
    assert "SNAPSHOT_MAX_BYTES" in job.message
    assert [path for path in (tmp_path / "store").rglob("*") if path.is_file()] == []
    settings.SNAPSHOT_MAX_BYTES = 1_000_000
    assert run(shelf).state == State.DONE


def test_a_disk_keeps_a_gigabyte_free(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    shelf.put("a.txt", body=b"x")
    monkeypatch.setattr(Store, "free", lambda _: 10**9)
    job = run(shelf)
    assert (job.state, "stay free" in job.message) == (State.FAILED, True)


def test_a_store_of_another_installation_is_not_written(shelf: Shelf) -> None:
    capture.store().claim(b"another")
    shelf.put("a.txt")
    job = run(shelf)
    assert (job.state, "may only read" in job.message) == (State.FAILED, True)


def test_one_job_at_a_time_uses_the_store(shelf: Shelf) -> None:
    shelf.put("a.txt")
    other = Job.objects.create(kind="other", owner=shelf.workspace.person)
    held = leases.claim(shelf.workspace, *capture.STORE_LEASE, job=other.pk, seconds=60)
    assert held == set()
    job = capture.begin(*shelf.place, back="")
    with pytest.raises(AssertionError, match="Another job is using the store"):
        ended(job, turns=6)
    leases.release(*capture.STORE_LEASE, job=other.pk)
    assert ended(job).state == State.DONE


def test_a_replaced_token_stops_it(shelf: Shelf) -> None:
    shelf.put("a.txt")
    job = capture.begin(*shelf.place, back="")
    Job.objects.filter(pk=job.pk).update(parameters={**job.parameters, "token": "0" * 32})
    assert ended(job).state == State.FAILED


def _before_details(monkeypatch: pytest.MonkeyPatch, act: Callable[[], object], times: int) -> None:
    """Run `act` before the details of an object are read (S19), so often."""
    from dashboard.interfaces.storage.objects import Objects

    left = [times]
    original = Objects.info

    def info(self: Objects, bucket: str, key: str) -> object:
        if left[0]:
            left[0] -= 1
            act()
        return original(self, bucket, key)

    monkeypatch.setattr(Objects, "info", info)
