"""The heartbeat of a worker, and what pages say without one."""

import logging
import os
import subprocess
import sys
import time
from datetime import timedelta
from pathlib import Path

import pytest
from django.conf import settings
from django.utils import timezone

from dashboard.jobs import health
from dashboard.jobs.heartbeat import Heartbeat
from dashboard.jobs.lease import WorkerHandle
from dashboard.jobs.models import Schedule, Worker
from dashboard.jobs.transitions import start
from dashboard.jobs.worker import leave, register
from dashboard.team.models import Person
from dashboard.tokens.workspace import Workspace
from dashboard.web.process import liveness
from tests.environment import ROOT
from tests.pages import PageClient

LONG_AGO = timedelta(hours=2)


@pytest.fixture
def me(transactional_db: None, monkeypatch: pytest.MonkeyPatch) -> Worker:
    """This process as a worker, whose loop has just made progress and whose row is old."""
    silent(monkeypatch, 0)
    worker = register()
    Worker.objects.update(heartbeat_at=timezone.now() - LONG_AGO)
    return worker


def was_renewed(worker: Worker) -> bool:
    worker.refresh_from_db()
    return worker.heartbeat_at > timezone.now() - timedelta(minutes=1)


def silent(monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    """As if the loop had made no progress for so long."""
    monkeypatch.setattr(liveness, "_last", time.monotonic() - seconds)


def test_a_loop_that_waits_for_its_longest_call_is_alive(me: Worker, monkeypatch: pytest.MonkeyPatch) -> None:
    silent(monkeypatch, 180)
    ends: list[int] = []
    Heartbeat(WorkerHandle(me.pk), end_process=ends.append).beat()
    assert (ends, was_renewed(me)) == ([], True)


def test_a_loop_that_hangs_has_no_heartbeat_and_its_process_ends(
    me: Worker, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    silent(monkeypatch, 201)
    ends: list[int] = []
    Heartbeat(WorkerHandle(me.pk), end_process=ends.append).beat()
    assert (ends, was_renewed(me)) == ([70], False)
    assert "The loop hangs; this worker exits" in caplog.text


def test_a_worker_that_was_away_says_for_how_long_and_goes_on(
    me: Worker, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    silent(monkeypatch, 1000)
    ends: list[int] = []
    beats = Heartbeat(WorkerHandle(me.pk), end_process=ends.append)
    beats.beaten_at -= 95
    beats.beat()
    assert "This worker was away for 95 s" in caplog.text
    assert (ends, was_renewed(me)) == ([], True)
    caplog.clear()
    beats.beat()
    assert "away" not in caplog.text


def test_its_health_is_the_age_of_its_heartbeat(me: Worker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATA_DIR", str(settings.DATA_DIR))
    file = Path(settings.DATA_DIR, health.FILE)
    file.unlink(missing_ok=True)
    assert health.main() == 1
    Heartbeat(WorkerHandle(me.pk)).beat()
    assert health.main() == 0
    os.utime(file, (time.time() - 61, time.time() - 61))
    assert health.main() == 1


def test_asking_for_its_health_loads_no_django() -> None:
    code = "import sys, dashboard.jobs.health; assert not {'django', 'requests'} & sys.modules.keys()"
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)


def text(client: PageClient, address: str) -> str:
    return " ".join(client.get(address).text.split())


@pytest.mark.parametrize("address", ["/", "/jobs/"])
def test_without_a_worker_everybody_whose_work_waits_is_told_and_owners_since_when(
    address: str, me: Worker, ada: Person, as_owner: PageClient, as_ada: PageClient
) -> None:
    missing, seen = "No worker is running", f"{Worker.objects.get().heartbeat_at:%Y-%m-%dT%H:%M}"
    assert missing not in text(as_owner, address), "nothing waits"
    start(Workspace(Person.objects.get(role="owner")), "trial one by one", items=["1"])
    assert f"{missing}, so jobs and automatic checks wait. The last one was seen" in text(as_owner, address)
    assert seen in text(as_owner, address)
    assert missing not in text(as_ada, address), "nothing of hers waits"
    Schedule.objects.create(kind="trial", key="1", owner=ada, every=60, next_at=timezone.now())
    assert "An owner of the team can start one." in text(as_ada, address)
    assert "was seen" not in text(as_ada, address)
    again = register()
    assert missing not in text(as_owner, address) + text(as_ada, address)
    leave(again.pk)
    assert f"{missing}, so jobs and automatic checks wait. The last one was seen" in text(as_owner, address)
    assert seen not in text(as_owner, address)
