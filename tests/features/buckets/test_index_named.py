"""A token with policies on objects and none on buckets: its buckets are opened by name, and remembered for this token."""

import pytest
from django.urls import reverse

from dashboard.catalog.crawl import begin
from dashboard.catalog.models import Catalog
from dashboard.interfaces.errors import NotFound
from dashboard.jobs.models import State
from dashboard.team.models import Person
from dashboard.tokens.credentials import store
from dashboard.tokens.models import Kind
from dashboard.tokens.workspace import Workspace
from tests.conftest import Sandbox
from tests.features.buckets.desk import Desk
from tests.features.buckets.test_index import names
from tests.jobs.conftest import turn
from tests.pages import PageClient, kept


@pytest.fixture
def bucket(as_keeper: PageClient, owner: Person, service: Sandbox, desk: Desk) -> str:
    """One with a file in it, and its owner with a token that sees files but no buckets."""
    assert as_keeper
    name = desk.put()
    desk.storage.objects.upload(name, "dir/a.txt", b"x", content_type="text/plain")
    store(owner, Kind.STORAGE, desk.space, service.storage_tokens[desk.space]["objects"])
    workspace = Workspace(owner)
    assert workspace.storage(desk.space).buckets.all() == []
    with pytest.raises(NotFound):
        workspace.storage(desk.space).buckets.get(name)
    return name


def test_a_list_without_buckets_offers_to_open_one_by_name(as_keeper: PageClient, desk: Desk, bucket: str) -> None:
    page = as_keeper.get(desk.address("index")).text
    assert "This token may not see all buckets." in page
    assert f'href="{desk.address("named")}"' in page
    assert "Open a bucket by name" in as_keeper.get(desk.address("named")).text
    assert bucket not in page


def test_a_bucket_opened_by_name_is_remembered_and_works(as_keeper: PageClient, owner: Person, desk: Desk, bucket: str) -> None:
    answer = as_keeper.post(desk.address("named"), {"name": bucket}, follow=True)
    assert names(answer.text) == [bucket]
    assert "Opened by name" in answer.text
    assert names(as_keeper.get(desk.address("index")).text) == [bucket]
    browsed = as_keeper.get(reverse("objects:index", args=[desk.space, bucket])).text
    assert "dir" in browsed
    assert "not visible to your token" in browsed
    sent = as_keeper.put(f"{reverse('objects:upload', args=[desk.space, bucket])}?key=b.txt", b"new", content_type="text/plain")
    assert sent.status_code == 200, sent.text
    assert turn(begin(Workspace(owner), desk.space, bucket).job).state == State.DONE
    moving = as_keeper.get(kept(as_keeper, reverse("bulk:move", args=[desk.space, bucket]), key=["b.txt"])).text
    assert f'value="{bucket}"' in moving


def test_a_name_that_leads_nowhere_is_not_remembered(
    as_keeper: PageClient, owner: Person, service: Sandbox, desk: Desk, bucket: str
) -> None:
    store(owner, Kind.STORAGE, desk.space, service.storage_tokens[desk.space]["service"])
    for name, words in (
        (bucket[:-1], "There is no such bucket. Check the spelling"),
        ("", "Enter the name"),
        ("a/b", "can&#x27;t"),
    ):
        answer = as_keeper.post(desk.address("named"), {"name": name})
        assert answer.status_code == 422
        assert words in answer.text
    assert not Catalog.objects.filter(named=True).exists()


def test_a_key_that_sees_nothing_opens_a_bucket_by_name_and_uploads(
    as_keeper: PageClient, owner: Person, service: Sandbox, desk: Desk, bucket: str
) -> None:
    store(owner, Kind.STORAGE, desk.space, service.storage_tokens[desk.space]["inbox"])
    address = reverse("objects:index", args=[desk.space, bucket])
    assert as_keeper.get(address).status_code == 404
    answer = as_keeper.post(desk.address("named"), {"name": bucket}, follow=True)
    assert "This token can&#x27;t see it, but you can still upload." in answer.text
    page = as_keeper.get(address)
    assert page.status_code == 200
    assert "There may be none, or this token may not list them. You can still upload files." in page.text
    assert "This bucket is empty" not in page.text
    sent = as_keeper.put(f"{reverse('objects:upload', args=[desk.space, bucket])}?key=b.txt", b"new", content_type="text/plain")
    assert sent.status_code == 200, sent.text
    assert "It can upload files." in as_keeper.get(address).text


def test_a_remembered_bucket_can_be_forgotten_again(as_keeper: PageClient, desk: Desk, bucket: str) -> None:
    as_keeper.post(desk.address("named"), {"name": bucket})
    question = as_keeper.get(desk.address("forgetting", bucket)).text
    assert "The bucket and its files stay." in question
    answer = as_keeper.post(desk.address("forgetting", bucket), follow=True)
    assert "This token may not see all buckets." in answer.text
    assert desk.bucket(bucket) is not None


def test_a_name_is_remembered_for_the_token_that_opened_it(
    as_keeper: PageClient, owner: Person, service: Sandbox, desk: Desk, bucket: str
) -> None:
    as_keeper.post(desk.address("named"), {"name": bucket})
    store(owner, Kind.STORAGE, desk.space, service.storage_tokens[desk.space]["anon"])
    assert names(as_keeper.get(desk.address("index")).text) == []
    store(owner, Kind.STORAGE, desk.space, service.storage_tokens[desk.space]["service"])
    page = as_keeper.get(desk.address("index"), {"q": bucket}).text
    assert names(page) == [bucket]
    assert "Opened by name" not in page
    assert "Open by name" not in page


def test_a_bucket_that_is_listed_stands_there_once(as_keeper: PageClient, owner: Person, service: Sandbox, desk: Desk) -> None:
    store(owner, Kind.STORAGE, desk.space, service.storage_tokens[desk.space]["service"])
    name = desk.put()
    as_keeper.post(desk.address("named"), {"name": name})
    page = as_keeper.get(desk.address("index"), {"q": name}).text
    assert names(page) == [name]
    assert "Opened by name" not in page
