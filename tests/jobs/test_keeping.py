"""What a sweep lets go of, and what it never touches."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.utils import timezone

from dashboard.jobs import transitions
from dashboard.jobs.batch import Batch
from dashboard.jobs.models import ENDED, Job, JobItem, State
from dashboard.jobs.transitions import start
from dashboard.jobs.worker import sweep
from dashboard.journal.models import Entry
from dashboard.tokens.workspace import Workspace

Make = Callable[..., str]
RESTING = (State.PLANNED, State.PAUSED, State.QUEUED, State.WAITING)


def nothing(workspace: Workspace, batch: Batch) -> None:
    for item in batch.items:
        batch.done(item)


@pytest.fixture
def begin(workspace: Workspace, kind: Make) -> Callable[..., Job]:
    """A job that is so many days old in everything, and in this state."""
    name = kind(nothing)

    def make(state: State, *, days: float, begun: bool = True, items: int = 2) -> Job:
        job = start(workspace, name, items=[str(number) for number in range(items)])
        then = timezone.now() - timedelta(days=days)
        ended_at = then if state in ENDED else None
        Job.objects.filter(pk=job.pk).update(
            state=state, created_at=then, planned_at=then, begun_at=then if begun else None, ended_at=ended_at
        )
        return job

    return make


def is_there(job: Job) -> bool:
    assert JobItem.objects.filter(job_id=job.pk).exists() == Job.objects.filter(pk=job.pk).exists()
    return Job.objects.filter(pk=job.pk).exists()


@pytest.mark.parametrize("state", ENDED)
def test_what_ended_is_kept_for_thirty_days(begin: Callable[..., Job], workspace: Workspace, state: State) -> None:
    with workspace.record("S8", target="2 objects in photos", place="shared"):
        pass
    old, younger = begin(state, days=30.1), begin(state, days=29.9)
    sweep()
    sweep()
    assert (is_there(old), is_there(younger)) == (False, True)
    assert Entry.objects.filter(target="2 objects in photos").exists()


@pytest.mark.parametrize("state", [State.PLANNED, State.CANCELLED])
def test_a_plan_that_nobody_began_is_kept_for_a_week(begin: Callable[..., Job], state: State) -> None:
    old, younger = begin(state, days=7.1, begun=False), begin(state, days=6.9, begun=False)
    sweep()
    sweep()
    assert (is_there(old), is_there(younger)) == (False, True)


def test_what_may_still_go_on_is_kept_however_old(begin: Callable[..., Job]) -> None:
    jobs = [begin(state, days=400) for state in RESTING] + [begin(State.PAUSED, days=400, begun=False)]
    for _ in range(len(jobs) + 1):
        sweep()
    assert all(map(is_there, jobs))


def test_a_large_one_goes_by_pieces_and_nobody_goes_on_with_half_of_it(begin: Callable[..., Job]) -> None:
    job = begin(State.FAILED, days=31, items=2001)
    assert transitions.resume(job)
    Job.objects.filter(pk=job.pk).update(state=State.FAILED, ended_at=timezone.now() - timedelta(days=31))
    sweep()
    assert JobItem.objects.filter(job=job).count() == 1
    assert not transitions.resume(job)
    assert not transitions.retry_failed(job)
    sweep()
    assert not is_there(job)
