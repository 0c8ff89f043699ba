"""A turn of a job, in this process."""

import time
from collections.abc import Callable
from datetime import timedelta
from threading import get_ident

import pytest
from django.utils import timezone
from django_tasks_db.models import DBTaskResult

from dashboard.interfaces import errors
from dashboard.jobs import actions, queue
from dashboard.jobs.batch import Pause, Slice
from dashboard.jobs.items import Item
from dashboard.jobs.models import Asked, ItemState, Job, JobItem, State
from dashboard.jobs.runner import Hand, run
from dashboard.jobs.submission import start
from dashboard.team.models import Person
from dashboard.tokens.errors import TokenMissing
from dashboard.tokens.workspace import Workspace
from dashboard.web.parallel import DatabaseInPool
from tests.jobs.conftest import Step, states

Make = Callable[..., str]
SLOW = errors.SlowDown(operation="S11", service="storage", status=429, retry_after=30.0)
BROKEN = errors.Broken(operation="S11", service="storage", status=502, text="bad gateway")


def turn(job: Job) -> Job:
    run(job.pk, Hand())
    job.refresh_from_db()
    return job


def seconds_to_next_try(job: Job) -> float:
    assert job.next_try_at
    return (job.next_try_at - timezone.now()).total_seconds()


def let_time_pass() -> None:
    """As if every pause were over. The clock stays: the pool of connections would take a leap for age."""
    Job.objects.exclude(next_try_at=None).update(next_try_at=timezone.now())
    DBTaskResult.objects.update(run_after=timezone.now())


def all_done(workspace: Workspace, piece: Slice) -> None:
    for item in piece.items:
        piece.done(item)


def failing(error: BaseException) -> Step:
    def step(workspace: Workspace, piece: Slice) -> None:
        raise error

    return step


def test_a_job_goes_through_its_items_in_slices(workspace: Workspace, kind: Make) -> None:
    sizes = []

    def step(workspace: Workspace, piece: Slice) -> None:
        sizes.append(len(piece.items))
        for item in piece.items:
            piece.done(item, f"It was {item.parameters['was']}")

    job = start(workspace, kind(step, at_once=4), items=[Item(f"thing {n}", {"was": n}) for n in range(10)], title="Ten things")
    assert (job.state, job.total, str(job)) == (State.QUEUED, 10, "Ten things")
    job = turn(job)
    assert sizes == [4, 4, 2]
    assert (job.state, job.done, job.settled) == (State.DONE, 10, 10)
    assert job.ended_at
    assert list(job.items.values_list("words", flat=True)) == [f"It was {n}" for n in range(10)]


def test_a_job_without_items_is_done_at_once(workspace: Workspace, kind: Make) -> None:
    assert turn(start(workspace, kind(all_done))).state == State.DONE


def test_a_kind_that_nobody_registered_is_refused(workspace: Workspace) -> None:
    with pytest.raises(KeyError):
        start(workspace, "nothing of the kind")


def test_a_kind_that_is_gone_stops_the_job_with_a_sentence(workspace: Workspace, kind: Make) -> None:
    job = start(workspace, kind(all_done), items=["a"])
    Job.objects.update(kind="gone")
    job = turn(job)
    assert (job.state, job.words) == (State.FAILED, "This version of Pilothouse does not know how to do it.")


def test_a_message_that_comes_twice_runs_the_job_once(workspace: Workspace, kind: Make) -> None:
    calls = []

    def step(workspace: Workspace, piece: Slice) -> None:
        calls.append(1)
        run(piece.job.pk, Hand())
        all_done(workspace, piece)

    job = turn(start(workspace, kind(step), items=["a"]))
    run(job.pk, Hand())
    assert calls == [1]


def test_outcomes_are_counted_apart(workspace: Workspace, kind: Make) -> None:
    def step(workspace: Workspace, piece: Slice) -> None:
        done, skipped, failed, unknown, _silent = piece.items
        piece.done(done)
        piece.skipped(skipped, "gone already")
        piece.failed(failed, "refused")
        piece.unknown(unknown, "no answer")
        piece.failed(done, "the first word counts")

    job = turn(start(workspace, kind(step), items=list("abcde")))
    assert states(job) == ["done", "skipped", "failed", "unknown", "unknown"]
    assert (job.state, job.done, job.skipped, job.failed, job.unknown) == (State.DONE, 1, 1, 1, 2)
    assert job.items.get(number=5).words == "It was not said what became of it."


def test_being_asked_to_slow_down_pauses_until_the_time_named(workspace: Workspace, kind: Make) -> None:
    tried = []

    def step(workspace: Workspace, piece: Slice) -> None:
        def call(item: JobItem) -> None:
            tried.append(item.target)
            if len(tried) == 2:
                raise SLOW

        piece.each(call, at_once=1)

    job = turn(start(workspace, kind(step), items=list("abc")))
    assert job.state == State.WAITING
    assert states(job) == ["done", "waiting", "waiting"]
    assert round(seconds_to_next_try(job)) == 30
    assert "next try" not in job.words
    assert DBTaskResult.objects.get().run_after == job.next_try_at
    assert turn(job).state == State.WAITING
    assert not queue.has_ready()
    assert tried == ["a", "b"]
    let_time_pass()
    assert queue.has_ready()
    assert turn(job).state == State.DONE
    assert tried == ["a", "b", "b", "c"]


def test_the_pauses_of_a_failing_service_grow_until_the_job_stops(workspace: Workspace, kind: Make) -> None:
    job = start(workspace, kind(failing(BROKEN)), items=["a"])
    pauses = []
    for _ in range(30):
        job = turn(job)
        if job.next_try_at is None:
            break
        pauses.append(round(seconds_to_next_try(job)))
        let_time_pass()
    assert pauses[:5] == [5, 10, 20, 40, 80]
    assert max(pauses) == 600
    assert job.state == State.FAILED
    assert "bad gateway" in job.words
    assert actions.go_on(job)
    job.refresh_from_db()
    assert (job.state, job.pauses, job.words) == (State.QUEUED, 0, "")


def test_a_pause_that_the_step_wishes_is_kept(workspace: Workspace, kind: Make) -> None:
    job = turn(start(workspace, kind(failing(Pause(90, "It is being set up."))), items=["a"]))
    assert (job.state, job.words) == (State.WAITING, "It is being set up.")
    assert job.next_try_at
    assert job.next_try_at > timezone.now() + timedelta(seconds=80)


def test_what_was_in_flight_is_read_back_before_the_job_goes_on(workspace: Workspace, kind: Make) -> None:
    order = []

    def step(workspace: Workspace, piece: Slice) -> None:
        order.append(["step", *(item.target for item in piece.items)])
        if len(order) == 1:
            raise BROKEN
        all_done(workspace, piece)

    def settle(workspace: Workspace, piece: Slice) -> None:
        order.append(["settle", *(item.target for item in piece.items)])
        piece.done(piece.items[0])
        piece.again(piece.items[1])

    job = turn(start(workspace, kind(step, settle=settle, at_once=2), items=list("abc")))
    assert states(job) == ["underway", "underway", "waiting"]
    Job.objects.update(next_try_at=timezone.now())
    job = turn(job)
    assert order == [["step", "a", "b"], ["settle", "a", "b"], ["step", "c", "b"]]
    assert (job.state, job.done) == (State.DONE, 3)


def test_without_a_settle_it_is_done_again(workspace: Workspace, kind: Make) -> None:
    job = start(workspace, kind(all_done), items=["a"])
    JobItem.objects.update(state=ItemState.UNDERWAY)
    assert turn(job).done == 1


def test_while_settling_nothing_goes_back_in_line_unread(workspace: Workspace, kind: Make) -> None:
    def settle(workspace: Workspace, piece: Slice) -> None:
        def call(item: JobItem) -> None:
            raise SLOW

        piece.each(call, at_once=1)

    job = start(workspace, kind(all_done, settle=settle), items=list("abc"))
    JobItem.objects.update(state=ItemState.UNDERWAY)
    job = turn(job)
    assert job.state == State.WAITING
    assert states(job) == ["underway"] * 3


def test_one_thing_that_always_fails_does_not_hold_up_the_others(workspace: Workspace, kind: Make) -> None:
    def step(workspace: Workspace, piece: Slice) -> None:
        def call(item: JobItem) -> None:
            if item.target == "bad":
                raise BROKEN

        piece.each(call, at_once=1)

    def settle(workspace: Workspace, piece: Slice) -> None:
        for item in piece.items:
            piece.again(item)

    job = start(workspace, kind(step, settle=settle, at_once=2), items=["bad", *(str(n) for n in range(20))])
    for _ in range(20):
        Job.objects.update(next_try_at=None)
        job = turn(job)
    assert (job.state, job.done, job.unknown) == (State.DONE, 20, 1)
    assert "It was tried" in job.items.get(target="bad").words


def test_a_refusal_is_the_items_own(workspace: Workspace, kind: Make) -> None:
    def step(workspace: Workspace, piece: Slice) -> None:
        def call(item: JobItem) -> None:
            if item.target == "b":
                raise errors.NotFound(operation="S11", service="storage", status=404, text="Object not found")

        piece.each(call)

    job = turn(start(workspace, kind(step), items=list("abc")))
    assert states(job) == ["done", "failed", "done"]
    assert "Object not found" in job.items.get(number=2).words


def test_calls_run_side_by_side_and_never_touch_the_database(workspace: Workspace, kind: Make) -> None:
    threads = set()

    def step(workspace: Workspace, piece: Slice) -> None:
        def call(item: JobItem) -> None:
            threads.add(get_ident())
            with pytest.raises(DatabaseInPool):
                Job.objects.count()

        piece.each(call, at_once=4)

    job = turn(start(workspace, kind(step), items=[str(n) for n in range(12)]))
    assert job.done == 12
    assert get_ident() not in threads


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (TokenMissing(kind="storage", space="abc"), "The storage token for abc of its owner is not stored any more."),
        (
            errors.TokenRefused(operation="S2", service="storage", status=401, text="jwt expired"),
            "The storage service does not accept the token stored for its owner. It said: “jwt expired”",
        ),
        (RuntimeError("a mistake of ours"), "Something failed in Pilothouse; its log says what."),
    ],
)
def test_what_can_not_go_on_stops_with_a_sentence(workspace: Workspace, kind: Make, error: Exception, words: str) -> None:
    job = turn(start(workspace, kind(failing(error)), items=["a"]))
    assert (job.state, job.words) == (State.FAILED, words)


def test_the_token_that_was_refused_is_marked(owner: Person, management_token: object, kind: Make) -> None:
    def step(workspace: Workspace, piece: Slice) -> None:
        workspace.management.projects.all()
        all_done(workspace, piece)

    job = turn(start(Workspace(owner), kind(step), items=["a"]))
    assert job.state == State.DONE


def test_somebody_who_left_does_nothing_any_more(owner: Person, workspace: Workspace, kind: Make) -> None:
    job = start(workspace, kind(all_done), items=["a"])
    Person.objects.update(is_active=False)
    job = turn(job)
    assert (job.state, job.words) == (State.FAILED, "The person it was done for may not sign in any more.")
    assert states(job) == ["waiting"]


def test_a_worker_that_was_taken_for_dead_writes_nothing(workspace: Workspace, kind: Make) -> None:
    def step(workspace: Workspace, piece: Slice) -> None:
        Job.objects.update(attempt=7)
        all_done(workspace, piece)

    job = turn(start(workspace, kind(step), items=["a"]))
    assert (job.state, job.attempt, job.done) == (State.RUNNING, 7, 0)
    assert states(job) == ["underway"]


def test_work_by_cursor_remembers_where_it_stands(workspace: Workspace, kind: Make) -> None:
    def step(workspace: Workspace, piece: Slice) -> None:
        page = piece.cursor["page"]
        piece.proceed({"page": page + 1} if page < 3 else None, seen=100)

    job = start(workspace, kind(step), cursor={"page": 1})
    job = turn(job)
    assert (job.state, job.done, job.total, job.cursor) == (State.DONE, 300, None, None)


def test_cancelling_ends_before_the_next_step(workspace: Workspace, kind: Make) -> None:
    def step(workspace: Workspace, piece: Slice) -> None:
        actions.cancel(piece.job)
        all_done(workspace, piece)

    job = turn(start(workspace, kind(step, at_once=1), items=list("abc")))
    assert job.state == State.CANCELLED
    assert states(job) == ["done", "waiting", "waiting"]
    assert not actions.cancel(job)


def test_cancelling_what_is_not_under_way_is_immediate(workspace: Workspace, kind: Make) -> None:
    job = start(workspace, kind(all_done), items=["a"])
    assert actions.cancel(job)
    assert turn(job).state == State.CANCELLED
    assert not queue.has_ready()


def test_cancelling_settles_what_is_in_flight_first(workspace: Workspace, kind: Make) -> None:
    def settle(workspace: Workspace, piece: Slice) -> None:
        assert not piece.stopping
        all_done(workspace, piece)

    job = start(workspace, kind(failing(BROKEN), settle=settle, at_once=1), items=list("ab"))
    job = turn(job)
    assert actions.cancel(job)
    job = turn(job)
    assert job.state == State.CANCELLED
    assert states(job) == ["done", "waiting"]


def test_cancelling_twice_gives_up_what_can_not_be_settled(workspace: Workspace, kind: Make) -> None:
    job = turn(start(workspace, kind(failing(BROKEN), settle=failing(BROKEN)), items=["a"]))
    assert actions.cancel(job)
    job = turn(job)
    assert (job.state, job.asked) == (State.WAITING, Asked.CANCEL)
    assert actions.cancel(job)
    job.refresh_from_db()
    assert (job.state, job.unknown) == (State.CANCELLED, 1)
    assert states(job) == ["unknown"]


def test_a_paused_job_rests_until_it_goes_on(workspace: Workspace, kind: Make) -> None:
    def step(workspace: Workspace, piece: Slice) -> None:
        if piece.items[0].number == 1:
            actions.pause(piece.job)
        all_done(workspace, piece)

    job = turn(start(workspace, kind(step, at_once=1), items=list("ab")))
    assert job.state == State.PAUSED
    assert turn(job).state == State.PAUSED
    assert actions.go_on(job)
    assert turn(job).state == State.DONE


def test_failed_items_can_be_repeated_and_unknown_ones_are_read_back(workspace: Workspace, kind: Make) -> None:
    wrong = [True]

    def step(workspace: Workspace, piece: Slice) -> None:
        for item in piece.items:
            if wrong and item.target == "b":
                piece.failed(item, "refused")
            elif wrong and item.target == "c":
                piece.unknown(item, "no answer")
            else:
                piece.done(item)

    def settle(workspace: Workspace, piece: Slice) -> None:
        assert [item.target for item in piece.items] == ["c"]
        all_done(workspace, piece)

    job = turn(start(workspace, kind(step, settle=settle), items=list("abc")))
    assert (job.done, job.failed, job.unknown) == (1, 1, 1)
    wrong.clear()
    assert actions.repeat_failed(job)
    job = turn(job)
    assert (job.state, job.done, job.failed, job.unknown) == (State.DONE, 3, 0, 0)
    assert not actions.repeat_failed(job)


def test_others_get_their_turn(workspace: Workspace, kind: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dashboard.jobs.runner.TURN_SECONDS", 0.05)

    def step(workspace: Workspace, piece: Slice) -> None:
        all_done(workspace, piece)
        time.sleep(0.06)

    job = start(workspace, kind(step, at_once=1), items=[str(n) for n in range(5)])
    run(job.pk, Hand(elsewhere=lambda: True))
    job.refresh_from_db()
    assert job.state == State.QUEUED
    assert 0 < job.done < 5
    assert queue.has_ready()


def test_the_queue_carries_the_number_of_the_job_and_nothing_else(workspace: Workspace, kind: Make) -> None:
    job = start(workspace, kind(all_done), items=["secret name"], parameters={"space": "abc"})
    assert [row.args_kwargs for row in DBTaskResult.objects.all()] == [{"args": [job.pk], "kwargs": {}}]
    queue.run_job.call(job.pk)
    job.refresh_from_db()
    assert job.state == State.DONE
    assert not DBTaskResult.objects.exists()
