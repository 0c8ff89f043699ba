"""Moving, copying and renaming, as a worker does it."""

import pytest
from django.urls import reverse

from dashboard.catalog.keys import PLACEHOLDER
from dashboard.features.bulk.tasks import transfer
from dashboard.jobs import kinds, transitions
from dashboard.jobs.models import JobItem, State
from dashboard.journal import queries
from dashboard.journal.models import Entry
from tests.features.bulk.conftest import Desk, Faults, go, outcomes, through, words
from tests.markup import parse

ODD = ["odd/a b?.txt", "odd//nameless.txt", "odd/(x)+&,:@=$;.txt", "odd/ends/"]


def test_a_move_without_conflicts_goes_by_itself(desk: Desk) -> None:
    desk.put("in/a.txt", "in/deep/b.txt", "in/deep/c.txt", "keep.txt")
    job = desk.carry("move", "in/a.txt", "in/deep/", to="out/")
    assert (job.state, job.done, job.total) == (State.DONE, 3, 3)
    assert desk.names() == ["keep.txt", "out/a.txt", "out/deep/b.txt", "out/deep/c.txt"]
    entry = Entry.objects.get(operation="S11")
    assert entry.before
    assert ["in/a.txt", "out/a.txt"] in entry.before["pairs"]
    assert entry.after == {"done": 3, "not done": []}


@pytest.mark.parametrize(
    ("names", "words"),
    [
        (("gone/",), "the folder is gone."),
        (("gone/", "lost/"), "the folders are gone."),
    ],
)
def test_the_plan_says_what_is_gone(desk: Desk, names: tuple[str, ...], words: str) -> None:
    assert kinds.plan_of(desk.carry("move", *names, to="out/")).summary == f"Nothing to move: {words}"
    assert kinds.plan_of(desk.delete(*names)).summary == f"Nothing to delete: {words}"


def test_keys_with_odd_characters_are_moved_and_deleted(desk: Desk) -> None:
    desk.put(*ODD)
    job = desk.carry("move", "odd/", to="even/")
    assert job.state == State.DONE, words(job)
    assert desk.names() == sorted(f"even/{key}" for key in ODD)
    job = go(desk.delete("even/"))
    assert (job.state, job.done) == (State.DONE, len(ODD)), words(job)
    assert desk.names() == []


def test_a_folder_gets_a_new_name_and_its_mark_goes_along(desk: Desk) -> None:
    desk.put("a/old/x.txt", "a/older/y.txt")
    desk.put(f"a/old/{PLACEHOLDER}", body=b"")
    job = desk.rename("a/old/", "new")
    assert job.state == State.DONE, words(job)
    assert desk.names() == [f"a/new/{PLACEHOLDER}", "a/new/x.txt", "a/older/y.txt"]
    assert job.facts["objects"] == 1
    assert set(outcomes(job)) == {"a/old/", "a/old/x.txt"}
    activity = parse(desk.client.get("/journal/").text).root.text
    assert f"Renamed folder {desk.bucket}/a/old to new" in activity


def test_a_folder_can_change_its_upper_and_lower_case(desk: Desk) -> None:
    desk.put("Photos/a.txt", "Photos/b.txt")
    job = desk.rename("Photos/", "photos")
    assert (job.state, job.conflicts) == (State.DONE, 0), words(job)
    assert desk.names() == ["photos/a.txt", "photos/b.txt"]


def test_one_object_gets_a_new_name(desk: Desk) -> None:
    desk.put("a/old.txt")
    assert desk.rename("a/old.txt", "new.txt").state == State.DONE
    assert desk.names() == ["a/new.txt"]
    assert f"Renamed file {desk.bucket}/a/old.txt to new.txt" in parse(desk.client.get("/journal/").text).root.text


@pytest.mark.parametrize("verb", ["move", "copy"])
def test_the_review_holds_back_what_the_other_bucket_would_not_take(desk: Desk, verb: str) -> None:
    desk.storage.buckets.update(desk.other, public=False, file_size_limit=10, allowed_mime_types=["text/*"])
    desk.put("a/small.txt", body=b"0123456789")
    desk.put("a/large.txt", body=b"0123456789a")
    desk.storage.objects.upload(desk.bucket, "a/picture.png", b"x", content_type="image/png")
    desk.storage.objects.upload(desk.bucket, f"a/{PLACEHOLDER}", b"", content_type="application/octet-stream")
    job = desk.carry(verb, "a/", bucket=desk.other)
    assert job.state == State.PLANNED, "nothing begins before its owner has seen it"
    why = dict(JobItem.objects.filter(job=job).exclude(conflict="").values_list("target", "conflict"))
    assert why == {
        "a/large.txt": "The bucket allows at most 10 bytes per file; this one is 11 bytes.",
        "a/picture.png": "The bucket allows only text/*; this is image/png.",
    }
    plan = kinds.plan_of(job)
    assert f"2 can't be {verb.replace('move', 'mov').replace('copy', 'copi')}ed; see the list." in " ".join(plan.details)
    assert "The bucket allows at most 10 bytes per file, only text/*." in " ".join(plan.details)
    assert plan.policies == (), "there is nothing to choose"
    job = go(job, plan.policy)
    assert desk.names(desk.other) == [f"a/{PLACEHOLDER}", "a/small.txt"]
    assert set(desk.names()) >= {"a/large.txt", "a/picture.png"}
    assert words(job)["a/large.txt"] == why["a/large.txt"]


def test_a_bucket_s_own_objects_are_renamed_whatever_it_takes_now(desk: Desk) -> None:
    desk.put("a/large.txt", body=b"0123456789a")
    desk.storage.buckets.update(desk.bucket, public=False, file_size_limit=10, allowed_mime_types=None)
    assert desk.rename("a/", "b").state == State.DONE
    assert desk.names() == ["b/large.txt"]


@pytest.mark.parametrize("bucket", ["same", "other"])
@pytest.mark.parametrize("verb", ["move", "copy"])
@pytest.mark.parametrize("policy", ["skip", "both", "replace", "stop"])
def test_what_stands_in_the_way_is_treated_as_was_chosen(desk: Desk, verb: str, policy: str, bucket: str) -> None:
    target = desk.other if bucket == "other" else desk.bucket
    desk.put("a.txt", "b.txt", body=b"new")
    desk.put("to/a.txt", "to/a (1).txt", body=b"old", bucket=target)
    job = desk.carry(verb, "a.txt", "b.txt", to="to/", bucket=target)
    assert (job.state, job.conflicts) == (State.PLANNED, 1)
    assert JobItem.objects.get(job=job, target="a.txt").parameters["beside"] == "to/a (2).txt"
    job = go(job, policy)
    there = [key for key in desk.names(target) if key.startswith("to/")]
    here = [key for key in desk.names() if not key.startswith("to/")]
    arrived = {"both": ["to/a (1).txt", "to/a (2).txt", "to/a.txt", "to/b.txt"]}.get(
        policy, ["to/a (1).txt", "to/a.txt", "to/b.txt"]
    )
    if policy == "stop":
        assert job.state == State.FAILED
        assert "to/a.txt" in job.message
        assert desk.text("to/a.txt", target) == "old"
        return
    assert job.state == State.DONE
    assert there == arrived
    assert desk.text("to/a.txt", target) == ("new" if policy == "replace" else "old")
    left = ["a.txt"] if policy == "skip" else []
    assert here == (["a.txt", "b.txt"] if verb == "copy" else left)


def test_a_copy_into_its_own_folder_keeps_both(desk: Desk) -> None:
    desk.put("a.txt")
    job = go(desk.carry("copy", "a.txt"), "both")
    assert job.state == State.DONE
    assert desk.names() == ["a (1).txt", "a.txt"]
    job = go(desk.carry("copy", "a.txt"), "replace")
    assert outcomes(job) == {"a.txt": "skipped"}


def test_what_was_stored_after_the_plan_is_left_as_it_is(desk: Desk) -> None:
    desk.put("a.txt", "b.txt")
    desk.put("to/b.txt", body=b"known")
    job = desk.carry("move", "a.txt", "b.txt", to="to/")
    desk.put("to/a.txt", body=b"since")
    job = go(job, "replace")
    assert outcomes(job) == {"a.txt": "failed", "b.txt": "done"}
    assert (desk.text("to/a.txt"), desk.text("to/b.txt")) == ("since", "x")
    desk.storage.objects.delete(desk.bucket, "to/a.txt")
    assert transitions.retry_failed(job)
    assert through(job).done == 2


def test_a_move_across_buckets_copies_compares_and_deletes(desk: Desk) -> None:
    desk.put("in/a.txt", "in/b.txt", body=b"bytes")
    desk.put(f"in/{PLACEHOLDER}", body=b"")
    job = desk.carry("move", "in/", bucket=desk.other)
    assert job.state == State.DONE, words(job)
    assert desk.names() == []
    assert desk.names(desk.other) == [f"in/{PLACEHOLDER}", "in/a.txt", "in/b.txt"]
    assert not [name for name in desk.names(desk.other) if "pilothouse" in name]


def test_the_question_whether_another_bucket_is_reached_is_recorded_but_no_change_of_the_activity(desk: Desk) -> None:
    desk.put("in/a.txt")
    assert desk.carry("copy", "in/", to="there/", bucket=desk.other).state == State.DONE
    asked = Entry.objects.get(target=f"a question: does {desk.bucket} reach other buckets?")
    assert (asked.operation, asked.action) == ("S12", "")
    copied = queries.entries(desk.workspace.person, queries.Filters(place=desk.space)).listed().get(target__contains=desk.other)
    listed = desk.client.get(reverse("journal:index"), {"place": desk.space}).text
    assert reverse("journal:show", args=[copied.pk]) in listed
    assert reverse("journal:show", args=[asked.pk]) not in listed
    assert asked.target not in desk.client.get(reverse("journal:export"), {"place": desk.space}).getvalue().decode()
    assert (copied.part_of, bool(copied.action)) == (None, True), "the act begins with what it did"


@pytest.mark.parametrize("lost", [{}, {"cut": "after"}, {"cut": "after", "times": 2}])
def test_a_move_whose_copy_holds_other_bytes_keeps_the_original(desk: Desk, faults: Faults, lost: dict[str, object]) -> None:
    desk.put("in/a.txt", body=b"bytes")
    faults("S12", spoil=True, skip=1, **lost)
    job = through(desk.carry("move", "in/", bucket=desk.other))
    assert "done" not in outcomes(job).values(), words(job)
    assert desk.text("in/a.txt") == "bytes"


def test_an_original_that_the_service_does_not_delete_is_no_move(desk: Desk, faults: Faults) -> None:
    desk.put("in/a.txt")
    faults("S8", spoil=True)
    job = through(desk.carry("move", "in/", bucket=desk.other))
    assert outcomes(job) == {"in/a.txt": "failed"}, words(job)
    assert "did not delete the original" in words(job)["in/a.txt"]


def test_an_object_that_replaces_another_stays_where_its_copy_holds_other_bytes(desk: Desk, faults: Faults) -> None:
    desk.put("a.txt", body=b"bytes")
    desk.put("to/a.txt", body=b"older")
    job = desk.carry("move", "a.txt", to="to/")
    faults("S12", spoil=True)
    job = go(job, "replace")
    assert outcomes(job) == {"a.txt": "failed"}, words(job)
    assert desk.text("a.txt") == "bytes"


def test_a_copy_that_was_cut_off_across_buckets_is_finished(desk: Desk, faults: Faults) -> None:
    desk.put("a.txt", "b.txt")
    faults("S12", cut="after", times=1, skip=1)
    job = through(desk.carry("move", "a.txt", "b.txt", bucket=desk.other))
    assert outcomes(job) == {"a.txt": "done", "b.txt": "done"}
    assert (desk.names(), desk.names(desk.other)) == ([], ["a.txt", "b.txt"])


@pytest.mark.parametrize("fault", [{"cut": "after"}, {"cut": "before"}, {"status": 500}, {"status": 429, "retry_after": 1}])
def test_what_was_in_flight_is_read_back_and_done_once(desk: Desk, faults: Faults, fault: dict[str, object]) -> None:
    keys = [f"a/{number}.txt" for number in range(30)]
    desk.put(*keys)
    faults("S11", times=3, skip=5, **fault)
    job = through(desk.carry("move", "a/", to="b/"))
    assert (job.state, job.done) == (State.DONE, 30), words(job)
    assert desk.names() == sorted(f"b/{key}" for key in keys)


def test_a_refused_object_fails_alone_and_can_be_tried_again(desk: Desk, faults: Faults) -> None:
    desk.put("a/1.txt", "a/2.txt", "a/3.txt")
    faults("S11", status=400, message="No such luck", times=1)
    job = through(desk.carry("move", "a/", to="b/"))
    assert sorted(outcomes(job).values()) == ["done", "done", "failed"]
    assert any("No such luck" in said for said in words(job).values())
    assert transitions.retry_failed(job)
    assert through(job).done == 3
    assert len(desk.names(folder="b/")) == 3


def test_the_check_afterwards_finds_what_did_not_arrive(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.put("a/1.txt", "a/2.txt")
    real = transfer.Executor.run
    monkeypatch.setattr(transfer.Executor, "run", lambda self, row: None if row.target == "a/1.txt" else real(self, row))
    job = desk.carry("move", "a/", to="b/")
    assert outcomes(job) == {"a/1.txt": "failed", "a/2.txt": "done"}
    assert "missing at the destination" in words(job)["a/1.txt"]
