import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest
from django.db import connection
from django.utils import timezone

from dashboard.interfaces import errors
from dashboard.jobs import kinds, schedules
from dashboard.jobs.batch import Batch
from dashboard.jobs.kinds import Kind
from dashboard.jobs.models import ItemState, Job, JobItem, State
from dashboard.team.models import Person
from dashboard.tokens.workspace import Workspace
from tests.browser.live import console
from tests.environment import ROOT
from tests.jobs import trials
from tests.worker import run_once

__all__ = ["console"]

Step = Callable[[Workspace, Batch], None]
SLOW = errors.SlowDown(operation="S11", service="storage", status=429, retry_after=30.0)
BROKEN = errors.Broken(operation="S11", service="storage", status=502, text="bad gateway")


@dataclass
class Process:
    """A real worker."""

    popen: subprocess.Popen[bytes]

    def wait_until_ready(self, seconds: float = 60) -> "Process":
        assert self.popen.stdout is not None
        assert select.select([self.popen.stdout], [], [], seconds)[0], "the worker did not become ready"
        assert self.popen.stdout.readline() == b"ready\n"
        return self

    def kill(self) -> None:
        self.popen.kill()
        self.popen.wait()

    def stop(self, seconds: float = 20) -> int:
        self.popen.send_signal(signal.SIGTERM)
        return self.popen.wait(seconds)


@pytest.fixture
def workers(transactional_db: None) -> Iterator[Callable[[], Process]]:
    """Start worker processes on the test database, and end them after the test."""
    begun: list[Process] = []

    def begin() -> Process:
        begun.append(
            Process(subprocess.Popen([sys.executable, "manage.py", "work"], cwd=ROOT, env=_environ(), stdout=subprocess.PIPE))
        )
        return begun[-1]

    yield begin
    for process in begun:
        process.kill()
        if process.popen.stdout:
            process.popen.stdout.close()


@pytest.fixture(autouse=True)
def trial_kinds() -> Iterator[None]:
    """Register the test's kinds in this process, too."""
    known, runs = dict(kinds._kinds), dict(schedules._runs)
    trials.register()
    yield
    kinds._kinds.clear()
    kinds._kinds.update(known)
    schedules._runs.clear()
    schedules._runs.update(runs)


@pytest.fixture
def workspace(owner: Person) -> Workspace:
    return Workspace(owner)


@pytest.fixture
def kind() -> Callable[..., str]:
    """Register a kind of job for one test, named "this"."""

    def make(step: Step, *, settle: Step | None = None, batch_size: int = 10, in_order: bool = False) -> str:
        kinds.register(
            Kind("this", title="This", step=step, settle=settle, batch_size=batch_size, in_order=in_order, settle_delay=0)
        )
        return "this"

    return make


def all_done(workspace: Workspace, batch: Batch) -> None:
    for item in batch.items:
        batch.done(item)


def failing(error: BaseException) -> Step:
    def step(workspace: Workspace, batch: Batch) -> None:
        raise error

    return step


def turn(job: Job) -> Job:
    """Run one turn of a worker, in this process."""
    run_once(job.pk)
    job.refresh_from_db()
    return job


def states(job: Job) -> list[str]:
    return list(JobItem.objects.filter(job=job).order_by("number").values_list("state", flat=True))


def wait_for(job: Job, *wanted: State, seconds: float = 60) -> Job:
    """Wait until a worker has put the job in one of these states."""
    return wait_until(job, lambda: job.state in wanted, seconds=seconds)


def wait_until(job: Job, true: Callable[[], bool], *, seconds: float = 60) -> Job:
    """Wait until a worker has made this true of the job. Doesn't wait for requests that may still be running."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        job.refresh_from_db()
        if true():
            return job
        if job.state == State.WAITING:
            requests_have_ended(job)
        time.sleep(0.05)
    told = f"{job.phase} {job.state} ({job.message})"
    raise AssertionError(f"the job is {told} after {seconds:g} s: {job.with_outcome} of {job.total}, {job.scanned} scanned")


def requests_have_ended(job: Job) -> None:
    """Pretend that everything in flight was sent ten minutes ago. The clock stays, as workers have their own."""
    now = timezone.now()
    in_flight = JobItem.objects.filter(job=job, state=ItemState.IN_FLIGHT, check_until__gt=now)
    if in_flight.update(check_until=now):
        Job.objects.filter(pk=job.pk, state=State.WAITING).update(due_at=now)


def _environ() -> dict[str, str]:
    settings = connection.settings_dict
    if connection.vendor == "sqlite":
        url = f"sqlite:///{settings['NAME']}"
    else:
        url = f"postgres://{settings['USER']}:{settings['PASSWORD']}@{settings['HOST']}:{settings['PORT']}/{settings['NAME']}"
    return {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "tests.jobs.settings",
        "DATABASE_URL": url,
        "MANAGEMENT_URL": "http://127.0.0.1:9",
    }
