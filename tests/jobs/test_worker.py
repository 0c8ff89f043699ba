"""Jobs that lost their worker or their message."""

import os
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.utils import timezone

from dashboard.jobs.batch import Batch
from dashboard.jobs.heartbeat import heartbeat
from dashboard.jobs.models import ItemState, Job, JobItem, State, Worker
from dashboard.jobs.transitions import start
from dashboard.jobs.worker import dead_workers, is_any_worker_alive, register, sweep
from dashboard.tokens.workspace import Workspace
from tests.worker import run_once

MOST_LOST_WORKERS = 8

Make = Callable[..., str]
LONG_AGO = timedelta(minutes=5)


def nothing(workspace: Workspace, batch: Batch) -> None:
    for item in batch.items:
        batch.done(item)


@pytest.fixture
def job(workspace: Workspace, kind: Make) -> Job:
    return start(workspace, kind(nothing), items=list("abc"))


def lost(job: Job, worker: Worker | None = None) -> Job:
    """As a killed worker leaves it behind."""
    Job.objects.filter(pk=job.pk).update(
        state=State.RUNNING, attempt=3, worker=worker, heartbeat_at=timezone.now() - (timedelta() if worker else LONG_AGO)
    )
    JobItem.objects.filter(job=job, number=1).update(state=ItemState.IN_FLIGHT)
    job.refresh_from_db()
    return job


def test_a_stale_heartbeat_queues_the_job_anew_with_the_next_attempt(job: Job) -> None:
    lost(job)
    assert sweep() == 1
    job.refresh_from_db()
    assert (job.state, job.attempt, job.lost_workers) == (State.QUEUED, 4, 1)
    run_once(job.pk)
    job.refresh_from_db()
    assert (job.state, job.done, job.lost_workers) == (State.DONE, 3, 0)


def test_a_job_in_good_hands_is_left_alone(job: Job) -> None:
    lost(job, register())
    assert sweep() == 0
    job.refresh_from_db()
    assert (job.state, job.attempt) == (State.RUNNING, 3)


def test_a_worker_whose_process_ended_is_found_at_once(job: Job) -> None:
    gone = register()
    Worker.objects.filter(pk=gone.pk).update(process_start="1")
    lost(job, gone)
    assert sweep() == 1
    assert not Worker.objects.exists()


def test_a_worker_elsewhere_counts_as_alive_until_it_is_silent(job: Job) -> None:
    elsewhere = Worker.objects.create(pid_namespace="another machine", pid=os.getpid(), process_start="1")
    lost(job, elsewhere)
    assert sweep() == 0
    Worker.objects.update(heartbeat_at=timezone.now() - LONG_AGO)
    assert sweep() == 1


def test_what_the_asking_worker_itself_let_fall_comes_back(job: Job) -> None:
    me = register()
    lost(job, me)
    assert sweep(me.pk) == 1


def test_a_job_that_kills_its_workers_is_stopped(job: Job) -> None:
    for _ in range(MOST_LOST_WORKERS - 1):
        sweep()
        lost(job)
    Job.objects.update(lost_workers=MOST_LOST_WORKERS - 1)
    sweep()
    job.refresh_from_db()
    assert job.state == State.FAILED
    assert "times in a row" in job.message


def test_this_process_lives_and_leaves(transactional_db: None) -> None:
    assert not is_any_worker_alive()
    me = register()
    assert is_any_worker_alive()
    assert dead_workers() == []
    assert heartbeat(me.pk)
    Worker.objects.all().delete()
    assert not heartbeat(me.pk)
