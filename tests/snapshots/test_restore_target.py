"""Where a restoration may write to: the buckets that are there, in any project that the person has a token for."""

from html import unescape
from uuid import uuid4

from django.urls import reverse

from dashboard.jobs.models import Job, State
from dashboard.team.models import Person
from tests.catalog.conftest import Shelf, shelf
from tests.conftest import Sandbox
from tests.features.bulk.conftest import go
from tests.jobs.conftest import turn
from tests.pages import PageClient, htmx
from tests.people import hold
from tests.snapshots.test_capture import in_a_folder, run
from tests.snapshots.test_restore import EVERYTHING, address, as_it_was, planned

__all__ = ["in_a_folder", "shelf"]


def test_it_is_restored_into_another_project(as_owner: PageClient, owner: Person, shelf: Shelf, service: Sandbox) -> None:
    space = next(ref for ref in service.storage_tokens if ref != shelf.space)
    token = service.storage_tokens[space]["service"]
    storage, other = service.interface(space, token), f"restored {uuid4().hex[:8]}"
    storage.buckets.create(other)
    shelf.put("a.txt", body=b"then")
    run(shelf)
    as_owner.post(address(shelf, **EVERYTHING), {"space": space, "bucket": other}, headers=htmx("dialog"))
    assert not Job.objects.filter(kind="restore objects").exists(), "the person has no token for it"
    offers = reverse("snapshots:buckets", args=[shelf.space], query={"space": space})
    assert "<option" not in as_owner.get(offers, headers=htmx("bucket-offers")).text
    hold(owner, token, space)
    dialog = address(shelf, **EVERYTHING)
    offered = f'<option value="{other}">'
    assert offered not in as_owner.get(dialog, headers=htmx("dialog")).text
    assert offered in as_owner.get(offers, headers=htmx("bucket-offers")).text
    refused = as_owner.post(dialog, {"space": space, "bucket": shelf.bucket}, headers=htmx("dialog")).text
    assert f"has no bucket {shelf.bucket}" in refused
    assert offered in refused, "what is suggested fits the project that is chosen"
    assert go(planned(as_owner, shelf, space=space, bucket=other, key="a.txt")).done == 1
    assert storage.objects.read(other, "a.txt").read_all(100) == b"then"
    storage.buckets.empty(other)
    storage.buckets.delete(other)


def test_a_bucket_that_is_not_there_is_told_where_it_was_typed(as_owner: PageClient, shelf: Shelf) -> None:
    as_it_was(shelf)
    given = {"space": shelf.space, "bucket": "nowhere"}
    refused = as_owner.post(address(shelf, **EVERYTHING), given, headers=htmx("dialog"))
    assert refused.status_code == 422
    told = unescape(refused.text)
    assert told.index("has no bucket nowhere. Choose another.") > told.index('id="id_bucket"'), "at the field"
    assert not Job.objects.filter(kind="restore objects").exists()


def test_a_bucket_that_is_deleted_meanwhile_ends_the_plan(as_owner: PageClient, shelf: Shelf) -> None:
    as_it_was(shelf)
    other = f"meanwhile {uuid4().hex[:8]}"
    shelf.storage.buckets.create(other)
    as_owner.post(address(shelf, **EVERYTHING), {"space": shelf.space, "bucket": other}, headers=htmx("dialog"))
    shelf.storage.buckets.delete(other)
    job = turn(Job.objects.get(kind="restore objects"))
    assert (job.state, f"There is no bucket {other}" in job.message) == (State.FAILED, True)
