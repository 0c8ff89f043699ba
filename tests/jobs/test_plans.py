"""A job that plans, waits for a word, runs and checks, in this process."""

from collections import Counter
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from dashboard.interfaces import errors
from dashboard.jobs import kinds, plans, transitions
from dashboard.jobs.batch import Batch, Stop
from dashboard.jobs.kinds import Kind
from dashboard.jobs.models import ItemState, Job, JobItem, Phase, State
from dashboard.jobs.transitions import start
from dashboard.tokens.workspace import Workspace
from tests.jobs.conftest import states, turn
from tests.jobs.trials import write, written


def never(workspace: Workspace, batch: Batch) -> None:
    raise AssertionError("nothing was begun")


def finds_nothing(workspace: Workspace, batch: Batch) -> None:
    batch.advance(None)


@pytest.fixture
def file(tmp_path: Path) -> str:
    return str(tmp_path / "effects")


def begin(workspace: Workspace, file: str, *, approval: str = "required", **parameters: Any) -> Job:
    return start(workspace, "trial plan", parameters={"file": file, **parameters}, approval=approval)


def targets(job: Job) -> list[str]:
    return list(job.items.order_by("number").values_list("target", flat=True))


def numbers(pages: int) -> list[str]:
    return [str(number) for number in range(1, 10 * pages + 1)]


def test_a_plan_finds_every_item_and_then_waits_for_the_owners_word(workspace: Workspace, file: str) -> None:
    job = begin(workspace, file, conflicts=True)
    assert (job.state, job.phase, job.total) == (State.QUEUED, Phase.PLAN, None)
    job = turn(job)
    assert (job.state, job.phase, job.total, job.scanned, job.conflicts) == (State.PLANNED, Phase.PLAN, 30, 36, 6)
    assert job.facts == {"bytes": 3000, "conflicts": 6}
    assert targets(job) == numbers(3)
    assert job.planned_at
    assert job.ended_at is None
    assert written(file) == []
    assert turn(job).state == State.PLANNED
    assert transitions.apply(job, "skip")
    assert not transitions.apply(job, "both")
    job = turn(job)
    assert (job.state, job.phase, job.done, job.failed) == (State.DONE, Phase.VERIFY, 30, 0)
    assert job.parameters["policy"] == "skip"
    assert sorted(written(file), key=int) == numbers(3)


@pytest.mark.parametrize(
    ("approval", "parameters", "state"),
    [
        ("required", {}, State.PLANNED),
        ("conflict", {}, State.DONE),
        ("conflict", {"conflicts": True}, State.PLANNED),
        ("conflict", {"typed": "30"}, State.PLANNED),
        ("none", {"conflicts": True}, State.DONE),
    ],
)
def test_a_plan_goes_on_by_itself_where_that_was_asked_for(
    workspace: Workspace, file: str, approval: str, parameters: dict[str, Any], state: State
) -> None:
    job = turn(begin(workspace, file, approval=approval, **parameters))
    assert job.state == state
    assert len(written(file)) == (30 if state == State.DONE else 0)
    assert job.parameters.get("policy") == ("skip" if state == State.DONE else None)


def test_what_the_check_finds_missing_has_failed_and_can_be_repeated(workspace: Workspace, file: str) -> None:
    for line in ("3", "17"):
        write(f"{file}.lost", line)
    job = turn(begin(workspace, file, approval="none"))
    assert (job.state, job.done, job.failed, job.scanned) == (State.DONE, 28, 2, 30)
    assert list(job.items.filter(state=ItemState.FAILED).values_list("target", "message")) == [
        ("3", "It is not there."),
        ("17", "It is not there."),
    ]
    Path(f"{file}.lost").unlink()
    assert transitions.retry_failed(job)
    job = turn(job)
    assert (job.state, job.phase, job.done, job.failed) == (State.DONE, Phase.VERIFY, 30, 0)
    assert Counter(written(file)) == Counter(numbers(3)) + Counter(["3", "17"])


def test_a_plan_whose_facts_have_changed_is_made_again_and_asks_again(workspace: Workspace, file: str) -> None:
    job = turn(begin(workspace, file))
    write(f"{file}.changed", "yes")
    assert transitions.apply(job)
    job = turn(job)
    assert (job.state, job.phase, job.total) == (State.QUEUED, Phase.PLAN, None)
    assert job.replan_reason == "There are other lines than before."
    assert not job.items.exists()
    Path(f"{file}.changed").unlink()
    job = turn(job)
    assert (job.state, job.total, job.scanned) == (State.PLANNED, 30, 36)
    assert targets(job) == numbers(3)
    assert written(file) == []
    assert transitions.apply(job)
    assert turn(job).state == State.DONE


def test_a_plan_made_again_by_hand_forgets_the_old_one(workspace: Workspace, file: str) -> None:
    job = turn(begin(workspace, file))
    assert transitions.replan_on_request(job, "You asked.")
    assert not transitions.replan_on_request(job, "Twice.")
    job = turn(job)
    assert (job.state, job.total) == (State.PLANNED, 30)
    assert targets(job) == numbers(3)


def test_a_plan_that_was_made_again_is_not_applied_for_the_one_that_was_shown(workspace: Workspace, file: str) -> None:
    shown = turn(begin(workspace, file))
    assert transitions.replan_on_request(shown, "In another tab.")
    again = turn(Job.objects.get(pk=shown.pk))
    assert again.state == State.PLANNED
    assert again.planned_at != shown.planned_at
    assert not transitions.apply(shown)
    assert written(file) == []
    assert transitions.apply(again)


def test_nothing_to_do_is_done_at_once(workspace: Workspace, file: str) -> None:
    kinds.register(Kind("this", "This", step=never, plan=finds_nothing))
    job = turn(start(workspace, "this"))
    assert (job.state, job.total, job.done) == (State.DONE, 0, 0)


def test_a_page_of_the_plan_that_failed_is_planned_once_more_and_no_item_stands_twice(workspace: Workspace) -> None:
    calls = []

    def plan(workspace: Workspace, batch: Batch) -> None:
        page = batch.cursor.get("page", 0)
        calls.append(page)
        batch.add([f"{page}.{n}" for n in range(3)])
        batch.facts["pages"] = batch.facts.get("pages", 0) + 1
        if len(calls) == 2:
            raise errors.Broken(operation="S13", service="storage", status=502)
        batch.advance({"page": page + 1} if page < 2 else None)

    kinds.register(Kind("this", "This", step=never, plan=plan, settle_delay=0))
    job = turn(start(workspace, "this"))
    assert job.state == State.WAITING
    assert targets(job) == ["0.0", "0.1", "0.2"]
    Job.objects.update(due_at=timezone.now())
    job = turn(job)
    assert calls == [0, 1, 1, 2]
    assert job.state == State.PLANNED
    assert targets(job) == [f"{page}.{n}" for page in range(3) for n in range(3)]
    assert job.facts == {"pages": 3}


def test_what_was_added_before_an_error_but_after_the_last_cursor_is_forgotten(workspace: Workspace) -> None:
    def plan(workspace: Workspace, batch: Batch) -> None:
        batch.add(["kept"])
        batch.advance({"page": 1})
        batch.add(["forgotten"])
        batch.facts["never"] = True
        raise Stop("That is enough.")

    kinds.register(Kind("this", "This", step=never, plan=plan))
    job = turn(start(workspace, "this"))
    assert (job.state, job.message) == (State.FAILED, "That is enough.")
    assert targets(job) == ["kept"]
    assert (job.cursor, job.facts, job.total) == ({"page": 1}, {}, 1)


def test_a_run_may_find_more_to_do(workspace: Workspace) -> None:
    def step(workspace: Workspace, batch: Batch) -> None:
        for item in batch.items:
            batch.done(item)
        if not batch.items and batch.cursor:
            batch.add([f"more {batch.cursor}"])
            batch.advance(batch.cursor - 1 or None)

    kinds.register(Kind("this", "This", step=step, batch_size=5))
    job = turn(start(workspace, "this", items=["first"], cursor=2))
    assert (job.state, job.total, job.done) == (State.DONE, 3, 3)
    assert targets(job) == ["first", "more 2", "more 1"]


def test_a_plan_can_be_paused_go_on_and_be_cancelled(workspace: Workspace) -> None:
    def plan(workspace: Workspace, batch: Batch) -> None:
        page = batch.cursor.get("page", 0)
        batch.add([str(page)])
        batch.advance({"page": page + 1} if page < 4 else None)
        if page in (1, 3):
            (transitions.pause if page == 1 else transitions.cancel)(batch.job)

    kinds.register(Kind("this", "This", step=never, plan=plan))
    job = turn(start(workspace, "this"))
    assert (job.state, job.total) == (State.PAUSED, 2)
    assert transitions.resume(job)
    job = turn(job)
    assert (job.state, job.total) == (State.CANCELLED, 4)


def test_a_planned_job_can_be_dropped(workspace: Workspace, file: str) -> None:
    job = turn(begin(workspace, file))
    assert transitions.cancel(job)
    job.refresh_from_db()
    assert job.state == State.CANCELLED
    assert not transitions.apply(job)
    assert written(file) == []


def test_calls_of_a_plan_run_side_by_side_and_answer_in_order(workspace: Workspace) -> None:
    answers: list[int] = []

    def plan(workspace: Workspace, batch: Batch) -> None:
        answers.extend(batch.map(lambda n: n * n, range(20)))
        batch.advance(None)

    kinds.register(Kind("this", "This", step=never, plan=plan))
    assert turn(start(workspace, "this")).state == State.DONE
    assert answers == [n * n for n in range(20)]


def test_conflicts_are_counted_and_kept_with_their_items(workspace: Workspace, file: str) -> None:
    job = turn(begin(workspace, file, conflicts=True))
    met = JobItem.objects.filter(job=job).exclude(conflict="")
    assert [item.target for item in met] == ["5", "10", "15", "20", "25", "30"]
    assert {item.conflict for item in met} == {"There is one already."}
    assert {item.size for item in met} == {100}


def test_a_cancelled_run_is_not_checked(workspace: Workspace, file: str) -> None:
    job = turn(begin(workspace, file))
    assert transitions.apply(job)
    assert transitions.cancel(job)
    job = turn(job)
    assert (job.state, job.phase) == (State.CANCELLED, Phase.RUN)
    assert states(job) == ["waiting"] * 30


def test_the_age_of_a_plan_is_known(workspace: Workspace, file: str) -> None:
    job = turn(begin(workspace, file))
    assert not plans.is_expired(job)
    job.planned_at = timezone.now() - timedelta(hours=24, seconds=1)
    assert plans.is_expired(job)
