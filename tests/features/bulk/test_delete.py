"""Deleting folders and selections, as a worker does it."""

import pytest

from dashboard.catalog.keys import PLACEHOLDER
from dashboard.jobs import kinds
from dashboard.jobs.models import State
from dashboard.journal.models import Entry
from dashboard.snapshots import deletions
from dashboard.team.models import Person
from dashboard.tokens.credentials import store
from dashboard.tokens.models import Kind
from dashboard.tokens.workspace import Workspace
from tests.conftest import Sandbox
from tests.features.bulk.conftest import Desk, Faults, go, outcomes, through, words


def test_nothing_is_deleted_before_the_owner_agreed(desk: Desk) -> None:
    desk.put("a/1.txt", "a/b/2.txt", "keep.txt", body=b"12345")
    desk.put(f"a/empty/{PLACEHOLDER}", body=b"")
    job = desk.delete("a/")
    assert job.state == State.PLANNED
    assert len(desk.names()) == 4
    plan = kinds.plan_of(job)
    assert plan.summary == "Delete a: 2 objects, 10 bytes."
    assert (plan.typed, plan.danger, plan.button) == ("a", True, "Delete 2 objects")
    job = go(job)
    assert (job.state, job.done) == (State.DONE, 3)
    assert desk.names() == ["keep.txt"]
    assert set(outcomes(job)) == {"a/1.txt", "a/b/2.txt", "a/empty/"}
    assert Entry.objects.get(operation="S8").after == {"deleted": 3, "left": []}


def test_fewer_than_twenty_objects_are_deleted_without_typing_their_number(desk: Desk) -> None:
    keys = [f"a/{number:02}" for number in range(20)]
    desk.put(*keys)
    few, many = kinds.plan_of(desk.delete(*keys[:19])), kinds.plan_of(desk.delete(*keys))
    assert (few.typed, few.danger) == ("", True)
    assert (many.typed, many.danger) == ("20", True)


@pytest.mark.parametrize(
    ("folders", "typed"),
    [
        (["a/b/"], "b"),
        (["a/a  b /"], "a␣␣b␣"),
        (["a/b/", "a/c/"], "3"),
        (["a//"], "2"),
    ],
)
def test_a_folder_is_confirmed_by_its_name_and_several_by_their_number(desk: Desk, folders: list[str], typed: str) -> None:
    desk.put("a/b/1.txt", "a/b/2.txt", "a/c/1.txt", "a//1.txt", "a//2.txt", "a/a  b /1.txt")
    assert kinds.plan_of(desk.delete(*folders)).typed == typed


def test_a_refused_number_makes_smaller_batches(desk: Desk, faults: Faults) -> None:
    desk.put(*(f"a/{number}" for number in range(12)))
    job = desk.delete("a/")
    faults("S8", status=413, message="Request body is too large", times=2)
    job = go(job)
    assert (job.state, job.done) == (State.DONE, 12)
    assert desk.names() == []


def test_what_is_refused_even_alone_fails_with_the_words_of_the_service(desk: Desk, faults: Faults) -> None:
    desk.put("a/1", "a/2", "a/3")
    job = desk.delete("a/")
    faults("S8", status=400, message="Not this one", times=10)
    job = go(job)
    assert (job.state, job.failed) == (State.DONE, 3)
    assert set(words(job).values()) == {"Not this one"}
    assert desk.names() == ["a/1", "a/2", "a/3"]


def test_what_is_gone_meanwhile_is_said_and_not_counted_as_done(desk: Desk) -> None:
    desk.put("a/1", "a/2")
    job = desk.delete("a/1", "a/2")
    desk.storage.objects.delete(desk.bucket, "a/1")
    job = go(job)
    assert outcomes(job) == {"a/1": "skipped", "a/2": "done"}
    assert words(job)["a/1"] == deletions.GONE


def test_a_folder_with_the_same_letters_in_another_case_stays(desk: Desk) -> None:
    desk.put("Photos/a.txt", "photos/b.txt")
    job = go(desk.delete("Photos/"))
    assert job.state == State.DONE
    assert desk.names() == ["photos/b.txt"]
    assert outcomes(job)["Photos/a.txt"] == "done"


@pytest.mark.parametrize("cut", ["before", "after"])
def test_a_batch_without_an_answer_is_read_back(desk: Desk, faults: Faults, cut: str) -> None:
    desk.put(*(f"a/{number}" for number in range(20)))
    job = desk.delete("a/")
    faults("S8", cut=cut, times=1)
    job = go(job)
    assert (job.state, job.done) == (State.DONE, 20), words(job)
    assert desk.names() == []


def test_a_weaker_token_is_told_that_nothing_was_deleted(desk: Desk, service: Sandbox, ref: str, owner: Person) -> None:
    desk.put("a/1")
    job = desk.delete("a/")
    store(owner, Kind.STORAGE, ref, service.storage_tokens[ref]["anon"])
    assert Workspace(owner).fingerprint(Kind.STORAGE, ref)
    job = go(job)
    assert job.done == 0
    assert desk.names() == ["a/1"]


def test_what_is_called_deleted_and_is_still_there_has_failed(desk: Desk, faults: Faults) -> None:
    desk.put("a/1", "a/2")
    job = desk.delete("a/")
    faults("S8", stay=True)
    job = go(job)
    assert outcomes(job) == {"a/1": "failed", "a/2": "failed"}
    assert set(words(job).values()) == {"Reported as deleted, but still there."}


def test_pausing_for_a_limit_and_going_on(desk: Desk, faults: Faults) -> None:
    desk.put("a/1", "a/2")
    job = desk.delete("a/")
    faults("S8", status=429, retry_after=1, times=1)
    assert through(go(job)).done == 2
