"""Between the count and the owner's word time may pass: what would be deleted is counted once more."""

from collections.abc import Callable

import pytest

from dashboard.catalog import crawl, queries
from dashboard.catalog.selection import Selection
from dashboard.features.bulk import services as jobs
from dashboard.features.bulk.tasks import recount
from dashboard.jobs import kinds
from dashboard.jobs.models import Job, State
from tests.features.bulk.conftest import Desk, go
from tests.jobs.conftest import turn

BEGINNINGS: dict[str, Callable[[Desk], Job]] = {
    "folder": lambda desk: desk.delete("in/", "single.txt"),
    "bucket": lambda desk: turn(jobs.empty(desk.workspace, desk.space, desk.bucket, back="/")),
    "removal": lambda desk: turn(jobs.remove(desk.workspace, desk.space, desk.bucket, back="/")),
}


@pytest.mark.parametrize("what", BEGINNINGS)
def test_what_came_meanwhile_is_counted_and_asked_about_before_anything_goes(desk: Desk, what: str) -> None:
    desk.put("in/a.txt", "in/deep/b.txt", "single.txt")
    job = BEGINNINGS[what](desk)
    desk.put("in/deep/late.txt")
    job = go(job)
    assert job.state == State.PLANNED
    assert "Nothing was deleted: it held" in job.replan_reason
    assert kinds.plan_of(job).summary.count("4 objects, 4 bytes") == 1
    assert len(desk.names()) == 4
    job = go(job)
    assert job.state == State.DONE
    assert desk.bucket not in {bucket.id for bucket in desk.storage.buckets.all()} or desk.names() == []


@pytest.mark.parametrize("what", BEGINNINGS)
def test_files_to_review_are_no_objects_anywhere_and_are_named_where_they_are_deleted(desk: Desk, what: str) -> None:
    desk.put("in/a.txt", "in/.requests/1/ab/sent.txt", "in/deep/.requests/2/cd/sent.txt", "single.txt")
    assert turn(crawl.begin(desk.workspace, desk.space, desk.bucket).job).state == State.DONE
    known = queries.state(desk.workspace, desk.space, desk.bucket)
    assert known
    job = BEGINNINGS[what](desk)
    plan = kinds.plan_of(job)
    assert f"{known.objects} objects, {known.bytes} bytes" == "2 objects, 2 bytes"
    assert "2 objects, 2 bytes" in plan.summary
    assert "Includes 2 requested files still to review." in plan.details
    desk.put("in/.requests/1/ef/late.txt")
    job = go(job)
    assert "it held 4 when it was counted, now 5" in job.replan_reason
    assert go(job).state == State.DONE
    assert not desk.names() or what == "removal"


def test_files_to_review_alone_are_counted_as_such(desk: Desk) -> None:
    desk.put("in/.requests/1/ab/sent.txt")
    plan = kinds.plan_of(desk.delete("in/"))
    assert (plan.summary, plan.typed, plan.button) == ("Delete in: 1 requested file.", "in", "Delete 1 requested file")


def test_other_bytes_in_as_many_objects_are_noticed(desk: Desk) -> None:
    desk.put("a.txt")
    job = BEGINNINGS["bucket"](desk)
    desk.storage.objects.replace(desk.bucket, "a.txt", b"much more", content_type="text/plain")
    job = go(job)
    assert (job.state, job.replan_reason) == (
        State.PLANNED,
        "Nothing was deleted: it held 1 byte when it was counted, now 9 bytes.",
    )


def test_a_search_that_finds_more_by_now_is_asked_about(desk: Desk) -> None:
    desk.put("a.log")
    assert turn(crawl.begin(desk.workspace, desk.space, desk.bucket).job).state == State.DONE
    job = turn(jobs.delete(desk.workspace, Selection(desk.space, desk.bucket, filter="ext:log"), back="/"))
    desk.put("b.log")
    assert turn(crawl.begin(desk.workspace, desk.space, desk.bucket).job).state == State.DONE
    job = go(job)
    assert "the search found 1 when it was counted, now 2" in job.replan_reason
    assert go(job).done == 2


def test_a_bucket_that_takes_too_long_to_count_is_emptied_as_planned(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.put("a.txt")
    job = BEGINNINGS["bucket"](desk)
    monkeypatch.setattr(recount, "RECOUNT_SECONDS", -1.0)
    desk.put("late.txt")
    assert go(job).state == State.DONE
    assert desk.names() == []
