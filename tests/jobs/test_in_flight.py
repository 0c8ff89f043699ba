"""What was in flight is read back before anything is sent again."""

from collections.abc import Callable

from django.utils import timezone

from dashboard.jobs import actions
from dashboard.jobs.batch import Slice
from dashboard.jobs.models import Asked, ItemState, Job, JobItem, State
from dashboard.jobs.submission import start
from dashboard.tokens.workspace import Workspace
from tests.jobs.conftest import BROKEN, SLOW, all_done, failing, states, turn

Make = Callable[..., str]


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
