"""A snapshot whose worker is killed, again and again."""

from collections.abc import Callable
from pathlib import Path
from time import sleep

import msgspec
import pytest
from pytest_django import Settings

from dashboard.catalog.query import EVERYTHING
from dashboard.catalog.selection import Selection
from dashboard.jobs import transitions
from dashboard.jobs.models import Job, State
from dashboard.snapshots import capture, collect, erase, restore
from dashboard.snapshots.manifest import read_heads, write_head
from tests.catalog.conftest import Shelf, shelf
from tests.conftest import Sandbox
from tests.features.service import Faults
from tests.jobs.conftest import Process, turn, wait_for, wait_until, workers
from tests.snapshots.test_capture import bytes_of, last, run, taken

__all__ = ["shelf", "workers"]

pytestmark = pytest.mark.exhaustive


@pytest.fixture
def store_of_workers(service: Sandbox, monkeypatch: pytest.MonkeyPatch, settings: Settings, tmp_path: Path) -> None:
    """The same store and service for this process and the workers."""
    settings.SNAPSHOT_URL = (tmp_path / "store").as_uri()
    (tmp_path / "store").mkdir()
    monkeypatch.setenv("SNAPSHOT_URL", settings.SNAPSHOT_URL)
    monkeypatch.setenv("STORAGE_URL", service.storage_url)


@pytest.mark.usefixtures("transactional_db", "store_of_workers")
def test_a_killed_worker_loses_nothing_also_in_the_middle_of_a_large_object(
    workers: Callable[[], Process], shelf: Shelf, faults: Faults
) -> None:
    files = {f"{number:03}.txt": f"{number}".encode() * 100 for number in range(200)}
    files["large.bin"] = bytes(range(251)) * 240_000
    for key, data in files.items():
        shelf.put(key, body=data)
    faults("S18", delay=0.1)
    faults("S19", delay=0.1)
    job = capture.begin(*shelf.place, back="")
    seen = set[str]()

    def has_moved() -> bool:
        """Whether the job has saved something since the last kill."""
        return str(job.cursor) not in seen and job.cursor is not None and job.cursor["phase"] == "take"

    for _ in range(4):
        process = workers()
        wait_until(job, lambda: has_moved() or job.state == State.DONE)
        seen.add(str(job.cursor))
        process.kill()
    workers()
    wait_for(job, State.DONE, seconds=90)
    entries = taken(shelf)
    assert {key: bytes_of(entry) for key, entry in entries.items()} == files
    assert last(shelf).left_out == 0


@pytest.mark.usefixtures("transactional_db", "store_of_workers")
def test_chunks_are_removed_while_workers_are_killed_and_every_snapshot_is_whole(
    workers: Callable[[], Process], shelf: Shelf, faults: Faults
) -> None:
    files = {f"{number:03}.txt": f"{number}".encode() * 100 for number in range(60)}
    for key, data in files.items():
        shelf.put(key, body=data)
    run(shelf)
    files["large.bin"] = bytes(range(251)) * 160_000
    shelf.put("large.bin", body=files["large.bin"])
    shelf.storage.objects.delete_many(shelf.bucket, gone := [f"{number:03}.txt" for number in range(20)])
    faults("S18", delay=0.1)
    taking = capture.begin(*shelf.place, back="")
    deleting = collect.begin(shelf.workspace, read_heads(capture.store()), back="")
    for _ in range(4):
        seen = str(taking.cursor), str(deleting.cursor)
        process = workers()
        wait_until(taking, lambda before=seen: _has_moved(taking, deleting, before))  # type: ignore[misc] # of this turn
        process.kill()
    workers()
    wait_for(deleting, State.DONE, seconds=90)
    wait_for(taking, State.DONE, seconds=90)
    kept = {key: data for key, data in files.items() if key not in gone}
    assert {key: bytes_of(entry) for key, entry in taken(shelf).items()} == kept
    assert len(read_heads(capture.store())) == 1


@pytest.mark.usefixtures("transactional_db", "store_of_workers")
def test_files_are_erased_while_workers_are_killed_and_the_others_are_whole(
    workers: Callable[[], Process], shelf: Shelf, tmp_path: Path
) -> None:
    files = {f"{number:03}.txt": f"{number}".encode() * 100 for number in range(300)}
    for key, data in {**files, "people.txt": b"one of a kind"}.items():
        shelf.put(key, body=data)
    run(shelf)
    (head,) = read_heads(capture.store())
    for number in range(300):
        write_head(capture.store(), msgspec.structs.replace(head, id=f"20200101T000000Z-{number}"))
    erasing = erase.begin(*shelf.place, "people.txt", back="")
    for seconds in (0.1, 0.3, 0.2, 0.4):
        process = workers()
        sleep(seconds)
        process.kill()
    workers()
    wait_for(erasing, State.DONE, seconds=90)
    heads = read_heads(capture.store())
    assert len(heads) == 301
    assert all(head.lists == heads[0].lists and head.objects == len(files) for head in heads)
    assert {key: bytes_of(entry) for key, entry in taken(shelf).items()} == files
    chunks = [path.read_bytes() for path in (tmp_path / "store" / "chunks").rglob("*") if path.is_file()]
    assert b"one of a kind" not in chunks


@pytest.mark.usefixtures("transactional_db", "store_of_workers")
def test_a_restoration_whose_workers_are_killed_ends_and_is_whole(
    workers: Callable[[], Process], shelf: Shelf, faults: Faults
) -> None:
    files = {f"{number:03}.txt": f"{number}".encode() * 100 for number in range(200)}
    files["large.bin"] = bytes(range(251)) * 160_000
    for key, data in files.items():
        shelf.put(key, body=data)
    run(shelf)
    shelf.storage.buckets.empty(shelf.bucket)
    shelf.put("001.txt", "002.txt", body=b"now")
    everything = Selection(shelf.space, shelf.bucket, filter=EVERYTHING)
    job = restore.begin(shelf.workspace, last(shelf), everything, to_space=shelf.space, to_bucket=shelf.bucket, back="")
    assert turn(job).state == State.PLANNED
    assert transitions.apply(job, "replace")
    faults("S9", delay=0.1)
    for done in (20, 100):
        process = workers()
        wait_until(job, lambda done=done: job.done >= done)  # type: ignore[misc] # of this turn
        process.kill()
    workers()
    wait_for(job, State.DONE, seconds=90)
    assert (job.done, job.failed, job.unknown) == (len(files), 0, 0)
    assert {key: shelf.storage.objects.read(shelf.bucket, key).read_all(50_000_000) for key in files} == files


def _has_moved(taking: Job, deleting: Job, seen: tuple[str, str]) -> bool:
    deleting.refresh_from_db()
    return (str(taking.cursor), str(deleting.cursor)) != seen or taking.state == State.DONE
