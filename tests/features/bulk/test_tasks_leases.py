"""A job and an upload never write one key at the same time."""

from datetime import timedelta

import pytest
from django.utils import timezone

from dashboard.catalog import leases
from dashboard.catalog.models import KeyLease
from dashboard.jobs.models import Job, State
from tests.features.bulk.conftest import Desk, Faults, outcomes
from tests.jobs.conftest import turn


@pytest.mark.parametrize(("verb", "across"), [("move", False), ("move", True), ("copy", False), ("copy", True)])
def test_an_item_waits_while_somebody_uploads_to_its_key(desk: Desk, verb: str, *, across: bool) -> None:
    desk.put("a/1", "a/2")
    bucket = desk.other if across else desk.bucket
    with leases.lease(desk.workspace, desk.space, bucket, "b/a/1"):
        job = desk.carry(verb, "a/", to="b/", bucket=bucket)
        assert (job.state, job.message) == (State.WAITING, "Waiting for 1 name to which an upload or another job is writing.")
        assert outcomes(job) == {"a/1": "waiting", "a/2": "done"}
        assert "b/a/1" not in desk.names(bucket)
        for _ in range(25):
            Job.objects.update(due_at=timezone.now() - timedelta(seconds=1))
            job = turn(job)
        assert job.state == State.WAITING
    Job.objects.update(due_at=timezone.now() - timedelta(seconds=1))
    job = turn(job)
    assert (job.state, job.done, job.failed) == (State.DONE, 2, 0)
    assert not KeyLease.objects.exists()


def test_nobody_uploads_to_a_key_that_a_job_may_still_be_writing(desk: Desk, faults: Faults) -> None:
    desk.put("a/1")
    faults("S11", cut="before", times=1)
    job = desk.carry("move", "a/", to="b/")
    assert outcomes(job) == {"a/1": "in_flight"}
    with pytest.raises(leases.KeyInUseError) as held, leases.lease(desk.workspace, desk.space, desk.bucket, "b/a/1"):
        raise AssertionError("it was given away")
    assert held.value.problem.title == "Your job is writing to this file name"
