"""The start page: first steps, the fleet, what needs attention."""

import csv
from datetime import UTC, datetime, timedelta
from html import unescape
from io import StringIO
from typing import Any

import pytest
from django.urls import reverse
from django.utils import timezone
from pytest_django.fixtures import Settings

from dashboard.facts.models import KeptFact
from dashboard.labels.models import Label
from dashboard.team.models import Person
from dashboard.tokens.credentials import store
from dashboard.tokens.models import Kind, LastKnown, StoredToken
from tests.conftest import Sandbox
from tests.features.home.desk import HERE, LIST, REF, WAITING, names_in, row_of
from tests.features.service import Calls, Faults
from tests.markup import parse
from tests.pages import PageClient, htmx


def test_it_never_waits_for_a_service(as_keeper: PageClient, known: PageClient, calls: Calls) -> None:
    answer = as_keeper.get(HERE)
    assert "parcel-tracking" in answer.text
    assert calls() == []


def test_projects_arrive_with_two_calls_and_without_script_by_a_link(as_keeper: PageClient, calls: Calls) -> None:
    page = as_keeper.get(HERE).text
    assert 'hx-trigger="load"' in page
    assert f'href="{HERE}?list=now"' in page
    assert "parcel-tracking" in as_keeper.part(HERE, WAITING).text
    assert sorted(calls()) == ["GET /v1/organizations", "GET /v1/projects"]
    assert "parcel-tracking" in as_keeper.get(f"{HERE}?list=now").text


def test_a_row_reads_what_is_due_and_then_rests(as_keeper: PageClient, calls: Calls) -> None:
    address = row_of(as_keeper.part(HERE, WAITING).text, "parcel-tracking")
    calls()
    row = as_keeper.part(address, "").text
    assert len(calls()) == 4
    assert "3 · 1 unprotected" in row
    assert "data-turn" not in row
    seconds = int(row.partition('data-later="')[2].partition('"')[0])
    assert 840 < seconds <= 900, "while the page stays open, it reads them again"
    assert 'data-calls="4"' in row
    listed = as_keeper.get(HERE).text
    assert "3 · 1 unprotected" in listed
    assert calls() == []


def test_rows_are_not_refreshed_until_the_list_of_projects_is_up_to_date(as_keeper: PageClient) -> None:
    assert "data-turn" in as_keeper.part(HERE, WAITING).text
    assert "data-turn" in as_keeper.get(HERE).text
    LastKnown.objects.update(read_at=timezone.now() - timedelta(minutes=2))
    page = as_keeper.get(HERE).text
    assert "parcel-tracking" in page
    assert "data-turn" not in page
    read = as_keeper.get(HERE, headers=htmx(LIST) | {"HX-Trigger": "home-unread"}).text
    assert 'id="home-list"' in read
    assert "data-turn" in read


def test_a_row_that_is_not_listed_any_more_has_the_list_replaced(as_keeper: PageClient, known: PageClient) -> None:
    gone = as_keeper.part(reverse("home:row", args=["zzzzzzzzzzzzzzzzzzzz"]), "")
    assert (gone.status_code, gone["HX-Trigger"]) == (204, '{"projects:changed": {}}')


def test_a_list_that_nothing_is_known_of_any_more_is_read_again(as_keeper: PageClient, known: PageClient) -> None:
    LastKnown.objects.all().delete()
    row = as_keeper.part(reverse("home:row", args=[REF]), "")
    assert (row.status_code, row.get("HX-Trigger")) == (204, None), "or it would be replaced for ever"
    replaced = as_keeper.part(HERE, LIST).text
    assert 'id="home-unread"' in replaced
    assert "No projects yet" not in replaced
    assert "data-turn" in as_keeper.get(HERE, headers=htmx(LIST) | {"HX-Trigger": "home-unread"}).text


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("?q=depot", ["depot-signage"]),
        ("?label=is:production", ["parcel-tracking"]),
        ("?label=name:Live", ["parcel-tracking"]),
        ("?state=Unhealthy", ["depot-signage"]),
        ("?problem=hostname-stuck", ["depot-signage"]),
        ("?problem=any", ["depot-signage", "parcel-tracking"]),
        ("?problem=any&sort=-needs", ["parcel-tracking", "depot-signage"]),
        ("?problem=any&sort=-name", ["parcel-tracking", "depot-signage"]),
        ("?problem=any&sort=-bans", ["parcel-tracking", "depot-signage"]),
        ("?q=nothing-like-it", []),
    ],
)
def test_every_view_has_an_address(known: PageClient, owner: Person, query: str, names: list[str]) -> None:
    Label.objects.create(ref=REF, name="Live", production=True, changed_by=owner)
    assert names_in(known.get(HERE + query).text) == names
    assert names_in(known.part(HERE + query, LIST).text) == names


@pytest.mark.parametrize(
    ("group", "headings"),
    [
        ("organization", ["Nordlicht Logistik", "Studio Marlowe"]),
        ("label", ["Live", "Without a label"]),
        ("region", ["eu-central-1"]),
    ],
)
def test_rows_are_grouped_and_sorted_inside_their_groups(
    known: PageClient, owner: Person, group: str, headings: list[str]
) -> None:
    Label.objects.create(ref=REF, name="Live", changed_by=owner)
    parts = known.get(f"{HERE}?group={group}").text.split('class="overview__group"')
    titles = [part.partition("</th>")[0].rpartition(">")[2] for part in parts[1:]]
    assert [title for title in titles if title in headings] == headings
    assert len(set(titles)) == len(titles)
    for part in known.get(f"{HERE}?group={group}&sort=name").text.split('class="overview__group"')[1:]:
        assert names_in(part) == sorted(names_in(part))
    assert known.get(f"{HERE}?group=colour").text.count("overview__group") == 0


def test_the_newest_month_comes_first(known: PageClient) -> None:
    parts = known.get(f"{HERE}?group=created").text.split('class="overview__group"')[1:]
    titles = [part.partition("</th>")[0].rpartition(">")[2] for part in parts]
    months = [datetime.strptime(title, "%B %Y").replace(tzinfo=UTC) for title in titles]
    assert len(months) > 1
    assert months == sorted(months, reverse=True)


def test_a_row_offers_its_pages_its_ref_and_its_label(known: PageClient) -> None:
    row = known.get(HERE).text.partition(">parcel-tracking</a>")[2].partition("</tr>")[0]
    for name in ("secrets:index", "buckets:index"):
        assert f'href="{reverse(name, args=[REF])}"' in row
    assert f'hx-get="{reverse("projects:label", args=[REF])}?list"' in row
    assert f'data-copy="{REF}"' in row


def test_organizations_that_fail_leave_the_projects(as_keeper: PageClient, faults: Faults) -> None:
    faults("M3", status=500)
    for answer in (as_keeper.get(f"{HERE}?list=now&group=organization"), as_keeper.part(HERE, WAITING)):
        assert "parcel-tracking" in answer.text
        assert "The organizations could not be listed" in answer.text
        assert "quiet-harbour-heron" in answer.text


def test_a_first_list_that_fails_leaves_the_views_and_says_so_once(as_keeper: PageClient, faults: Faults) -> None:
    faults("M1", status=500)
    page = parse(as_keeper.get(HERE).text).root
    [place] = [one for one in page.all("div") if one.get("id") == "home-waiting"]
    assert 'aria-label="Views"' not in place.text
    failed = as_keeper.part(place.get("hx-get"), WAITING)
    assert "HX-Retarget" not in failed
    assert failed.text.count("The management service returned an error") == 1


def test_the_first_rows_bring_the_filter(as_keeper: PageClient) -> None:
    answer = as_keeper.part(HERE, WAITING)
    assert answer["HX-Retarget"] == "#home-fleet"
    assert 'id="home-filter"' in answer.text
    assert 'id="home-waiting"' not in as_keeper.get(HERE).text


def test_it_leads_to_what_goes_over_all_projects(known: PageClient) -> None:
    page = known.get(HERE).text
    for name in ("projects:new", "home:hostnames", "organizations:index"):
        assert f'href="{reverse(name)}"' in page


@pytest.mark.parametrize("query", ["", "?q=depot&organization=acme"])
def test_the_address_of_the_former_list_of_projects_leads_here(as_keeper: PageClient, query: str) -> None:
    answer = as_keeper.get(f"/projects/{query}")
    assert (answer.status_code, answer["Location"]) == (302, f"{HERE}{query}")


def test_it_filters_by_organization(known: PageClient) -> None:
    page = known.get(HERE).text
    choices = page.partition('name="organization"')[2].partition("</select>")[0]
    organization = choices.split('value="')[2].partition('"')[0]
    some = names_in(known.get(f"{HERE}?organization={organization}").text)
    assert 0 < len(some) < len(names_in(page))


def test_it_is_exported_as_it_is_filtered_and_sorted(known: PageClient, owner: Person, calls: Calls) -> None:
    Label.objects.create(ref=REF, name="=1+1", production=True, changed_by=owner)
    page = parse(known.get(f"{HERE}?q=parcel&sort=-name").text).root
    [link] = [one.get("href") for one in page.all("a") if one.text == "Export as CSV"]
    calls()
    answer: Any = known.get(link)
    head, *rows = csv.reader(StringIO(b"".join(answer).decode()))
    staging, tracking = (dict(zip(head, row, strict=True)) for row in rows)
    assert (staging["name"], staging["functions"]) == ("parcel-tracking-staging", ""), "what is unknown is empty"
    assert (tracking["ref"], tracking["label"], tracking["production"]) == (REF, "'=1+1", "yes")
    assert tracking["functions"] == "3 · 1 unprotected"
    assert calls() == []


def test_sorting_leaves_unknown_values_last(known: PageClient) -> None:
    names = names_in(known.get(f"{HERE}?sort=functions").text)
    assert names[:2] == ["depot-signage", "parcel-tracking"]


def test_a_slow_service_leaves_the_last_known_rows_with_their_age(known: PageClient, faults: Faults) -> None:
    faults("*", status=500)
    KeptFact.objects.update(tried_at=timezone.now() - timedelta(hours=2), read_at=timezone.now() - timedelta(hours=2))
    row = known.part(reverse("home:row", args=[REF]), "").text
    assert "3 · 1 unprotected" in row
    assert "Not updated: The management service returned an error (500)." in row
    listed = known.part(HERE, WAITING).text
    assert "The service failed" in listed
    assert "parcel-tracking" in listed
    assert "data-turn" not in listed


def test_a_row_and_the_list_that_could_not_be_read_again_show_their_ages(known: PageClient, faults: Faults) -> None:
    faults("*", status=500)
    KeptFact.objects.update(tried_at=timezone.now() - timedelta(hours=2), read_at=timezone.now() - timedelta(minutes=3))
    for ref in KeptFact.objects.values_list("place", flat=True).distinct():
        row = known.part(reverse("home:row", args=[ref]), "").text
        assert "as of 3 minutes ago" in row
        assert 'data-later="' in row
    LastKnown.objects.update(read_at=timezone.now() - timedelta(minutes=4))
    assert "4 minutes ago" in known.get(HERE).text.partition('class="listing__foot"')[2]


def test_while_the_service_fails_the_list_is_asked_for_once_a_minute(known: PageClient, faults: Faults) -> None:
    """A list that loads itself again at once would never stop."""
    LastKnown.objects.update(read_at=timezone.now() - timedelta(minutes=2))
    faults("*", status=500)
    assert 'hx-trigger="load"' in known.get(HERE).text
    for again in (known.part(HERE, WAITING).text, known.get(f"{HERE}?list=now").text):
        assert 'hx-trigger="load delay:60s"' in again
        assert 'hx-trigger="load"' not in again


def test_a_missing_token_is_the_first_thing_to_do(as_ada: PageClient, service: Sandbox) -> None:
    answer = as_ada.get(HERE)
    assert "Add your management token" in answer.text
    assert f'href="{reverse("account:setup")}"' in answer.text
    assert "home-fleet" not in answer.text


def test_a_refused_token_is_something_to_do(as_keeper: PageClient, owner: Person) -> None:
    StoredToken.objects.filter(person=owner, kind=Kind.MANAGEMENT).update(refused_at=timezone.now(), refusal="Unauthorized")
    answer = as_keeper.get(HERE)
    assert "Replace your management token" in answer.text
    assert "Unauthorized" in answer.text


def test_it_shows_the_own_changes_and_nobody_elses(
    as_owner: PageClient, as_ada: PageClient, owner: Person, service: Sandbox
) -> None:
    store(owner, Kind.MANAGEMENT, "", service.personal_token)
    assert ">Stored</a>" in as_owner.get(HERE).text
    assert ">Stored</a>" not in as_ada.get(HERE).text
    assert "No changes yet" in as_ada.get(HERE).text


def test_one_storage_alone_shows_its_buckets(as_owner: PageClient, owner: Person, service: Sandbox, settings: Settings) -> None:
    settings.MANAGEMENT_URL = ""
    settings.STORAGE_URL = settings.STORAGE_PUBLIC_URL = service.storage(REF)
    assert "Add your storage token" in as_owner.get(HERE).text
    store(owner, Kind.STORAGE, "shared", service.storage_tokens[REF]["service"])
    answer = as_owner.get(HERE)
    assert "home-fleet" not in answer.text
    buckets = reverse("buckets:index", args=["shared"])
    assert f'id="bucket-list" hx-get="{buckets}"' in answer.text
    assert f'hx-get="{reverse("buckets:new", args=["shared"])}"' in answer.text
    assert "public-assets" in as_owner.part(buckets, "bucket-list").text


def test_sorting_the_buckets_of_one_storage_on_home_opens_the_page_of_the_storage(
    as_owner: PageClient, owner: Person, service: Sandbox, settings: Settings
) -> None:
    """Home's address would otherwise become the storage's, which shows another page."""
    settings.MANAGEMENT_URL = ""
    settings.STORAGE_URL = settings.STORAGE_PUBLIC_URL = service.storage(REF)
    store(owner, Kind.STORAGE, "shared", service.storage_tokens[REF]["service"])
    buckets = reverse("buckets:index", args=["shared"])
    on_home = as_owner.get(buckets, headers=htmx("bucket-list", "http://testserver/")).text
    assert f'href="{buckets}?sort=-name"' in on_home
    assert "hx-push-url" not in on_home
    assert "hx-push-url" in as_owner.get(buckets, headers=htmx("bucket-list", f"http://testserver{buckets}?sort=size")).text


def test_management_alone_shows_no_storage(known: PageClient, settings: Settings) -> None:
    settings.STORAGE_URL = settings.STORAGE_PUBLIC_URL = ""
    page = known.get(HERE).text
    assert "fact--storage" not in page
    assert "fact--functions" in page


def test_storage_of_projects_without_management_shows_those_with_a_token(
    as_keeper: PageClient, settings: Settings, ref: str, calls: Calls
) -> None:
    settings.MANAGEMENT_URL = ""
    page = as_keeper.get(HERE).text
    assert reverse("buckets:index", args=[ref]) in page
    assert "fact--functions" not in page
    assert calls() == []
    as_keeper.part(reverse("home:row", args=[ref]), "")
    assert calls() == [f"GET /{ref}/storage/v1/bucket/"]


def test_storage_of_projects_without_management_begins_with_a_key(
    as_owner: PageClient, service: Sandbox, settings: Settings
) -> None:
    settings.MANAGEMENT_URL = ""
    answer = as_owner.get(HERE)
    assert "Add your storage token" in answer.text
    assert f'href="{reverse("account:token_new")}?kind=storage"' in answer.text
    assert "home-fleet" not in answer.text


def test_it_takes_no_post(as_keeper: PageClient) -> None:
    assert as_keeper.post(HERE).status_code == 405


def test_rows_beyond_fifty_follow_the_page(as_keeper: PageClient, monkeypatch: pytest.MonkeyPatch) -> None:
    as_keeper.part(HERE, WAITING)
    everything = names_in(as_keeper.get(f"{HERE}?sort=name").text)
    monkeypatch.setattr("dashboard.features.home.views.home.FIRST_ROWS", 2)
    page = as_keeper.get(f"{HERE}?sort=-name").text
    assert names_in(page) == everything[::-1][:2]
    address = unescape(page.partition('id="home-more" hx-get="')[2].partition('"')[0])
    rest = as_keeper.part(address, "home-more").text
    assert names_in(rest) == everything[::-1][2:]
    assert "home-more" not in rest
    assert names_in(as_keeper.get(address).text) == everything[::-1]
