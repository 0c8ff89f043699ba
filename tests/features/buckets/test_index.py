"""The list of buckets."""

import re
from html import unescape
from urllib.parse import unquote

import pytest
from django.urls import reverse
from pytest_django.fixtures import Settings

from dashboard.catalog.crawl import begin
from dashboard.jobs.models import Job
from dashboard.team.models import Person
from dashboard.tokens.credentials import store
from dashboard.tokens.models import Kind
from dashboard.tokens.workspace import Workspace
from tests.conftest import Sandbox
from tests.features.buckets.desk import Desk
from tests.features.service import Calls, Faults
from tests.pages import PageClient
from tests.people import hold


def names(html: str) -> list[str]:
    return [unescape(name) for name in re.findall(r'class="entry__link" href="[^"]+" title="[^"]*">([^<]+)<', html)]


def test_it_shows_what_a_bucket_admits(as_keeper: PageClient, desk: Desk) -> None:
    name = desk.put(public=True, file_size_limit=5 * 1024**2, allowed_mime_types=["image/png", "text/*"])
    answer = as_keeper.get(desk.address("index"), {"q": name})
    assert names(answer.text) == [name]
    for fact in ("Public", "up to 5.2 MB; image/png, text/*"):
        assert fact in answer.text
    plain = as_keeper.get(desk.address("index"), {"q": desk.put()})
    for fact in ("Private", "Not counted"):
        assert fact in plain.text


def test_it_asks_the_service_two_things_and_one_for_the_list_alone(as_keeper: PageClient, desk: Desk, calls: Calls) -> None:
    as_keeper.get(desk.address("index"))
    assert sorted(calls()) == [f"GET /{desk.space}/storage/v1/bucket/", "GET /v1/projects"]
    as_keeper.part(desk.address("index"), "bucket-list")
    assert calls() == [f"GET /{desk.space}/storage/v1/bucket/"]


def test_it_sorts_and_finds(as_keeper: PageClient, desk: Desk) -> None:
    first, second = desk.put("sorted-a-{}"), desk.put("sorted-b-{}", public=True)
    for sort, expected in (("name", [first, second]), ("-name", [second, first]), ("visibility", [second, first])):
        found = names(as_keeper.get(desk.address("index"), {"q": "SORTED-", "sort": sort}).text)
        assert [name for name in found if name in (first, second)] == expected
    for sort in ("created", "-created", "objects", "-size", "newest", "nonsense"):
        assert as_keeper.get(desk.address("index"), {"sort": sort}).status_code == 200
    assert "No matching buckets" in as_keeper.get(desk.address("index"), {"q": "§"}).text


@pytest.mark.parametrize(
    "form", ["a & b {}", "what? {}", "semi;colon,{}", "plus+equals={}", "it's (odd)! ${}", "at@{}:x", "...{}"]
)
def test_every_name_that_a_bucket_may_have_leads_to_it(as_keeper: PageClient, desk: Desk, form: str) -> None:
    name = desk.put(form)
    answer = as_keeper.get(desk.address("index"), {"q": name})
    assert names(answer.text) == [name]
    hrefs = [unquote(unescape(href)) for href in re.findall(r'href="([^"]+)"', answer.text)]
    for view in ("edit", "delete"):
        assert unquote(desk.address(view, name)) in hrefs
        assert as_keeper.get(desk.address(view, name)).status_code == 200
    assert unquote(reverse("objects:index", args=[desk.space, name])) in hrefs


def test_spaces_in_a_row_are_visible_in_the_list_and_dialogs(as_keeper: PageClient, desk: Desk) -> None:
    name = desk.put("two  spaces {}")
    shown = name.replace("  ", "␣␣")
    assert shown in as_keeper.get(desk.address("index"), {"q": name}).text
    assert f"Delete {shown}?" in as_keeper.get(desk.address("delete", name)).text
    assert f"Empty {shown}?" in as_keeper.get(reverse("bulk:emptying", args=[desk.space, name])).text
    assert shown in as_keeper.get(reverse("objects:index", args=[desk.space, name])).text


def test_an_empty_list_explains_itself(as_keeper: PageClient, owner: Person, service: Sandbox) -> None:
    empty = "hbzoeyrqmcuwfkdlnavs"
    store(owner, Kind.STORAGE, empty, service.storage_tokens[empty]["service"])
    answer = as_keeper.get(reverse("buckets:index", args=[empty]))
    assert "No buckets yet" in answer.text
    assert "New bucket" in answer.text


def test_a_weaker_key_is_named_as_the_reason(as_keeper: PageClient, owner: Person, service: Sandbox, desk: Desk) -> None:
    store(owner, Kind.STORAGE, desk.space, service.storage_tokens[desk.space]["anon"])
    answer = as_keeper.get(desk.address("index"))
    assert "This token may not see all buckets." in answer.text
    assert "Expected some?" not in answer.text
    assert "Store another token" in answer.text


def test_one_storage_alone_works_the_same(as_owner: PageClient, owner: Person, service: Sandbox, settings: Settings) -> None:
    ref = "ktmvqhzwrbnxpgaydcle"
    settings.MANAGEMENT_URL = ""
    settings.STORAGE_URL = settings.STORAGE_PUBLIC_URL = service.storage(ref)
    store(owner, Kind.STORAGE, "shared", service.storage_tokens[ref]["service"])
    answer = as_owner.get(reverse("buckets:index", args=["shared"]))
    assert "public-assets" in names(answer.text)
    assert "Projects" not in answer.text


def test_the_name_of_the_project_is_not_worth_a_failure(as_keeper: PageClient, desk: Desk, faults: Faults) -> None:
    faults("M1", status=500)
    assert as_keeper.get(desk.address("index")).status_code == 200


def test_it_invites_to_store_a_key_before_anything_is_asked(
    as_owner: PageClient, management_token: object, desk: Desk, calls: Calls
) -> None:
    answer = as_owner.get(desk.address("index"))
    assert f"No storage token for {desk.space} yet" in answer.text
    assert calls() == []


@pytest.mark.parametrize("space", ["evil.example", "UPPER", "a" * 64, "-@x"])
def test_what_can_not_be_a_space_is_not_found(as_keeper: PageClient, space: str) -> None:
    assert as_keeper.get(reverse("buckets:index", args=[space])).status_code == 404


def test_it_takes_no_post(as_keeper: PageClient, desk: Desk) -> None:
    assert as_keeper.post(desk.address("index")).status_code == 405


def test_a_long_list_comes_in_pages(as_keeper: PageClient, owner: Person, service: Sandbox) -> None:
    crowded = "dgskpyubwtvoqzlmhrfn"
    store(owner, Kind.STORAGE, crowded, service.storage_tokens[crowded]["service"])
    storage = service.interface(crowded)
    many = [f"crowd-{number:03}" for number in range(101)]
    for name in many:
        storage.buckets.create(name)
    here = reverse("buckets:index", args=[crowded])
    first = as_keeper.get(here, {"sort": "-name"})
    assert names(first.text) == many[:0:-1]
    assert f"{here}?sort=-name&amp;offset=100" in first.text
    assert names(as_keeper.get(here, {"sort": "-name", "offset": "100"}).text) == many[:1]
    assert "offset=100" not in as_keeper.get(here, {"q": "crowd-0"}).text
    for name in many:
        storage.buckets.delete(name)


def test_what_was_crawled_is_counted_and_sorted_by_without_another_call(
    as_keeper: PageClient, desk: Desk, owner: Person, calls: Calls
) -> None:
    few, many, unknown = desk.put("counted-few-{}"), desk.put("counted-many-{}"), desk.put("counted-not-{}")
    desk.crawled(owner, few, {"a.txt": 10})
    desk.crawled(owner, many, {"a.txt": 1, "b/c.txt": 2048})
    calls()
    answer = as_keeper.get(desk.address("index"), {"q": "counted-", "sort": "-objects"})
    assert f"GET /{desk.space}/storage/v1/bucket/" in calls()
    assert names(answer.text)[:2] == [many, few]
    assert names(answer.text)[-1].startswith("counted-not-")
    assert "2.0 KB" in answer.text
    assert "as of" in answer.text
    for sort, first in (("size", few), ("-size", many), ("newest", few)):
        found = names(as_keeper.get(desk.address("index"), {"q": "counted-", "sort": sort}).text)
        assert found.index(first) < found.index(unknown)


def test_what_another_key_crawled_stays_with_that_key(as_keeper: PageClient, desk: Desk, owner: Person) -> None:
    name = desk.put("secretly-{}")
    desk.crawled(owner, name, {"a.txt": 10}, token="another")
    assert "Not counted" in as_keeper.get(desk.address("index"), {"q": name}).text


def test_live_share_links_are_counted(as_keeper: PageClient, desk: Desk, owner: Person) -> None:
    name = desk.put("linked-{}")
    desk.linked(owner, name, "a.txt")
    assert re.search(r'data-label="Links">\s*(<a\s[^>]*>)?1<', as_keeper.get(desk.address("index"), {"q": name}).text)


def test_links_are_counted_that_the_person_may_see(
    as_ada: PageClient, desk: Desk, owner: Person, ada: Person, service: Sandbox
) -> None:
    hold(ada, service.storage_tokens[desk.space]["service"], desk.space)
    name = desk.put("linked-{}")
    for person in (owner, owner, ada):
        desk.linked(person, name, "a.txt")
    assert re.search(r'data-label="Links">\s*(<a\s[^>]*>)?1<', as_ada.get(desk.address("index"), {"q": name}).text)
    assert re.search(r">\s*1 active\s+share link<", as_ada.get(desk.address("usage", name)).text)


def test_a_bucket_that_is_being_counted_says_so(as_keeper: PageClient, desk: Desk, owner: Person) -> None:
    name = desk.put("counting-{}")
    job = begin(Workspace(owner), desk.space, name).job
    Job.objects.filter(pk=job.pk).update(done=1234)
    shown = as_keeper.get(desk.address("index"), {"q": name, "sort": "-size"}).text
    assert "Counting" in shown
    assert "1,234 so far" in shown
    assert "Not counted" not in shown
    assert f'aria-label="Count {name}"' not in shown
    assert "No results yet" in as_keeper.get(reverse("search:index", args=[desk.space, name])).text
