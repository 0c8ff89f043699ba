"""A crawl whose worker is killed, again and again."""

from collections.abc import Callable

import pytest

from dashboard.catalog.crawl import begin
from dashboard.catalog.models import Catalog, Folder
from dashboard.jobs.models import State
from tests.catalog.conftest import Shelf
from tests.conftest import Sandbox
from tests.features.service import Faults
from tests.jobs.conftest import Process, wait_for, wait_until, workers

__all__ = ["workers"]

FOLDERS = [f"{number:02}/{part}/" for number in range(12) for part in ("a", "b")]


@pytest.mark.exhaustive
@pytest.mark.usefixtures("transactional_db")
def test_a_killed_worker_loses_nothing(
    workers: Callable[[], Process], service: Sandbox, shelf: Shelf, faults: Faults, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STORAGE_URL", service.storage_url)
    keys = [f"{folder}{number}.txt" for folder in FOLDERS for number in range(3)]
    shelf.put(*keys)
    faults("S13", delay=0.4)
    job = begin(*shelf.place).job
    listed = Folder.objects.filter(catalog__bucket=shelf.bucket, listed=True)
    for least in (3, 12):
        process = workers()
        wait_until(job, lambda least=least: listed.count() >= least)  # type: ignore[misc] # bound now
        process.kill()
        job.refresh_from_db()
        assert job.is_alive
    workers()
    wait_for(job, State.DONE)
    assert shelf.known() == sorted(keys)
    state = shelf.state()
    assert (state.objects, state.folders, state.complete) == (len(keys), 36, True)
    assert not Catalog.objects.filter(begun_at__isnull=False).exists()
