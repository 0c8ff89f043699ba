"""Jobs whose key was replaced by one that may add objects but sees none: what it doesn't find proves nothing."""

from datetime import timedelta

import pytest

from dashboard.features.bulk import services as jobs
from dashboard.features.bulk.rules import Labels
from dashboard.features.bulk.tasks import empty, labels, transfer
from dashboard.jobs import transitions
from dashboard.jobs.models import ItemState, State
from dashboard.snapshots import deletions
from dashboard.team.models import Person
from dashboard.tokens.credentials import store
from dashboard.tokens.models import Kind
from tests.conftest import Sandbox
from tests.features.bulk.conftest import Desk, Faults, go, outcomes, through, words
from tests.features.bulk.test_tasks_lost_answers import Work, begin, lose, pass_time, work
from tests.features.lost import Lost, lost
from tests.jobs.conftest import turn

__all__ = ["lost", "work"]

# What a job says where an object or a bucket is missing indeed.
SURE = (
    transfer.MISSING,
    str(transfer.LOST.message),
    deletions.GONE,
    deletions.STILL,
    str(labels.GONE.message),
    "Deleted.",
    empty.EMPTY,
)


def replace_key(owner: Person, service: Sandbox, desk: Desk, role: str = "inbox") -> None:
    store(owner, Kind.STORAGE, desk.space, service.storage_tokens[desk.space][role])


@pytest.mark.exhaustive
def test_what_was_in_flight_is_never_called_done_or_missing(  # noqa: PLR0917 - fixtures
    desk: Desk, work: Work, owner: Person, service: Sandbox, lost: Lost, faults: Faults
) -> None:
    job = begin(desk, work, lambda: lose(faults, work, cut="before"))
    open_items = [target for target, state in outcomes(job).items() if state == ItemState.IN_FLIGHT]
    assert open_items
    replace_key(owner, service, desk)
    lost.clear()
    for _ in range(20):
        if not job.is_alive:
            break
        job = pass_time(lost, job, timedelta(minutes=2))
    assert not work.is_applied(desk)
    found, said = outcomes(job), words(job)
    for target in open_items:
        assert found[target] not in {ItemState.DONE, ItemState.SKIPPED}, (target, said)
        assert said[target] not in SURE


@pytest.mark.parametrize("verb", ["move", "copy"])
def test_what_arrived_before_is_not_called_missing(
    desk: Desk, owner: Person, service: Sandbox, faults: Faults, verb: str
) -> None:
    operation = "S11" if verb == "move" else "S12"
    faults(operation, status=429, retry_after=1, skip=1)
    desk.put("a/1", "a/2")
    job = desk.carry(verb, "a/", to="b/")
    assert sorted(outcomes(job).values()) == [ItemState.DONE, ItemState.WAITING], words(job)
    replace_key(owner, service, desk)
    faults(operation, rate=0)
    job = through(job)
    assert sorted(outcomes(job).values()) == [ItemState.DONE, ItemState.FAILED], words(job)
    assert not set(words(job).values()).intersection(SURE)


def test_a_deletion_that_the_service_passes_over_is_not_called_deleted_already(
    desk: Desk, owner: Person, service: Sandbox
) -> None:
    desk.put("a/1", "a/2")
    job = turn(jobs.delete(desk.workspace, desk.selection("a/1", "a/2", "gone"), back="/"))
    replace_key(owner, service, desk)
    job = go(job)
    assert words(job) == dict.fromkeys(("a/1", "a/2", "gone"), "Not deleted. It is gone already, or your token can't see it.")
    assert desk.names() == ["a/1", "a/2"]


def test_labels_of_what_the_key_does_not_see_are_not_changed_and_it_is_not_called_gone(
    desk: Desk, owner: Person, service: Sandbox
) -> None:
    desk.put("a")
    replace_key(owner, service, desk)
    job = through(jobs.label(desk.workspace, desk.selection("a"), Labels("", "max-age=3600"), back="/"))
    assert words(job) == {"a": labels.HIDDEN.message}
    assert outcomes(job) == {"a": ItemState.FAILED}


def test_a_key_that_sees_by_policies_empties_what_it_sees_and_says_so(desk: Desk, owner: Person, service: Sandbox) -> None:
    desk.put("a/1")
    replace_key(owner, service, desk, "member")
    job = turn(jobs.empty(desk.workspace, desk.space, desk.bucket, back="/"))
    job = go(job)
    assert job.state == State.DONE, words(job)
    assert words(job)[empty.EMPTY] == "Your token sees no objects any more."
    assert desk.names() == []


def test_a_removal_planned_with_another_key_deletes_nothing(desk: Desk, owner: Person, service: Sandbox) -> None:
    desk.put("a/1")
    job = turn(jobs.remove(desk.workspace, desk.space, desk.bucket, back="/"))
    replace_key(owner, service, desk)
    assert transitions.apply(job)
    job = through(job)
    assert job.state == State.FAILED, words(job)
    assert desk.names() == ["a/1"]
