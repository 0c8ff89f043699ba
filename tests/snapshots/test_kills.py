"""A snapshot whose worker is killed, again and again."""

from collections.abc import Callable
from pathlib import Path

import pytest
from pytest_django import Settings

from dashboard.jobs.models import State
from dashboard.snapshots import capture
from tests.catalog.conftest import Shelf, shelf
from tests.conftest import Sandbox
from tests.features.service import Faults
from tests.jobs.conftest import Process, wait_for, wait_until, workers
from tests.snapshots.test_capture import bytes_of, last, taken

__all__ = ["shelf", "workers"]


@pytest.fixture
def store_of_workers(service: Sandbox, monkeypatch: pytest.MonkeyPatch, settings: Settings, tmp_path: Path) -> None:
    """The same store and service for this process and the workers."""
    settings.SNAPSHOT_URL = (tmp_path / "store").as_uri()
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
