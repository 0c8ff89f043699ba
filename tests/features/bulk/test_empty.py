"""Emptying a bucket, and deleting it, as a worker does it."""

from datetime import timedelta

import pytest
from django.utils import timezone

from dashboard.catalog.keys import PLACEHOLDER
from dashboard.features.bulk import services as jobs
from dashboard.features.bulk.tasks import empty
from dashboard.jobs import kinds, transitions
from dashboard.jobs.models import Job
from dashboard.jobs.models import State as JobState
from dashboard.jobs.unsettled import ENDED
from dashboard.journal.models import Entry, Outcome
from dashboard.links.lifecycle import Terms, make
from dashboard.links.states import State
from dashboard.notifications.models import Notification
from dashboard.team.models import Person
from tests.features.bulk.conftest import Desk, Faults, go, outcomes, through, words
from tests.features.lost import Lost, lost
from tests.jobs.conftest import turn

__all__ = ["lost"]


@pytest.mark.parametrize("verb", ["empty", "remove"])
def test_the_plan_names_the_links_that_die_and_the_ledger_knows_it_afterwards(desk: Desk, owner: Person, verb: str) -> None:
    desk.put("a.txt")
    terms = Terms(ends_at=timezone.now() + timedelta(days=1), note="For the printers")
    share, _ = make(owner, desk.space, desk.bucket, keys=["a.txt"], terms=terms)
    job = planned(desk, verb)
    assert any("“For the printers”" in line for line in kinds.plan_of(job).details)
    go(job)
    share.refresh_from_db()
    assert share.state == State.GONE


def planned(desk: Desk, verb: str) -> Job:
    begin = jobs.remove if verb == "remove" else jobs.empty
    return turn(begin(desk.workspace, desk.space, desk.bucket, back="/"))


def test_accepted_and_verified_empty_are_told_apart(desk: Desk) -> None:
    desk.put("a.txt", "b/c.txt", body=b"1234")
    desk.put(f"d/{PLACEHOLDER}", body=b"")
    job = planned(desk, "empty")
    plan = kinds.plan_of(job)
    assert plan.summary == f"{desk.bucket} holds 2 objects, 8 bytes."
    assert plan.typed == desk.bucket
    job = go(job)
    assert outcomes(job) == {empty.ACCEPTED: "done", empty.EMPTY: "done"}
    assert "queued" in words(job)[empty.ACCEPTED]
    assert desk.names() == []


@pytest.mark.parametrize("fault", [{"status": 403}, {"status": 404}, {"status": 409}])
def test_where_it_is_refused_the_objects_are_deleted_in_batches(desk: Desk, faults: Faults, fault: dict[str, object]) -> None:
    desk.put(*(f"a/{number}/x" for number in range(10)))
    job = planned(desk, "remove")
    faults("S3", **fault)
    job = go(job)
    assert outcomes(job) == {empty.ACCEPTED: "skipped", empty.EMPTY: "done", empty.DELETED: "done"}
    assert desk.bucket not in {bucket.id for bucket in desk.storage.buckets.all()}
    assert Entry.objects.filter(operation="S8").exists()


def test_a_batch_whose_answer_is_lost_is_told_once_and_goes_on(desk: Desk, lost: Lost, faults: Faults) -> None:
    desk.put("a/x", "b/x")
    job = planned(desk, "empty")
    faults("S3", status=403)
    faults("S8", cut="after", times=1)
    faults("S15", status=500, times=3)
    job = go(job)
    entry = Entry.objects.filter(operation="S8").order_by("pk").first()
    assert entry
    assert entry.outcome == Outcome.UNKNOWN
    for _ in range(6):
        lost.pass_time(timedelta(seconds=40))
        job = turn(job)
    entry.refresh_from_db()
    assert (job.state, outcomes(job)[empty.EMPTY], entry.outcome) == (JobState.DONE, "done", Outcome.DONE)
    told = Notification.objects.filter(kind=ENDED, person__isnull=False)
    assert [message.key for message in told] == [str(entry.pk)]


def test_it_waits_with_patience_until_the_list_is_empty(desk: Desk, faults: Faults) -> None:
    """The service says that it accepted, and does nothing yet."""
    desk.put("a.txt")
    job = planned(desk, "empty")
    faults("S3", stay=True)
    assert transitions.apply(job)
    job = turn(job)
    assert job.state == JobState.WAITING
    assert "“a.txt”" in job.message
    assert outcomes(job) == {empty.ACCEPTED: "done", empty.EMPTY: "in_flight"}
    desk.storage.objects.delete(desk.bucket, "a.txt")
    assert outcomes(through(job)) == {empty.ACCEPTED: "done", empty.EMPTY: "done"}


def test_a_bucket_that_is_not_there_is_not_taken_for_an_empty_one(desk: Desk) -> None:
    job = turn(jobs.remove(desk.workspace, desk.space, "nowhere", back="/"))
    assert job.state == JobState.FAILED


def test_something_stored_meanwhile_keeps_the_bucket(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.put("a.txt")
    real = empty._verify

    def stored_behind(*given: object) -> bool:
        ended = real(*given)  # type: ignore[arg-type] # passed on as they came
        desk.put("late.txt")
        return ended

    job = planned(desk, "remove")
    monkeypatch.setattr(empty, "_verify", stored_behind)
    job = go(job)
    assert outcomes(job)[empty.DELETED] == "failed"
    assert "late.txt" in words(job)[empty.DELETED]
    assert desk.names() == ["late.txt"]
