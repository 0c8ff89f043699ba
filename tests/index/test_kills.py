"""A crawl whose worker is killed, again and again."""

import os
import select
import subprocess
import sys
import time
from collections.abc import Callable, Iterator

import pytest
from django.db import connection

from dashboard.index.crawling import begin
from dashboard.index.models import Catalog, Folder
from dashboard.jobs.models import Job, State
from tests.conftest import Sandbox
from tests.environment import ROOT
from tests.features.service import Faults
from tests.index.conftest import Shelf

Begin = Callable[[], "subprocess.Popen[bytes]"]
FOLDERS = [f"{number:02}/{part}/" for number in range(12) for part in ("a", "b")]


@pytest.fixture
def worker(transactional_db: None, service: Sandbox) -> Iterator[Begin]:
    """Begins a real worker, which is ready when this returns."""
    begun: list[subprocess.Popen[bytes]] = []

    def begin_one() -> "subprocess.Popen[bytes]":
        process = subprocess.Popen([sys.executable, "manage.py", "work"], cwd=ROOT, env=_environ(service), stdout=subprocess.PIPE)
        begun.append(process)
        assert process.stdout
        assert select.select([process.stdout], [], [], 60)[0], "the worker did not become ready"
        return process

    yield begin_one
    for process in begun:
        process.kill()
        process.wait()
        if process.stdout:
            process.stdout.close()


def test_a_killed_worker_loses_nothing(worker: Begin, shelf: Shelf, faults: Faults) -> None:
    keys = [f"{folder}{number}.txt" for folder in FOLDERS for number in range(3)]
    shelf.put(*keys)
    faults("S13", delay=0.4)
    job = begin(*shelf.place).job
    for least in (3, 12):
        process = worker()
        _until(lambda least=least: Folder.objects.filter(catalog__bucket=shelf.bucket, listed=True).count() >= least)  # type: ignore[misc] # bound now
        process.kill()
        process.wait()
        job.refresh_from_db()
        assert job.is_alive
    worker()
    _until(lambda: Job.objects.filter(pk=job.pk, state=State.DONE).exists())
    assert shelf.known() == sorted(keys)
    state = shelf.state()
    assert (state.objects, state.folders, state.complete) == (len(keys), 36, True)
    assert not Catalog.objects.filter(begun_at__isnull=False).exists()


def _until(reached: Callable[[], bool], seconds: float = 90) -> None:
    until = time.monotonic() + seconds
    while not reached():
        assert time.monotonic() < until, "it was waited for too long"
        time.sleep(0.05)


def _environ(service: Sandbox) -> dict[str, str]:
    settings = connection.settings_dict
    url = f"sqlite:///{settings['NAME']}"
    if connection.vendor != "sqlite":
        url = f"postgres://{settings['USER']}:{settings['PASSWORD']}@{settings['HOST']}:{settings['PORT']}/{settings['NAME']}"
    return {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "dashboard.settings",
        "DATABASE_URL": url,
        "MANAGEMENT_URL": service.management_url,
        "STORAGE_URL": service.storage_url,
    }
