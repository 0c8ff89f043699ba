"""What was kept, but the service refused to delete or replace, is taken out of the trash again."""

from datetime import timedelta
from typing import Any

import pytest
from django.urls import reverse

from dashboard.features.bulk.rules import Verb
from dashboard.features.bulk.tasks import delete
from dashboard.jobs import kinds, transitions
from dashboard.jobs.models import State
from dashboard.jobs.plans import KEEP, REPLACE
from dashboard.journal.models import Outcome
from dashboard.snapshots import capture, restore, trash
from tests.catalog.conftest import Shelf, shelf
from tests.features.bulk.conftest import go, outcomes, through, words
from tests.features.lost import Lost, last, lost
from tests.features.service import Faults, faults
from tests.jobs.conftest import turn
from tests.pages import PageClient, htmx
from tests.snapshots.test_capture import in_a_folder, run
from tests.snapshots.test_restore import names, text
from tests.snapshots.test_trash import deletions, for_thirty_days, held, one, planned, selected
from tests.snapshots.test_trash_replacing import carried

__all__ = ["faults", "for_thirty_days", "in_a_folder", "lost", "shelf"]


@pytest.mark.parametrize("verb", ["move", "copy"])
def test_what_the_service_refuses_to_replace_is_not_in_the_trash(shelf: Shelf, faults: Faults, verb: Verb) -> None:
    shelf.put("a.txt", "b.txt", body=b"newer")
    shelf.put("there/a.txt", "there/b.txt", body=b"then")
    faults("S12", status=403, message="Not for you", times=1)
    job = go(carried(shelf, verb, "a.txt", "b.txt"), REPLACE)
    assert sorted(outcomes(job).values()) == ["done", "failed"]
    (done,) = (key for key, outcome in outcomes(job).items() if outcome == "done")
    assert [held(head) for head in deletions()] == [{f"there/{done}": b"then"}]
    assert deletions()[0].names == [f"there/{done}"]
    assert job.facts["kept"] == deletions()[0].id


def test_where_the_service_refuses_everything_the_trash_has_no_row(shelf: Shelf, faults: Faults) -> None:
    shelf.put("a.txt", body=b"newer")
    shelf.put("there/a.txt", body=b"then")
    faults("S12", status=403, message="Not for you", times=1)
    job = go(carried(shelf, "copy", "a.txt"), REPLACE)
    assert (outcomes(job), deletions(), job.facts["kept"]) == ({"a.txt": "failed"}, [], "")
    assert kinds.find(job.kind).follow_up(job) is None  # type: ignore[union-attr] # it is registered


def test_what_was_replaced_stays_in_the_trash_though_its_item_failed(shelf: Shelf, faults: Faults) -> None:
    """A move to another bucket copies, then deletes: only the second step is refused."""
    shelf.put("a.txt", body=b"newer")
    shelf.put("there/a.txt", body=b"then")
    job = carried(shelf, "move", "a.txt")
    faults("S8", status=403, message="Not for you", times=1)
    assert outcomes(go(job, REPLACE)) == {"a.txt": "failed"}
    assert text(shelf, "there/a.txt") == "newer"
    assert [held(head) for head in deletions()] == [{"there/a.txt": b"then"}]


def test_a_deletion_that_the_service_refuses_leaves_no_row(shelf: Shelf, faults: Faults) -> None:
    shelf.put("a/1.txt", "a/2.txt", body=b"then")
    job = planned(shelf, "a/")
    faults("S8", status=403, message="Not for you", times=1)
    job = go(job)
    assert (job.state, deletions(), job.facts["kept"]) == (State.FAILED, [], "")
    assert delete.undo(job) is None


@pytest.mark.parametrize(
    ("fault", "why"), [({"cut": "mid"}, "The storage service"), ({"status": 404}, "The service lists it, but doesn't find")]
)
def test_an_object_that_can_never_be_read_stays_alone(shelf: Shelf, faults: Faults, fault: dict[str, Any], why: str) -> None:
    shelf.put("a/kept.txt", body=b"then")
    run(shelf)
    shelf.put("a/lost.txt", body=b"then")
    job = planned(shelf, "a/")
    faults("S18", **fault)
    job = go(job)
    assert outcomes(job) == {"a/kept.txt": "done", "a/lost.txt": "failed"}
    assert words(job)["a/lost.txt"].startswith(f"Not deleted. It could not be kept. {why}")
    assert [held(head) for head in deletions()] == [{"a/kept.txt": b"then"}]


def test_parts_that_were_deleted_before_the_service_refused_stay(
    shelf: Shelf, faults: Faults, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trash, "AT_ONCE_BYTES", 8)
    shelf.put("a/1.txt", "a/2.txt", body=b"12345")
    job, original = planned(shelf, "a/"), trash.keep

    def refuse_the_second(*given: object, **named: object) -> trash.Kept:
        if named["earlier"]:
            faults("S8", status=403, message="Not for you", times=1)
        return original(*given, **named)  # type: ignore[arg-type] # as given

    monkeypatch.setattr(trash, "keep", refuse_the_second)
    job = go(job)
    assert (job.state, names(shelf)) == (State.FAILED, ["a"])
    (head,) = deletions()
    assert (held(head), head.names, head.objects, head.bytes) == ({"a/1.txt": b"12345"}, ["a/1.txt"], 1, 5)
    assert delete.undo(job) == ("Undo", reverse("snapshots:undo", args=[shelf.space, shelf.bucket, head.id]))


def test_what_is_being_restored_is_not_written_anew_though_the_service_refused(
    shelf: Shelf, faults: Faults, monkeypatch: pytest.MonkeyPatch
) -> None:
    shelf.put("a/1.txt", body=b"then")
    job, original = planned(shelf, "a/"), trash.keep

    def undo_at_once(*given: object, **named: object) -> trash.Kept:
        kept = original(*given, **named)  # type: ignore[arg-type] # as given
        assert kept.head
        restore.undo(shelf.workspace, kept.head, back="/")
        return kept

    monkeypatch.setattr(trash, "keep", undo_at_once)
    faults("S8", status=403, message="Not for you", times=1)
    assert go(job).state == State.FAILED
    assert [held(head) for head in deletions()] == [{"a/1.txt": b"then"}]


def test_what_may_still_be_deleted_stays_in_the_trash(shelf: Shelf, faults: Faults) -> None:
    shelf.put("a/1.txt", body=b"then")
    job = planned(shelf, "a/")
    faults("S8", cut="before", times=1)
    transitions.apply(job, KEEP)
    assert turn(job).state == State.WAITING
    assert [held(head) for head in deletions()] == [{"a/1.txt": b"then"}]
    assert through(job).done == 1
    assert [held(head) for head in deletions()] == [{"a/1.txt": b"then"}]


def test_it_stays_if_chunks_are_removed_just_then(shelf: Shelf, faults: Faults, monkeypatch: pytest.MonkeyPatch) -> None:
    shelf.put("a/1.txt", "a/2.txt", body=b"then")
    job = planned(shelf, "a/")
    faults("S8", status=403, message="Not for you", times=1)
    written = trash._written

    def remove_meanwhile(*given: object) -> object:
        made = written(*given)  # type: ignore[arg-type] # as given
        if given[1]:
            capture.store().begin_generation()
        return made

    monkeypatch.setattr(trash, "_written", remove_meanwhile)
    assert go(job).state == State.FAILED
    assert [held(head) for head in deletions()] == [{"a/1.txt": b"then", "a/2.txt": b"then"}]


def test_one_file_that_the_service_refuses_to_delete_is_not_in_the_trash(
    as_owner: PageClient, shelf: Shelf, faults: Faults
) -> None:
    shelf.put("a.txt", body=b"then")
    faults("S7", status=403, message="Not for you", times=1)
    assert "Not for you" in as_owner.post(one(shelf, "a.txt"), headers=htmx("dialog")).text
    assert (names(shelf), deletions()) == (["a.txt"], [])


def test_one_file_that_may_still_be_deleted_stays_in_the_trash(as_owner: PageClient, shelf: Shelf, faults: Faults) -> None:
    shelf.put("a.txt", body=b"then")
    faults("S7", cut="before", times=1)
    as_owner.post(one(shelf, "a.txt"), headers=htmx("dialog"))
    assert [held(head) for head in deletions()] == [{"a.txt": b"then"}]
    assert "is still being checked" in as_owner.post(one(shelf, "a.txt"), headers=htmx("dialog")).text
    assert [held(head) for head in deletions()] == [{"a.txt": b"then"}], "the second request was not sent"


def test_one_file_that_turns_out_not_to_be_deleted_leaves_the_trash(as_owner: PageClient, shelf: Shelf, lost: Lost) -> None:
    shelf.put("a.txt", body=b"then")
    lost.never_applied("S7")
    as_owner.post(one(shelf, "a.txt"), headers=htmx("dialog"))
    assert [held(head) for head in deletions()] == [{"a.txt": b"then"}]
    lost.clear()
    lost.pass_time(timedelta(minutes=3))
    assert last("S7").outcome == Outcome.NOT_APPLIED
    assert (names(shelf), deletions()) == (["a.txt"], [])


def test_of_a_selection_only_what_turns_out_to_be_deleted_stays_in_the_trash(
    as_owner: PageClient, shelf: Shelf, lost: Lost
) -> None:
    shelf.put("a.txt", "b.txt", body=b"then")
    lost.never_applied("S8")
    as_owner.post(selected(as_owner, shelf, "a.txt", "b.txt"), {"count": "2"}, headers=htmx("dialog"))
    assert [held(head) for head in deletions()] == [{"a.txt": b"then", "b.txt": b"then"}]
    lost.clear()
    shelf.storage.objects.delete(shelf.bucket, "a.txt")
    lost.pass_time(timedelta(minutes=3))
    assert last("S8").outcome == Outcome.PARTLY
    assert [held(head) for head in deletions()] == [{"a.txt": b"then"}]


def test_of_a_selection_only_what_was_deleted_is_in_the_trash(as_owner: PageClient, shelf: Shelf, faults: Faults) -> None:
    shelf.put("a.txt", "b.txt", body=b"then")
    faults("S8", status=403, message="Not for you", times=1)
    as_owner.post(selected(as_owner, shelf, "a.txt", "b.txt"), {"count": "2"}, headers=htmx("dialog"))
    assert (names(shelf), deletions()) == (["a.txt", "b.txt"], [])


def test_what_the_answer_for_a_selection_leaves_out_is_not_in_the_trash(
    as_owner: PageClient, shelf: Shelf, faults: Faults
) -> None:
    """Row policies leave out what they forbid, and say nothing."""
    shelf.put("a.txt", "b.txt", body=b"then")
    faults("S8", spoil=True)
    shown = as_owner.post(selected(as_owner, shelf, "a.txt", "b.txt"), {"count": "2"}, headers=htmx("dialog")).text
    assert "0 of 2 deleted" in shown
    assert (names(shelf), deletions()) == (["a.txt", "b.txt"], [])


def test_a_deletion_in_doubt_that_is_refused_in_the_end_leaves_no_row(shelf: Shelf, faults: Faults) -> None:
    shelf.put("a/1.txt", body=b"then")
    job = planned(shelf, "a/")
    faults("S8", cut="before", times=1)
    transitions.apply(job, KEEP)
    assert turn(job).state == State.WAITING
    faults("S8", status=403, message="Not for you", times=1)
    assert through(job).state == State.FAILED
    assert (names(shelf), deletions(), job.facts["kept"]) == (["a"], [], "")
