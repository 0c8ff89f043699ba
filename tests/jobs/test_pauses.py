"""What makes a job pause or stop, and when it goes on."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.utils import timezone

from dashboard.interfaces import errors
from dashboard.jobs import transitions
from dashboard.jobs.batch import Batch, Pause
from dashboard.jobs.lease import due_jobs
from dashboard.jobs.models import Job, JobItem, State
from dashboard.jobs.transitions import start
from dashboard.team.models import Person, Role
from dashboard.team.rights import RoleMissing
from dashboard.tokens.errors import TokenMissing
from dashboard.tokens.workspace import Workspace
from tests.jobs.conftest import BROKEN, SLOW, all_done, failing, states, turn

Make = Callable[..., str]


def seconds_to_next_try(job: Job) -> float:
    assert job.state == State.WAITING
    return (job.due_at - timezone.now()).total_seconds()


def let_time_pass() -> None:
    """As if every pause were over. The clock stays: the pool of connections would take a leap for age."""
    Job.objects.update(due_at=timezone.now())


def test_cancelling_ends_before_the_next_step(workspace: Workspace, kind: Make) -> None:
    def step(workspace: Workspace, batch: Batch) -> None:
        transitions.cancel(batch.job)
        all_done(workspace, batch)

    job = turn(start(workspace, kind(step, batch_size=1), items=list("abc")))
    assert job.state == State.CANCELLED
    assert states(job) == ["done", "waiting", "waiting"]
    assert not transitions.cancel(job)


def test_cancelling_what_is_not_under_way_is_immediate(workspace: Workspace, kind: Make) -> None:
    job = start(workspace, kind(all_done), items=["a"])
    assert transitions.cancel(job)
    assert turn(job).state == State.CANCELLED
    assert not due_jobs().exists()


def test_a_paused_job_rests_until_it_goes_on(workspace: Workspace, kind: Make) -> None:
    def step(workspace: Workspace, batch: Batch) -> None:
        if batch.items[0].number == 1:
            transitions.pause(batch.job)
        all_done(workspace, batch)

    job = turn(start(workspace, kind(step, batch_size=1), items=list("ab")))
    assert job.state == State.PAUSED
    assert turn(job).state == State.PAUSED
    assert transitions.resume(job)
    assert turn(job).state == State.DONE


def test_being_asked_to_slow_down_pauses_until_the_time_named(workspace: Workspace, kind: Make) -> None:
    tried = []

    def step(workspace: Workspace, batch: Batch) -> None:
        def call(item: JobItem) -> None:
            tried.append(item.target)
            if len(tried) == 2:
                raise SLOW

        batch.for_each(call, concurrency=1)

    job = turn(start(workspace, kind(step), items=list("abc")))
    assert job.state == State.WAITING
    assert states(job) == ["done", "waiting", "waiting"]
    assert round(seconds_to_next_try(job)) == 30
    assert "next try" not in job.message
    assert turn(job).state == State.WAITING
    assert not due_jobs().exists()
    assert tried == ["a", "b"]
    let_time_pass()
    assert due_jobs().exists()
    assert turn(job).state == State.DONE
    assert tried == ["a", "b", "b", "c"]


def test_the_pauses_of_a_failing_service_grow_until_the_job_stops(workspace: Workspace, kind: Make) -> None:
    job = start(workspace, kind(failing(BROKEN)), items=["a"])
    pauses = []
    for _ in range(30):
        job = turn(job)
        if job.state != State.WAITING:
            break
        pauses.append(round(seconds_to_next_try(job)))
        let_time_pass()
    assert pauses[:5] == [5, 10, 20, 40, 80]
    assert max(pauses) == 600
    assert job.state == State.FAILED
    assert "(502)" in job.message
    assert transitions.resume(job)
    job.refresh_from_db()
    assert (job.state, job.pauses, job.message) == (State.QUEUED, 0, "")


def test_a_pause_that_the_step_wishes_is_kept(workspace: Workspace, kind: Make) -> None:
    job = turn(start(workspace, kind(failing(Pause(90, "It is being set up."))), items=["a"]))
    assert (job.state, job.message) == (State.WAITING, "It is being set up.")
    assert job.due_at > timezone.now() + timedelta(seconds=80)


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (TokenMissing(kind="storage", space="abc"), "Its owner's storage token for abc is no longer stored."),
        (
            errors.TokenRefused(operation="S2", service="storage", status=401, text="jwt expired"),
            "The storage service refused its owner's token. It reported: “jwt expired”",
        ),
        (RoleMissing(Role.VIEWER, Role.OPERATOR), "Its owner's role doesn't allow it any more. Needs the operator role."),
        (RuntimeError("a mistake of ours"), "Something failed in Pilothouse. Its log has the details."),
    ],
)
def test_what_can_not_go_on_stops_with_a_sentence(workspace: Workspace, kind: Make, error: Exception, message: str) -> None:
    job = turn(start(workspace, kind(failing(error)), items=["a"]))
    assert (job.state, job.message) == (State.FAILED, message)


def test_somebody_who_left_does_nothing_any_more(owner: Person, workspace: Workspace, kind: Make) -> None:
    job = start(workspace, kind(all_done), items=["a"])
    Person.objects.update(is_active=False)
    job = turn(job)
    assert (job.state, job.message) == (State.FAILED, "Its owner can no longer sign in.")
    assert states(job) == ["waiting"]


def test_a_kind_that_is_gone_stops_the_job_with_a_sentence(workspace: Workspace, kind: Make) -> None:
    job = start(workspace, kind(all_done), items=["a"])
    Job.objects.update(kind="gone")
    job = turn(job)
    assert (job.state, job.message) == (State.FAILED, "This version of Pilothouse doesn't support this kind of job.")
