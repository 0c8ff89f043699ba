"""What a token can do that sees objects, but not their bucket: row policies often allow no more."""

from dataclasses import replace

import pytest
from django.urls import reverse
from django.utils import timezone

from dashboard.jobs.models import Job, State
from dashboard.snapshots import capture
from dashboard.team.models import Person
from dashboard.tokens.workspace import Workspace
from tests.catalog.conftest import Shelf, shelf
from tests.conftest import Sandbox
from tests.features.bulk.conftest import go, through
from tests.features.service import Faults, faults
from tests.pages import PageClient, htmx
from tests.people import hold
from tests.snapshots.test_capture import in_a_folder, run, taken
from tests.snapshots.test_pages import restoration
from tests.snapshots.test_restore import EVERYTHING, names, planned
from tests.snapshots.test_schedule import look, save, timer
from tests.snapshots.test_trash import deletions, for_thirty_days, one

__all__ = ["faults", "for_thirty_days", "in_a_folder", "shelf"]


@pytest.fixture
def plain(shelf: Shelf, owner: Person, service: Sandbox) -> Shelf:
    """A bucket that its owner uses with such a token."""
    hold(owner, service.storage_tokens[shelf.space]["objects"], shelf.space)
    return replace(shelf, workspace=Workspace(owner))


def test_a_deletion_is_undone(as_owner: PageClient, plain: Shelf) -> None:
    plain.put("a.txt", body=b"then")
    as_owner.post(one(plain, "a.txt"), headers=htmx("dialog"))
    assert not names(plain)
    as_owner.post(reverse("snapshots:undo", args=[plain.space, plain.bucket, deletions()[0].id]), headers=htmx("dialog"))
    job = through(Job.objects.get(kind="restore objects"))
    assert (job.state, job.done, names(plain)) == (State.DONE, 1, ["a.txt"]), job.message


def test_a_file_is_restored_and_what_the_bucket_refuses_only_shows_then(as_owner: PageClient, plain: Shelf) -> None:
    plain.put("a.txt", "b.txt", body=b"then")
    run(plain)
    plain.storage.objects.delete_many(plain.bucket, ["a.txt", "b.txt"])
    assert (
        "a.txt restored and verified." in as_owner.post(restoration(plain, "a.txt"), {"count": "0"}, headers=htmx("dialog")).text
    )
    plain.storage.buckets.update(plain.bucket, public=False, file_size_limit=3)
    done = go(planned(as_owner, plain, **EVERYTHING))
    assert (done.state, done.failed, names(plain)) == (State.DONE, 1, ["a.txt"])


def test_a_snapshot_that_failed_is_no_sign_that_the_bucket_is_gone(as_owner: PageClient, plain: Shelf) -> None:
    save(as_owner, plain)
    look()
    Job.objects.filter(kind=capture.TAKE).update(state=State.FAILED, message="The disk is full.", ended_at=timezone.now())
    look()
    assert (timer().payload["failed"], bool(timer().next_at)) == ("The disk is full.", True)


def test_an_object_that_can_not_be_read_is_left_out(plain: Shelf, faults: Faults) -> None:
    plain.put("a.txt", body=b"some bytes")
    faults("S18", cut="mid")
    assert run(plain).state == State.DONE
    assert taken(plain)["a.txt"].left_out
