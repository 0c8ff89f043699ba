"""Real workers, really killed."""

import itertools
import random
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from dashboard.jobs import schedules
from dashboard.jobs.models import Job, JobItem, Phase, State
from dashboard.jobs.transitions import start
from dashboard.jobs.worker import Loop, is_any_worker_alive
from dashboard.tokens.workspace import Workspace
from tests.jobs.conftest import Process, states, wait_for, wait_until
from tests.jobs.trials import written

POLL_SECONDS = 0.3

Begin = Callable[[], Process]


@pytest.mark.exhaustive
@pytest.mark.parametrize("kind", ["trial one by one", "trial side by side"])
def test_killing_the_worker_anywhere_loses_nothing_and_repeats_nothing(
    workers: Begin, workspace: Workspace, tmp_path: Path, kind: str, exhaustive: bool
) -> None:
    file = tmp_path / "effects"
    numbers = [str(number) for number in range(1, 401)]
    job = start(workspace, kind, items=numbers, parameters={"file": str(file), "seconds": 0.004})
    kills = 0
    for number in range(8 if exhaustive else 3):
        process = workers().wait_until_ready()
        if number == 0:
            wait_for(job, State.RUNNING)
        time.sleep(random.SystemRandom().uniform(0, 0.35))
        process.kill()
        job.refresh_from_db()
        kills += job.state == State.RUNNING
    assert kills, "no kill ever met a running job"
    workers()
    job = wait_for(job, State.DONE)
    assert sorted(written(file), key=int) == numbers
    assert states(job) == ["done"] * 400
    assert (job.done, job.skipped, job.failed, job.unknown) == (400, 0, 0, 0)
    assert job.attempt > kills


def runs_in(job: Job, phase: Phase) -> bool:
    return job.state == State.RUNNING and job.phase == phase


@pytest.mark.exhaustive
def test_killing_the_worker_in_any_phase_adds_does_and_checks_everything_once(
    workers: Begin, workspace: Workspace, tmp_path: Path, exhaustive: bool
) -> None:
    file = tmp_path / "effects"
    numbers = [str(number) for number in range(1, 401)]
    parameters = {"file": str(file), "pages": 40, "plan_seconds": 0.05, "seconds": 0.03, "check_seconds": 0.05, "conflicts": True}
    job = start(workspace, "trial plan", parameters=parameters, approval="none")
    met: set[str] = set()
    for phase in (phase for phase in (Phase.PLAN, Phase.RUN, Phase.VERIFY) for _ in range(2 if exhaustive else 1)):
        process = workers().wait_until_ready()
        wait_until(job, partial(runs_in, job, phase))
        time.sleep(random.SystemRandom().uniform(0, 0.1))
        process.kill()
        job.refresh_from_db()
        met |= {job.phase} if job.state == State.RUNNING else set()
    assert met == {"plan", "run", "verify"}
    workers()
    job = wait_for(job, State.DONE)
    assert list(job.items.values_list("target", flat=True)) == numbers
    assert list(job.items.values_list("number", flat=True)) == list(range(1, 401))
    assert sorted(written(file), key=int) == numbers
    assert states(job) == ["done"] * 400
    assert (job.total, job.done, job.failed, job.conflicts, job.scanned) == (400, 400, 0, 80, 400)
    assert job.facts == {"bytes": 40_000, "conflicts": 80}


def test_two_workers_share_planned_jobs_and_one_job_has_one_holder(workers: Begin, workspace: Workspace, tmp_path: Path) -> None:
    file = tmp_path / "effects"
    for _ in range(2):
        workers().wait_until_ready()
    jobs = []
    for number in range(4):
        parameters = {"file": f"{file}.{number}", "pages": 10, "plan_seconds": 0.02, "seconds": 0.01, "check_seconds": 0.01}
        jobs.append(start(workspace, "trial plan", parameters=parameters, approval="none"))
    numbers = [str(number) for number in range(1, 101)]
    for at, job in enumerate(jobs):
        wait_for(job, State.DONE)
        assert list(job.items.values_list("target", flat=True)) == numbers
        assert sorted(written(f"{file}.{at}"), key=int) == numbers
        assert (job.done, job.failed, job.scanned) == (100, 0, 100)


def test_several_workers_share_the_jobs_and_none_is_done_twice(workers: Begin, workspace: Workspace, tmp_path: Path) -> None:
    file = tmp_path / "effects"
    processes = [workers().wait_until_ready() for _ in range(3)]
    jobs = [
        start(
            workspace,
            "trial one by one",
            items=[f"{letter}{number}" for number in range(60)],
            parameters={"file": str(file), "seconds": 0.01},
        )
        for letter in "abcdef"
    ]
    for job in jobs:
        wait_for(job, State.DONE)
    lines = written(file)
    assert len(lines) == len(set(lines)) == 360
    hands = set(JobItem.objects.values_list("message", flat=True))
    assert len(hands) > 1
    assert hands <= {str(process.popen.pid) for process in processes}


def test_the_work_of_a_killed_worker_is_taken_over_by_another_that_runs(
    workers: Begin, workspace: Workspace, tmp_path: Path
) -> None:
    file = tmp_path / "effects"
    numbers = [str(number) for number in range(300)]
    processes = {process.popen.pid: process for process in (workers().wait_until_ready(), workers().wait_until_ready())}
    job = start(workspace, "trial one by one", items=numbers, parameters={"file": str(file), "seconds": 0.02})
    wait_for(job, State.RUNNING)
    assert job.worker
    processes[job.worker.pid].kill()
    job.refresh_from_db()
    assert job.is_alive, "it had ended before its worker was killed"
    wait_for(job, State.DONE, seconds=60)
    assert sorted(written(file), key=int) == numbers


def test_a_stopped_worker_ends_at_a_safe_point_and_the_next_goes_on(workers: Begin, workspace: Workspace, tmp_path: Path) -> None:
    file = tmp_path / "effects"
    numbers = [str(number) for number in range(300)]
    job = start(workspace, "trial one by one", items=numbers, parameters={"file": str(file), "seconds": 0.02})
    first = workers().wait_until_ready()
    wait_for(job, State.RUNNING)
    assert first.stop() == 0
    job.refresh_from_db()
    assert job.state == State.QUEUED
    assert "in_flight" not in states(job)
    assert not is_any_worker_alive(), "pages say so at once"
    workers()
    wait_for(job, State.DONE)
    assert sorted(written(file), key=int) == numbers


def test_a_step_that_does_not_end_is_cut_and_settled(workers: Begin, workspace: Workspace, tmp_path: Path) -> None:
    file = tmp_path / "effects"
    job = start(workspace, "trial hang", items=["begun"], parameters={"file": str(file)})
    process = workers().wait_until_ready()
    until = time.monotonic() + 20
    while not written(file) and time.monotonic() < until:
        time.sleep(0.05)
    assert process.stop() == 0
    job.refresh_from_db()
    assert job.state == State.QUEUED
    workers()
    wait_for(job, State.DONE)
    assert written(file) == ["begun"]


def test_work_by_cursor_goes_on_where_it_stood(workers: Begin, workspace: Workspace, tmp_path: Path) -> None:
    file = tmp_path / "effects"
    job = start(workspace, "trial by cursor", cursor=1, parameters={"file": str(file), "pages": 80, "seconds": 0.03})
    process = workers().wait_until_ready()
    wait_until(job, lambda: job.done > 0)
    process.kill()
    job.refresh_from_db()
    assert job.state == State.RUNNING, "it had ended before its worker was killed"
    workers()
    job = wait_for(job, State.DONE)
    assert sorted({int(page) for page in written(file)}) == list(range(1, 81))
    assert len(written(file)) <= 81
    assert job.done == 800
    assert job.cursor is None


def test_a_timer_runs_once_each_time_however_many_workers_there_are(workers: Begin, workspace: Workspace, tmp_path: Path) -> None:
    file = tmp_path / "effects"
    for _ in range(3):
        workers().wait_until_ready()
    payload = {"file": str(file), "most": 3}
    schedules.start("trial tick", "here", owner=workspace.person, first_in=0, every=1, payload=payload)
    until = time.monotonic() + 30
    while schedules.find("trial tick", "here") and time.monotonic() < until:
        time.sleep(0.1)
    assert schedules.find("trial tick", "here") is None
    moments = [float(line) for line in written(file)]
    assert len(moments) == 3
    assert all(later - earlier > 0.95 for earlier, later in itertools.pairwise(moments))


def test_an_idle_worker_asks_twice_and_rests(transactional_db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    loop = Loop()
    asked: list[int] = []

    def rest(seconds: float) -> None:
        assert seconds == POLL_SECONDS
        asked.append(len(captured))
        loop.handle.stopping = len(asked) == 5

    monkeypatch.setattr(loop, "_handle_signals", lambda: None)
    monkeypatch.setattr(loop, "_sleep", rest)
    with CaptureQueriesContext(connection) as captured:
        loop.run(ready=lambda: None)
    loop._wake.close()
    loop._waker.close()
    assert [later - earlier for earlier, later in itertools.pairwise(asked)] == [2, 2, 2, 2]
