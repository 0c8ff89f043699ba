"""What was in flight is read back before anything is sent again."""

from collections.abc import Callable

from django.utils import timezone

from dashboard.interfaces import errors
from dashboard.jobs import transitions
from dashboard.jobs.batch import Batch
from dashboard.jobs.models import ItemState, Job, JobItem, Request, State
from dashboard.jobs.transitions import start
from dashboard.tokens.workspace import Workspace
from tests.jobs.conftest import BROKEN, SLOW, all_done, failing, requests_have_ended, states, turn

Make = Callable[..., str]


def test_what_was_in_flight_is_read_back_before_the_job_goes_on(workspace: Workspace, kind: Make) -> None:
    order = []

    def step(workspace: Workspace, batch: Batch) -> None:
        order.append(["step", *(item.target for item in batch.items)])
        if len(order) == 1:
            raise BROKEN
        all_done(workspace, batch)

    def settle(workspace: Workspace, batch: Batch) -> None:
        order.append(["settle", *(item.target for item in batch.items)])
        batch.done(batch.items[0])
        batch.requeue(batch.items[1])

    job = turn(start(workspace, kind(step, settle=settle, batch_size=2), items=list("abc")))
    assert states(job) == ["in_flight", "in_flight", "waiting"]
    Job.objects.update(due_at=timezone.now())
    job = turn(job)
    assert order == [["step", "a", "b"], ["settle", "a", "b"], ["step", "c", "b"]]
    assert (job.state, job.done) == (State.DONE, 3)


def test_without_a_settle_it_is_done_again(workspace: Workspace, kind: Make) -> None:
    job = start(workspace, kind(all_done), items=["a"])
    JobItem.objects.update(state=ItemState.IN_FLIGHT)
    assert turn(job).done == 1


def test_while_settling_nothing_goes_back_in_line_unread(workspace: Workspace, kind: Make) -> None:
    def settle(workspace: Workspace, batch: Batch) -> None:
        def call(item: JobItem) -> None:
            raise SLOW

        batch.for_each(call, concurrency=1)

    job = start(workspace, kind(all_done, settle=settle), items=list("abc"))
    JobItem.objects.update(state=ItemState.IN_FLIGHT)
    job = turn(job)
    assert job.state == State.WAITING
    assert states(job) == ["in_flight"] * 3


def test_one_thing_that_always_fails_does_not_hold_up_the_others(workspace: Workspace, kind: Make) -> None:
    def step(workspace: Workspace, batch: Batch) -> None:
        def call(item: JobItem) -> None:
            if item.target == "bad":
                raise BROKEN

        batch.for_each(call, concurrency=1)

    def settle(workspace: Workspace, batch: Batch) -> None:
        for item in batch.items:
            batch.requeue(item)

    job = start(workspace, kind(step, settle=settle, batch_size=2), items=["bad", *(str(n) for n in range(20))])
    for _ in range(20):
        requests_have_ended(job)
        Job.objects.update(due_at=timezone.now())
        job = turn(job)
    assert (job.state, job.done, job.failed) == (State.DONE, 20, 1)
    assert job.items.get(target="bad").message == f"Not applied as of {timezone.now():%H:%M} UTC."


def test_what_is_in_flight_is_read_back_later_while_the_others_are_done(workspace: Workspace, kind: Make) -> None:
    sent = []

    def step(workspace: Workspace, batch: Batch) -> None:
        def call(item: JobItem) -> None:
            sent.append(item.target)
            if item.target == "lost" and sent.count("lost") == 1:
                raise BROKEN

        batch.for_each(call, concurrency=1)

    def settle(workspace: Workspace, batch: Batch) -> None:
        for item in batch.items:
            batch.requeue(item)

    job = turn(start(workspace, kind(step, settle=settle, batch_size=2), items=["lost", "b", "c", "d"]))
    Job.objects.update(due_at=timezone.now())
    job = turn(job)
    assert (job.state, job.done) == (State.WAITING, 3)
    assert states(job) == ["in_flight", "done", "done", "done"]
    assert "Checking the outcome of 1 item until" in job.message
    for _ in range(5):
        Job.objects.update(due_at=timezone.now())
        job = turn(job)
    assert sent.count("lost") == 1
    requests_have_ended(job)
    job = turn(job)
    assert (job.state, job.done) == (State.DONE, 4)
    assert sent.count("lost") == 2


def test_a_request_that_the_service_ended_itself_is_sent_again_at_once(workspace: Workspace, kind: Make) -> None:
    sent = []

    def step(workspace: Workspace, batch: Batch) -> None:
        def call(item: JobItem) -> None:
            sent.append(item.target)
            if len(sent) == 1:
                raise errors.Broken(operation="S11", service="storage", status=500, is_own=True)

        batch.for_each(call, concurrency=1)

    def settle(workspace: Workspace, batch: Batch) -> None:
        for item in batch.items:
            batch.requeue(item)

    job = turn(start(workspace, kind(step, settle=settle), items=["a"]))
    Job.objects.update(due_at=timezone.now())
    job = turn(job)
    assert (job.state, sent) == (State.DONE, ["a", "a"])


def test_nothing_is_begun_while_what_comes_before_it_is_in_flight(workspace: Workspace, kind: Make) -> None:
    sent = []

    def step(workspace: Workspace, batch: Batch) -> None:
        for item in batch.items:
            sent.append(item.target)
            with batch.sending([item]):
                if len(sent) == 1:
                    raise BROKEN
            batch.done(item)

    def settle(workspace: Workspace, batch: Batch) -> None:
        for item in batch.items:
            batch.requeue(item)

    job = turn(start(workspace, kind(step, settle=settle, batch_size=1, in_order=True), items=["a", "b"]))
    Job.objects.update(due_at=timezone.now())
    job = turn(job)
    assert (job.state, sent) == (State.WAITING, ["a"])
    requests_have_ended(job)
    assert turn(job).state == State.DONE
    assert sent == ["a", "a", "b"]


def test_failed_items_can_be_repeated_and_unknown_ones_are_read_back(workspace: Workspace, kind: Make) -> None:
    wrong = [True]

    def step(workspace: Workspace, batch: Batch) -> None:
        for item in batch.items:
            if wrong and item.target == "b":
                batch.failed(item, "refused")
            elif wrong and item.target == "c":
                batch.unknown(item, "no answer")
            else:
                batch.done(item)

    def settle(workspace: Workspace, batch: Batch) -> None:
        assert [item.target for item in batch.items] == ["c"]
        all_done(workspace, batch)

    job = turn(start(workspace, kind(step, settle=settle), items=list("abc")))
    assert (job.done, job.failed, job.unknown) == (1, 1, 1)
    wrong.clear()
    assert transitions.retry_failed(job)
    job = turn(job)
    assert (job.state, job.done, job.failed, job.unknown) == (State.DONE, 3, 0, 0)
    assert not transitions.retry_failed(job)


def test_cancelling_settles_what_is_in_flight_first(workspace: Workspace, kind: Make) -> None:
    def settle(workspace: Workspace, batch: Batch) -> None:
        assert not batch.stopping
        all_done(workspace, batch)

    job = start(workspace, kind(failing(BROKEN), settle=settle, batch_size=1), items=list("ab"))
    job = turn(job)
    assert transitions.cancel(job)
    job = turn(job)
    assert job.state == State.CANCELLED
    assert states(job) == ["done", "waiting"]


def test_cancelling_twice_gives_up_what_can_not_be_settled(workspace: Workspace, kind: Make) -> None:
    job = turn(start(workspace, kind(failing(BROKEN), settle=failing(BROKEN)), items=["a"]))
    assert transitions.cancel(job)
    job = turn(job)
    assert (job.state, job.requested) == (State.WAITING, Request.CANCEL)
    assert transitions.cancel(job)
    job.refresh_from_db()
    assert (job.state, job.unknown) == (State.CANCELLED, 1)
    assert states(job) == ["unknown"]
