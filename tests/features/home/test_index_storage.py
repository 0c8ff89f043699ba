"""The view of storages: the same list with their columns."""

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone
from pytest_django.fixtures import Settings

from dashboard.catalog.models import Catalog
from dashboard.team.models import Person
from dashboard.tokens.models import Kind, StoredToken
from tests.features.home.desk import HERE, LIST, WAITING
from tests.features.service import Calls
from tests.pages import PageClient

STORAGE = f"{HERE}?view=storage"
OTHER, REMOVED, UNLISTED = "vcyhgqxtmdzlopkenrbw", "dgskpyubwtvoqzlmhrfn", "abcdefghijklmnopqrst"


def row(page: str, place: str) -> str:
    return page.partition(f'({place})"')[2].partition("</tr>")[0]


def test_projects_without_a_token_offer_to_add_one(as_keeper: PageClient, ref: str) -> None:
    page = as_keeper.part(STORAGE, WAITING).text
    assert f'href="{reverse("buckets:index", args=[ref])}"' in page
    assert "Stored" in row(page, ref)
    missing = f"{reverse('account:token_new')}?kind=storage&amp;space={OTHER}"
    assert f'href="{missing}"' in row(page, OTHER)
    assert "Add token" not in row(page, REMOVED), "a removed project has no storage"
    assert 'class="fact fact--hostname' not in page


def test_snapshots_have_a_column_only_where_there_is_a_store(as_keeper: PageClient, settings: Settings) -> None:
    assert "Last snapshot" in as_keeper.part(STORAGE, WAITING).text
    settings.SNAPSHOT_URL = "none"
    assert "Last snapshot" not in as_keeper.part(STORAGE, WAITING).text


def test_a_row_asks_for_buckets_alone(as_keeper: PageClient, ref: str, calls: Calls) -> None:
    as_keeper.part(STORAGE, WAITING)
    calls()
    again = as_keeper.part(f"{reverse('home:row', args=[ref])}?view=storage", "").text
    assert calls() == [f"GET /{ref}/storage/v1/bucket/"]
    assert re.search(r'class="fact__text[^>]*>\d', again.partition('class="fact fact--storage')[2])
    assert "view=storage" in again.partition('hx-get="')[2].partition('"')[0]


def test_sums_are_those_of_the_counted_buckets(as_keeper: PageClient, owner: Person, ref: str) -> None:
    assert "Not counted" in row(as_keeper.part(STORAGE, WAITING).text, ref)
    token = StoredToken.objects.get(person=owner, kind=Kind.STORAGE, space=ref).fingerprint
    now = timezone.now()
    for bucket, count, size in (("a", 2, 1_000), ("b", 3, 2_000)):
        Catalog.objects.create(space=ref, bucket=bucket, token=token, as_of=now, count=count, bytes=size, newest=now)
    found = row(as_keeper.get(STORAGE).text, ref)
    assert 'title="5 objects in 2 counted buckets.">3.0 KB<' in found
    assert "just now" in found


def test_sums_are_asked_of_the_database_once(as_keeper: PageClient) -> None:
    as_keeper.part(STORAGE, WAITING)
    with CaptureQueriesContext(connection) as captured:
        as_keeper.get(STORAGE)
    assert sum("catalog_catalog" in one["sql"] for one in captured.captured_queries) == 1


def test_a_token_for_a_project_that_is_not_listed_has_a_row_here_alone(as_keeper: PageClient, ref: str) -> None:
    StoredToken.objects.filter(space=ref).update(space=UNLISTED)
    assert UNLISTED not in as_keeper.part(HERE, WAITING).text
    page = as_keeper.get(STORAGE).text
    assert f'href="{reverse("buckets:index", args=[UNLISTED])}"' in page
    assert reverse("projects:label", args=[UNLISTED]) not in page


def test_a_filter_and_an_order_stay_in_the_view(as_keeper: PageClient) -> None:
    as_keeper.part(STORAGE, WAITING)
    page = as_keeper.part(f"{STORAGE}&q=PORTFOLIO", LIST).text
    assert ">portfolio</a>" in page
    assert ">parcel-tracking</a>" not in page
    assert f'href="{HERE}?view=storage&amp;q=PORTFOLIO&amp;sort=bytes"' in page
    nothing = as_keeper.get(f"{STORAGE}&q=nothing-like-it").text
    assert f'href="{STORAGE}">Show all projects' in nothing
    assert '<input type="hidden" name="view" value="storage">' in nothing


def test_storage_tokens_are_enough_where_management_is_not_stored(as_keeper: PageClient, owner: Person, ref: str) -> None:
    StoredToken.objects.filter(person=owner, kind=Kind.MANAGEMENT).delete()
    page = as_keeper.get(HERE).text
    assert "Add your management token" in page
    assert f'href="{reverse("buckets:index", args=[ref])}"' in page
    assert as_keeper.part(reverse("home:row", args=[ref]), "").status_code == 200


@pytest.mark.parametrize("storage", ["", "https://storage.example"])
def test_without_a_storage_for_each_project_there_is_no_such_view(
    as_keeper: PageClient, settings: Settings, storage: str
) -> None:
    settings.STORAGE_URL = settings.STORAGE_PUBLIC_URL = storage
    assert "fact--hostname" in as_keeper.part(STORAGE, WAITING).text
    page = as_keeper.get(STORAGE).text
    assert f'<a class="local__link" href="{STORAGE}"' not in page
    assert f'<a class="local__link" href="{HERE}?view=network"' in page


def test_rows_that_belong_to_no_organization_come_last(as_keeper: PageClient, ref: str) -> None:
    StoredToken.objects.filter(space=ref).update(space=UNLISTED)
    page = as_keeper.get(f"{STORAGE}&group=organization&list=now").text
    assert page.index("Studio Marlowe</th>") < page.index("Without an organization</th>") < page.index(f'({UNLISTED})"')


def test_a_row_without_script_leads_to_the_page_of_its_view(as_keeper: PageClient, ref: str) -> None:
    for query, name in (("", "projects:show"), ("?view=storage", "buckets:index")):
        assert as_keeper.get(reverse("home:row", args=[ref]) + query)["Location"] == reverse(name, args=[ref])


def test_the_palette_leads_to_the_view(as_keeper: PageClient) -> None:
    assert f'href="{STORAGE}"' in as_keeper.get(reverse("palette:index"), {"q": "storage of all"}).text


def test_the_address_of_the_former_list_of_storages_leads_here(as_keeper: PageClient) -> None:
    answer = as_keeper.get("/storage/?q=depot")
    assert (answer.status_code, answer["Location"]) == (302, f"{HERE}?q=depot&view=storage")
    assert as_keeper.post("/storage/").status_code == 405
