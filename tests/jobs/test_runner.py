"""A turn of a job, in this process."""

import time
from collections.abc import Callable
from dataclasses import replace
from threading import get_ident

import pytest

from dashboard.interfaces import errors
from dashboard.jobs import kinds, settlement_queue, transitions
from dashboard.jobs.batch import Batch, Item
from dashboard.jobs.lease import WorkerHandle, claim, claim_next, due_jobs
from dashboard.jobs.models import Job, JobItem, State
from dashboard.jobs.runner import run
from dashboard.jobs.transitions import start
from dashboard.notifications import kinds as notification_kinds
from dashboard.team.models import Person
from dashboard.tokens.workspace import Workspace
from dashboard.web.process.parallel import DatabaseInPool
from tests.jobs.conftest import all_done, states, turn
from tests.worker import run_once

Make = Callable[..., str]


def test_a_job_goes_through_its_items_in_slices(workspace: Workspace, kind: Make) -> None:
    sizes = []

    def step(workspace: Workspace, batch: Batch) -> None:
        sizes.append(len(batch.items))
        for item in batch.items:
            batch.done(item, f"It was {item.parameters['was']}")

    job = start(workspace, kind(step, batch_size=4), items=[Item(f"thing {n}", {"was": n}) for n in range(10)], title="Ten")
    assert (job.state, job.total, str(job)) == (State.QUEUED, 10, "Ten")
    job = turn(job)
    assert sizes == [4, 4, 2]
    assert (job.state, job.done, job.with_outcome) == (State.DONE, 10, 10)
    assert job.ended_at
    assert list(job.items.values_list("message", flat=True)) == [f"It was {n}" for n in range(10)]


def test_a_job_from_a_folder_with_a_long_address_leads_back_to_its_bucket(workspace: Workspace, kind: Make) -> None:
    """The column has 500 characters, which PostgreSQL enforces; a Cyrillic letter takes six."""
    name, bucket = kind(all_done), "/storage/abc/photos/"
    assert start(workspace, name, back=f"{bucket}?path={'%D0%9F' * 100}").back == bucket
    assert start(workspace, name, back=f"{bucket}?path=a/").back == f"{bucket}?path=a/"


def test_a_job_without_items_is_done_at_once(workspace: Workspace, kind: Make) -> None:
    assert turn(start(workspace, kind(all_done))).state == State.DONE


def test_no_two_features_register_the_same_name() -> None:
    """Not the later one wins, unseen."""
    known = kinds.registered()[0]
    with pytest.raises(ValueError, match=f"job called {known.name!r} already"):
        kinds.register(replace(known, title="Another"))
    with pytest.raises(ValueError, match="rule for M12 already"):
        settlement_queue.register(replace(settlement_queue.rule_of("M12")))
    with pytest.raises(ValueError, match="notification called 'job failed' already"):
        notification_kinds.register(notification_kinds.Kind("job failed", "Another"))


@pytest.mark.parametrize(("operation", "doubt"), [("M6", "may be sent again"), ("M12", "until it shows"), ("S12", "the job")])
def test_no_rule_contradicts_the_row_of_its_operation(operation: str, doubt: str) -> None:
    other = settlement_queue.rule_of("M6" if operation == "M12" else "M12")
    with pytest.raises(ValueError, match=doubt):
        settlement_queue.register(replace(other, operation=operation))


def test_a_kind_that_nobody_registered_is_refused(workspace: Workspace) -> None:
    with pytest.raises(KeyError):
        start(workspace, "nothing of the kind")


def test_a_message_that_comes_twice_runs_the_job_once(workspace: Workspace, kind: Make) -> None:
    calls = []

    def step(workspace: Workspace, batch: Batch) -> None:
        calls.append(1)
        run_once(batch.job.pk)
        all_done(workspace, batch)

    job = turn(start(workspace, kind(step), items=["a"]))
    run_once(job.pk)
    assert calls == [1]


def test_outcomes_are_counted_apart(workspace: Workspace, kind: Make) -> None:
    def step(workspace: Workspace, batch: Batch) -> None:
        done, skipped, failed, unknown, _silent = batch.items
        batch.done(done)
        batch.skipped(skipped, "gone already")
        batch.failed(failed, "refused")
        batch.unknown(unknown, "no answer")
        batch.failed(done, "the first word counts")

    job = turn(start(workspace, kind(step), items=list("abcde")))
    assert states(job) == ["done", "skipped", "failed", "unknown", "unknown"]
    assert (job.state, job.done, job.skipped, job.failed, job.unknown) == (State.DONE, 1, 1, 1, 2)
    assert job.items.get(number=5).message == "The outcome was not recorded."


def test_a_refusal_is_the_items_own(workspace: Workspace, kind: Make) -> None:
    def step(workspace: Workspace, batch: Batch) -> None:
        def call(item: JobItem) -> None:
            if item.target == "b":
                raise errors.NotFound(operation="S11", service="storage", status=404, text="Object not found")

        batch.for_each(call)

    job = turn(start(workspace, kind(step), items=list("abc")))
    assert states(job) == ["done", "failed", "done"]
    assert "Object not found" in job.items.get(number=2).message


def test_calls_run_side_by_side_and_never_touch_the_database(workspace: Workspace, kind: Make) -> None:
    threads = set()

    def step(workspace: Workspace, batch: Batch) -> None:
        def call(item: JobItem) -> None:
            threads.add(get_ident())
            with pytest.raises(DatabaseInPool):
                Job.objects.count()

        batch.for_each(call, concurrency=4)

    job = turn(start(workspace, kind(step), items=[str(n) for n in range(12)]))
    assert job.done == 12
    assert get_ident() not in threads


def test_the_token_that_was_refused_is_marked(owner: Person, management_token: object, kind: Make) -> None:
    def step(workspace: Workspace, batch: Batch) -> None:
        workspace.management.projects.all()
        all_done(workspace, batch)

    job = turn(start(Workspace(owner), kind(step), items=["a"]))
    assert job.state == State.DONE


def test_a_worker_that_was_taken_for_dead_writes_nothing(workspace: Workspace, kind: Make) -> None:
    def step(workspace: Workspace, batch: Batch) -> None:
        Job.objects.update(attempt=7)
        all_done(workspace, batch)

    job = turn(start(workspace, kind(step), items=["a"]))
    assert (job.state, job.attempt, job.done) == (State.RUNNING, 7, 0)
    assert states(job) == ["in_flight"]


def test_work_by_cursor_remembers_where_it_stands(workspace: Workspace, kind: Make) -> None:
    def step(workspace: Workspace, batch: Batch) -> None:
        page = batch.cursor["page"]
        batch.advance({"page": page + 1} if page < 3 else None, seen=100)

    job = start(workspace, kind(step), cursor={"page": 1})
    job = turn(job)
    assert (job.state, job.done, job.total, job.cursor) == (State.DONE, 300, None, None)


def test_others_get_their_turn(workspace: Workspace, kind: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    # Long enough for a busy machine to begin the first step in.
    monkeypatch.setattr("dashboard.jobs.runner.SLICE_SECONDS", 2.0)

    def step(workspace: Workspace, batch: Batch) -> None:
        all_done(workspace, batch)
        time.sleep(2.1)

    job = start(workspace, kind(step, batch_size=1), items=[str(n) for n in range(5)])
    handle = WorkerHandle(has_other_work=lambda: True)
    claimed = claim(job.pk, handle)
    assert claimed
    run(claimed, handle)
    job.refresh_from_db()
    assert job.state == State.QUEUED
    assert 0 < job.done < 5
    assert due_jobs().exists()


def test_jobs_are_claimed_in_the_order_in_which_they_became_due(workspace: Workspace, kind: Make) -> None:
    name = kind(all_done)
    first, second = start(workspace, name, items=["a"]), start(workspace, name, items=["b"])
    handle = WorkerHandle()
    assert transitions.enqueue(Job.objects.filter(pk=first.pk))
    claimed = [claim_next(handle) for _ in range(3)]
    assert [job and job.pk for job in claimed] == [second.pk, first.pk, None]


def test_a_job_that_others_claim_first_is_passed_over(workspace: Workspace, kind: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    name = kind(all_done)
    first, second = start(workspace, name, items=["a"]), start(workspace, name, items=["b"])

    def claim_after_another_worker(job_id: int, handle: WorkerHandle) -> Job | None:
        if job_id == first.pk:
            assert claim(job_id, WorkerHandle())
        return claim(job_id, handle)

    monkeypatch.setattr("dashboard.jobs.lease.claim", claim_after_another_worker)
    claimed = claim_next(WorkerHandle())
    assert claimed
    assert claimed.pk == second.pk
