"""Finished jobs, sets of signed links and search indexes go to somebody whose own token reads the same objects."""

from collections.abc import Iterator
from uuid import uuid4

import pytest
from django.urls import reverse

from dashboard.catalog import crawl
from dashboard.catalog.models import Catalog
from dashboard.catalog.selection import Selection
from dashboard.features.bulk import services as bulk
from dashboard.features.bulk.rules import into
from dashboard.features.sharing.models import LinkSet
from dashboard.jobs import transitions
from dashboard.jobs.models import Job, State
from dashboard.links.models import RawLink
from dashboard.team.models import Person, Role
from dashboard.tokens.workspace import Workspace
from tests.catalog.test_succession import another
from tests.features.bulk.conftest import outcomes, through
from tests.features.service import Faults, faults
from tests.features.sharing.conftest import Desk
from tests.features.sharing.signing import address, job_of, output, prepared, signed
from tests.pages import PageClient
from tests.people import client_of, confirmed, hold
from tests.sandboxes import Sandbox

__all__ = ["faults"]


@pytest.fixture
def bucket(service: Sandbox, ref: str) -> Iterator[str]:
    """A bucket with `a/1.txt`, `a/2.txt` and `a/3.txt`."""
    storage, name = (
        service.interface(ref),
        f"work-{uuid4().hex[:8]}",
    )
    storage.buckets.create(name)
    for number in (1, 2, 3):
        storage.objects.upload(name, f"a/{number}.txt", b"x", content_type="text/plain")
    yield name
    storage.buckets.empty(name)
    storage.buckets.delete(name)


@pytest.fixture
def desk(ada: Person, service: Sandbox, ref: str, bucket: str) -> Desk:
    """Ada's, with her service key."""
    hold(ada, service.personal_token)
    hold(ada, service.storage_tokens[ref]["service"], ref)
    storage = service.interface(ref)
    return Desk(client_of(ada), PageClient(), storage, ada, ref, bucket)


@pytest.fixture
def bob(db: None, service: Sandbox) -> Person:
    """Somebody with a management token."""
    person = Person.objects.create(email="bob@example.org", name="Bob", role=Role.OPERATOR)
    hold(person, service.personal_token)
    return person


@pytest.fixture
def key(service: Sandbox, ref: str) -> str:
    return service.storage_tokens[ref]["service"]


def hand_over(owner: Person, person: Person, receiver: Person) -> tuple[str, int]:
    """What the dialog offers, and how the hand-over is answered."""
    client, way = confirmed(owner), reverse("team:handover", args=[person.pk])
    offered = " ".join(client.part(way, "dialog").text.split())
    return offered, client.post(way, {"receiver": receiver.pk}).status_code


def partly_done(desk: Desk, faults: Faults) -> Job:
    """A job of Ada's of which one item failed."""
    faults("S11", status=400, message="No such luck", times=1)
    selection = Selection(desk.space, desk.bucket, folders=("a/",))
    job = through(bulk.transfer(Workspace(desk.person), into("move", selection, desk.bucket, "b/"), back="/"))
    assert sorted(outcomes(job).values()) == ["done", "done", "failed"]
    return job


def test_failed_items_of_a_finished_job_are_seen_and_retried_by_who_takes_it_over(
    desk: Desk, faults: Faults, owner: Person, bob: Person, key: str
) -> None:
    job = partly_done(desk, faults)
    hold(bob, key, desk.space)
    client, page = client_of(bob), reverse("jobs:show", args=[job.pk])
    assert client.get(page).status_code == 404
    offered, status = hand_over(owner, desk.person, bob)
    assert ("1 partly done job" in offered, status) == (True, 303)
    assert "No such luck" in client.get(page, {"items": "failed"}).text
    assert client.post(reverse("jobs:repetition", args=[job.pk])).status_code == 303
    desk.person.stored_tokens.all().delete()
    assert through(job).done == 3, "with the token of the new owner"
    assert desk.client.get(page).status_code == 404


@pytest.fixture(params=["anon", "objects"])
def weaker(request: pytest.FixtureRequest, bob: Person, service: Sandbox, ref: str) -> Person:
    """Bob, with a key that reads what row policies allow."""
    hold(bob, service.storage_tokens[ref][request.param], ref)
    return bob


def test_nothing_goes_to_a_token_that_may_read_less(desk: Desk, faults: Faults, owner: Person, weaker: Person) -> None:
    desk.put("z.txt")
    job, links = partly_done(desk, faults), signed(desk, prepared(desk, keys="z.txt"))
    Catalog.objects.filter(bucket=desk.bucket).delete()
    through(crawl.begin(Workspace(desk.person), desk.space, desk.bucket).job)
    desk.share("z.txt")
    offered, status = hand_over(owner, desk.person, weaker)
    for each in ("1 partly done job", "1 share link", "1 search index", "1 set of signed links"):
        assert each in offered
    assert status == 422
    client = client_of(weaker)
    assert client.get(reverse("jobs:show", args=[job.pk])).status_code == 404
    assert client.get(address(desk, "signed", links.pk)).status_code == 404
    assert Job.objects.filter(owner=weaker).count() == LinkSet.objects.filter(owner=weaker).count() == 0


def test_a_set_of_signed_links_can_be_copied_by_who_takes_it_over(desk: Desk, owner: Person, bob: Person, key: str) -> None:
    links = signed(desk, prepared(desk, keys="a/1.txt\na/late.txt"))
    before = output(desk, links, "csv")
    hold(bob, key, desk.space)
    offered, status = hand_over(owner, desk.person, bob)
    assert ("1 set of signed links" in offered, status) == (True, 303)
    desk.person.stored_tokens.all().delete()
    theirs = Desk(client_of(bob), desk.visitor, desk.storage, bob, desk.space, desk.bucket)
    assert output(theirs, links, "csv") == before
    assert address(desk, "signed", links.pk) in theirs.client.get(reverse("sharing:raw")).text
    assert RawLink.objects.get().person == bob
    desk.put("a/late.txt")
    signed(theirs, links, refused="1")
    assert (links.signed, links.refused) == (2, 0)
    assert desk.client.get(address(desk, "signed", links.pk)).status_code == 404


def test_the_job_of_a_set_goes_along(desk: Desk, owner: Person, bob: Person, key: str) -> None:
    links = prepared(desk, keys="\n".join(["a/1.txt", *(f"none/{number}" for number in range(1000))]))
    job = through(job_of(links))
    assert transitions.apply(job)
    through(job)
    hold(bob, key, desk.space)
    assert hand_over(owner, desk.person, bob)[1] == 303
    assert Job.objects.get(pk=job.pk).owner == bob


def test_links_that_nobody_can_decrypt_stay(desk: Desk, owner: Person, bob: Person, key: str) -> None:
    links = signed(desk, prepared(desk, keys="a/1.txt"))
    batch = links.batches.get()
    batch.number = 7
    batch.save()
    hold(bob, key, desk.space)
    assert hand_over(owner, desk.person, bob)[1] == 422
    links.refresh_from_db()
    assert (links.owner, RawLink.objects.get().person) == (desk.person, desk.person)


def test_a_search_index_is_built_again_with_the_token_of_who_takes_over(desk: Desk, owner: Person, bob: Person, key: str) -> None:
    through(crawl.begin(Workspace(desk.person), desk.space, desk.bucket).job)
    token = hold(bob, another(key), desk.space)
    offered, status = hand_over(owner, desk.person, bob)
    assert ("1 search index" in offered, status) == (True, 303)
    job = Job.objects.get(owner=bob, kind=crawl.CRAWL)
    desk.storage.objects.delete(desk.bucket, "a/3.txt")
    assert through(job).state == State.DONE
    theirs = Catalog.objects.get(bucket=desk.bucket, token=token.fingerprint)
    assert theirs.count == 2, "what the bucket holds now"
    assert Catalog.objects.filter(bucket=desk.bucket).count() == 2, "the other stays with its token"


def test_an_index_of_a_token_that_others_store_too_is_theirs_already(desk: Desk, owner: Person, bob: Person, key: str) -> None:
    through(crawl.begin(Workspace(desk.person), desk.space, desk.bucket).job)
    hold(bob, key, desk.space)
    offered, status = hand_over(owner, desk.person, bob)
    assert ("There is nothing to hand over" in offered, status) == (True, 422)
