"""What a bucket held is kept before the bucket is emptied, and comes back."""

from datetime import timedelta
from html import unescape

import pytest
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings

from dashboard.catalog.keys import PLACEHOLDER
from dashboard.features.bulk import services as bulk
from dashboard.features.bulk.tasks import empty
from dashboard.jobs import kinds
from dashboard.jobs.models import Job, State
from dashboard.jobs.plans import UNKEPT
from dashboard.journal.models import Entry
from dashboard.snapshots import restore, trash
from tests.catalog.conftest import Shelf, shelf
from tests.features.bulk.conftest import go, outcomes, through, words
from tests.features.service import Faults, faults
from tests.jobs.conftest import turn
from tests.pages import PageClient, htmx
from tests.snapshots.conftest import replace_while_kept
from tests.snapshots.test_capture import in_a_folder
from tests.snapshots.test_restore import EVERYTHING, address, names
from tests.snapshots.test_trash import WITHOUT, deletions, for_thirty_days, held

__all__ = ["faults", "for_thirty_days", "in_a_folder", "shelf"]


def planned(shelf: Shelf, verb: str = "empty", policy: str = "") -> Job:
    begin = bulk.remove if verb == "remove" else bulk.empty
    return turn(begin(*shelf.place, back="/", policy=policy))


def sent(*operations: str) -> set[str]:
    return set(Entry.objects.filter(operation__in=operations).values_list("operation", flat=True))


def test_everything_is_kept_before_a_bucket_is_emptied(as_owner: PageClient, shelf: Shelf) -> None:
    shelf.put("a.txt", "b/c.txt", body=b"then")
    shelf.put(f"d/{PLACEHOLDER}", body=b"")
    job = go(planned(shelf))
    assert (job.state, names(shelf)) == (State.DONE, [])
    assert outcomes(job) == {"a.txt": "done", "b/c.txt": "done", "d/": "done", empty.EMPTY: "done"}
    (head,) = deletions()
    assert held(head) == {"a.txt": b"then", "b/c.txt": b"then", f"d/{PLACEHOLDER}": b""}
    assert sent("S3", "S8") == {"S8"}
    ago = timezone.now() - timedelta(minutes=1)
    tray = as_owner.get(reverse("jobs:tray"), {"since": f"{ago:%Y-%m-%dT%H:%M:%S.%f}"}, headers=htmx("tray")).text
    assert f'<a href="{reverse("snapshots:undo", args=[shelf.space, shelf.bucket, head.id])}">Undo</a>' in tray
    through(restore.undo(shelf.workspace, head, back="/"))
    assert names(shelf) == ["a.txt", "b", "d"]


def test_the_question_says_what_is_copied_and_offers_not_to_keep_it(as_owner: PageClient, shelf: Shelf) -> None:
    shelf.put("a.txt", body=b"12345")
    for verb, ending in (("emptying", "in the trash of the bucket"), ("removal", "and can be restored into another bucket")):
        here = reverse(f"bulk:{verb}", args=[shelf.space, shelf.bucket], query={"counted": "1"})
        shown = unescape(as_owner.get(here, headers=htmx("dialog")).text)
        assert f"Kept for 30 days {ending}." in shown
        assert "Copies 5 bytes to the trash first" in shown
        assert "Delete without keeping" in shown
        assert "be undone" not in shown
        assert "up to an hour" not in shown


def test_without_keeping_the_service_empties_it(as_owner: PageClient, shelf: Shelf, settings: Settings) -> None:
    settings.SNAPSHOT_MAX_FILE_BYTES = 3
    shelf.put("a.txt", body=b"12345")
    here = reverse("bulk:emptying", args=[shelf.space, shelf.bucket], query={"counted": "1"})
    as_owner.post(here, {"count": "1", "typed": shelf.bucket, **WITHOUT}, headers=htmx("dialog"))
    job = through(Job.objects.get(kind="empty bucket"))
    assert outcomes(job) == {empty.ACCEPTED: "done", empty.EMPTY: "done"}
    assert (names(shelf), deletions(), sent("S3", "S8")) == ([], [], {"S3"})


def test_without_keeping_a_plan_says_that_it_is_for_good(shelf: Shelf) -> None:
    shelf.put("a.txt")
    details = kinds.plan_of(planned(shelf, policy=UNKEPT)).details
    assert "Everything in it is deleted. This can't be undone." in details


@pytest.mark.parametrize("verb", ["empty", "remove"])
def test_what_is_new_since_it_was_counted_stays_and_is_told(shelf: Shelf, monkeypatch: pytest.MonkeyPatch, verb: str) -> None:
    shelf.put("a.txt")
    job, keep = planned(shelf, verb), trash.keep

    def keep_late(*given: object, **named: object) -> trash.Kept:
        kept = keep(*given, **named)  # type: ignore[arg-type] # passed on as they came
        shelf.put("late.txt")
        return kept

    monkeypatch.setattr(trash, "keep", keep_late)
    job = go(job)
    assert (names(shelf), sent("S3", "S6")) == (["late.txt"], set())
    assert words(job)[empty.EMPTY] == "Not empty: “late.txt”. What is new, has changed or could not be kept stays."
    assert outcomes(job).get(empty.DELETED, "failed") == "failed"


def test_what_changes_while_it_is_kept_stays_and_is_told(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    shelf.put("a.txt", "b.txt", body=b"then")
    job = planned(shelf)
    replace_while_kept(shelf, monkeypatch)
    job = go(job)
    assert outcomes(job) == {"a.txt": "failed", "b.txt": "done", empty.EMPTY: "failed"}
    assert words(job)["a.txt"] == "Not deleted. It was changed while it was being kept."
    assert "“a.txt”" in words(job)[empty.EMPTY]
    assert names(shelf) == ["a.txt"]


def test_what_is_too_large_to_keep_stays_and_so_does_the_bucket(shelf: Shelf, settings: Settings) -> None:
    settings.SNAPSHOT_MAX_FILE_BYTES = 3
    shelf.put("large.txt", body=b"12345")
    shelf.put("small.txt", body=b"1")
    job = go(planned(shelf, "remove"))
    assert outcomes(job) == {"large.txt": "failed", "small.txt": "done", empty.EMPTY: "failed", empty.DELETED: "failed"}
    assert words(job)["large.txt"].endswith("It is larger than 3 bytes.")
    assert names(shelf) == ["large.txt"]


def test_a_full_store_keeps_the_bucket_as_it_is(shelf: Shelf, settings: Settings) -> None:
    settings.SNAPSHOT_MAX_BYTES = 3
    shelf.put("a.txt", body=b"12345")
    job = go(planned(shelf))
    assert "SNAPSHOT_MAX_BYTES" in words(job)["a.txt"]
    assert (names(shelf), deletions()) == (["a.txt"], [])


def test_a_token_that_may_not_read_empties_nothing(shelf: Shelf, faults: Faults) -> None:
    shelf.put("a.txt")
    job = planned(shelf)
    faults("S18", status=403, message="Not for you", times=1)
    job = go(job)
    assert words(job)["a.txt"].startswith("Not deleted. It could not be kept.")
    assert (names(shelf), sent("S3", "S8")) == (["a.txt"], set())


def test_a_deletion_without_an_answer_is_read_back(shelf: Shelf, faults: Faults) -> None:
    shelf.put("a.txt")
    job = planned(shelf)
    faults("S8", cut="after", times=1)
    job = go(job)
    assert outcomes(job) == {"a.txt": "done", empty.EMPTY: "done"}
    assert len(deletions()) == 1


def test_what_a_deleted_bucket_held_is_restored_into_another_one(as_owner: PageClient, shelf: Shelf) -> None:
    shelf.put("a.txt", body=b"then")
    job = go(planned(shelf, "remove"))
    assert outcomes(job) == {"a.txt": "done", empty.EMPTY: "done", empty.DELETED: "done"}
    home = reverse("snapshots:trash", args=[shelf.space, shelf.bucket])
    assert kinds.find(job.kind).follow_up(job) == ("Open trash", home)  # type: ignore[union-attr] # it is registered
    (head,) = deletions()
    shown = as_owner.get(home).text
    assert reverse("snapshots:show", args=[shelf.space, shelf.bucket, head.id]) in shown
    other = f"{shelf.bucket} again"
    shelf.storage.buckets.create(other)
    link = address(shelf, **EVERYTHING)
    assert link in unescape(as_owner.get(address(shelf, "show")).text)
    as_owner.post(link, {"space": shelf.space, "bucket": other}, headers=htmx("dialog"))
    go(turn(Job.objects.get(kind="restore objects")))
    assert names(shelf, other) == ["a.txt"]
    shelf.storage.buckets.empty(other)
    shelf.storage.buckets.delete(other)
    shelf.storage.buckets.create(shelf.bucket)
