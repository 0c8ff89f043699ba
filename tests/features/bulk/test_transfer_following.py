"""The index and the links go along with what is moved, and a search can be deleted as a whole."""

from datetime import timedelta

import pytest
from django.utils import timezone

from dashboard.catalog import crawl, queries
from dashboard.catalog.query import Filter
from dashboard.catalog.selection import Selection
from dashboard.features.bulk import services as jobs
from dashboard.jobs import kinds, plans
from dashboard.jobs.models import Job, State
from dashboard.links.lifecycle import Terms, make
from dashboard.links.models import Share, Target
from dashboard.team.models import Person
from tests.features.bulk.conftest import Desk, go, outcomes
from tests.jobs.conftest import turn


def crawled(desk: Desk, bucket: str = "") -> None:
    assert turn(crawl.begin(desk.workspace, desk.space, bucket or desk.bucket).job).state == State.DONE


def known(desk: Desk, bucket: str = "", asked: str = "") -> list[str]:
    return [entry.key for entry in queries.keys(desk.workspace, desk.space, bucket or desk.bucket, Filter.parse(asked))]


def linked(desk: Desk, owner: Person, *keys: str) -> Share:
    folders = [key for key in keys if key.endswith("/")]
    objects = [key for key in keys if key not in folders]
    terms = Terms(ends_at=timezone.now() + timedelta(days=1))
    return make(owner, desk.space, desk.bucket, keys=objects, folders=folders, terms=terms)[0]


def leads_to(share: Share) -> set[tuple[str, str]]:
    return set(Target.objects.filter(share=share).values_list("bucket", "key"))


@pytest.mark.parametrize("across", [False, True])
def test_links_and_the_index_follow_a_folder_that_is_moved(desk: Desk, owner: Person, *, across: bool) -> None:
    desk.put("in/a.txt", "in/deep/b.txt", "stays.txt")
    crawled(desk)
    crawled(desk, desk.other)
    share = linked(desk, owner, "in/", "in/deep/b.txt", "stays.txt")
    there = desk.other if across else desk.bucket
    assert desk.carry("move", "in/", to="out/", bucket=there).state == State.DONE
    assert leads_to(share) == {(there, "out/in/"), (there, "out/in/deep/b.txt"), (desk.bucket, "stays.txt")}
    assert set(known(desk, there, "path:out/")) == {"out/in/a.txt", "out/in/deep/b.txt"}
    assert known(desk, asked="path:in/") == []


def test_a_link_to_a_folder_stays_where_a_part_of_it_stayed(desk: Desk, owner: Person) -> None:
    """It would lead to less than it was made for."""
    desk.put("in/a.txt", "in/b.txt")
    desk.put("out/in/b.txt", body=b"other")
    share = linked(desk, owner, "in/", "in/a.txt")
    job = go(desk.carry("move", "in/", to="out/"), plans.SKIP)
    assert outcomes(job) == {"in/a.txt": "done", "in/b.txt": "skipped"}
    assert leads_to(share) == {(desk.bucket, "in/"), (desk.bucket, "out/in/a.txt")}


def test_a_copy_leaves_the_links_and_is_found_twice(desk: Desk, owner: Person) -> None:
    desk.put("in/a.txt")
    crawled(desk)
    share = linked(desk, owner, "in/a.txt")
    assert desk.carry("copy", "in/", to="out/").state == State.DONE
    assert leads_to(share) == {(desk.bucket, "in/a.txt")}
    assert set(known(desk)) == {"in/a.txt", "out/in/a.txt"}


@pytest.mark.parametrize("verb", ["move", "copy"])
def test_a_counted_bucket_stays_rightly_counted_when_objects_come_from_one_that_is_not(desk: Desk, verb: str) -> None:
    desk.put("in/a.txt", "in/b.txt", body=b"12345")
    crawled(desk, desk.other)
    assert desk.carry(verb, "in/", bucket=desk.other).state == State.DONE
    counted = queries.state(desk.workspace, desk.space, desk.other)
    assert counted
    assert (counted.objects, counted.bytes) == (2, 10)


def found(desk: Desk, asked: str) -> Job:
    return turn(jobs.delete(desk.workspace, Selection(desk.space, desk.bucket, filter=asked), back="/"))


def test_everything_that_a_search_found_is_deleted(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dashboard.catalog.contents.FOUND_AT_ONCE", 3)
    desk.put("a/1.log", "a/2.log", "b/3.log", "E4.log", "e5.log", "Z.log", "_.log", "keep.txt", "a/keep.log.txt", body=b"12")
    crawled(desk)
    job = found(desk, "ext:log")
    assert kinds.plan_of(job).typed == ""
    assert kinds.plan_of(job).summary.endswith(": 7 objects, 14 bytes.")
    job = go(job)
    assert (job.state, outcomes(job)) == (State.DONE, dict.fromkeys(outcomes(job), "done"))
    assert desk.names() == ["a/keep.log.txt", "keep.txt"]
    assert known(desk) == ["a/keep.log.txt", "keep.txt"]


def test_what_a_search_knew_and_is_gone_is_said_to_be_gone(desk: Desk) -> None:
    desk.put("a/1.log", "a/2.log")
    crawled(desk)
    job = found(desk, "ext:log")
    desk.storage.objects.delete(desk.bucket, "a/1.log")
    job = go(job)
    assert outcomes(job) == {"a/1.log": "skipped", "a/2.log": "done"}
