"""The start page: first steps, the fleet, what needs attention."""

import re
from datetime import UTC, datetime, timedelta
from html import unescape

import pytest
from django.urls import reverse
from django.utils import timezone
from pytest_django.fixtures import Settings

from dashboard.facts.models import KeptFact
from dashboard.labels.models import Label
from dashboard.team.models import Person
from dashboard.tokens.credentials import store
from dashboard.tokens.models import Kind, StoredToken
from tests.conftest import Sandbox
from tests.features.service import Calls, Faults
from tests.pages import PageClient, htmx

HERE = reverse("home:index")
FLEET, LIST, ATTENTION = "home-fleet", "home-list", "home-attention"
REF = "ktmvqhzwrbnxpgaydcle"


@pytest.fixture(autouse=True)
def whole(monkeypatch: pytest.MonkeyPatch) -> None:
    """Other tests may have created more projects than the first answer shows."""
    monkeypatch.setattr("dashboard.features.home.views.FIRST_ROWS", 200)


@pytest.fixture
def known(as_keeper: PageClient) -> PageClient:
    """Somebody who opened the page before: the projects are known, of some of them all facts."""
    listed = as_keeper.part(HERE, FLEET).text
    for name in ("parcel-tracking", "depot-signage"):
        as_keeper.part(_row_of(listed, name), "")
    return as_keeper


def _row_of(html: str, name: str) -> str:
    before = html.partition(f">{name}</a>")[0]
    return before.rpartition('hx-get="')[2].partition('"')[0]


def _names(html: str) -> list[str]:
    return [one.partition("</a>")[0].rpartition(">")[2] for one in html.split('class="overview__cut"')[1:]]


def test_it_never_waits_for_a_service(as_keeper: PageClient, known: PageClient, calls: Calls) -> None:
    answer = as_keeper.get(HERE)
    assert "parcel-tracking" in answer.text
    assert calls() == []


def test_projects_arrive_with_two_calls_and_without_script_by_a_link(as_keeper: PageClient, calls: Calls) -> None:
    page = as_keeper.get(HERE).text
    assert 'hx-trigger="load"' in page
    assert f'href="{HERE}?list=now"' in page
    assert "parcel-tracking" in as_keeper.part(HERE, FLEET).text
    assert sorted(calls()) == ["GET /v1/organizations", "GET /v1/projects"]
    assert "parcel-tracking" in as_keeper.get(f"{HERE}?list=now").text


def test_a_row_reads_what_is_due_and_then_rests(as_keeper: PageClient, calls: Calls) -> None:
    address = _row_of(as_keeper.part(HERE, FLEET).text, "parcel-tracking")
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


def test_functions_that_were_removed_are_counted_apart(as_keeper: PageClient) -> None:
    address = _row_of(as_keeper.part(HERE, FLEET).text, "parcel-tracking")
    shown = as_keeper.part(address, "").text.partition('class="fact fact--functions fact--attention"')[2].partition(">")[0]
    assert "1 more is removed." in shown


def test_of_a_removed_project_nothing_is_read_or_called_unavailable(as_keeper: PageClient, calls: Calls) -> None:
    name = "summer-campaign-2024"
    row = as_keeper.part(HERE, FLEET).text.partition(f">{name}</a>")[2].partition("</tr>")[0]
    assert "Removed" in row
    calls()
    again = as_keeper.part(reverse("home:row", args=["dgskpyubwtvoqzlmhrfn"]), "").text
    assert calls() == []
    for text in (row, again):
        assert "Unavailable" not in text
    assert "data-turn" not in again
    assert "data-later" not in again


def test_rows_are_not_refreshed_until_the_list_of_projects_is_up_to_date(as_keeper: PageClient) -> None:
    assert "data-turn" in as_keeper.part(HERE, FLEET).text
    assert "data-turn" in as_keeper.get(HERE).text
    from dashboard.tokens.models import LastKnown

    LastKnown.objects.update(read_at=timezone.now() - timedelta(minutes=2))
    page = as_keeper.get(HERE).text
    assert "parcel-tracking" in page
    assert "data-turn" not in page


def test_a_row_of_a_project_that_the_token_does_not_list_is_not_found(as_keeper: PageClient, known: PageClient) -> None:
    assert as_keeper.part(reverse("home:row", args=["zzzzzzzzzzzzzzzzzzzz"]), "").status_code == 404


def test_what_needs_attention_comes_first_with_its_next_step(known: PageClient) -> None:
    page = known.part(HERE, ATTENTION).text
    assert "custom hostname does not CNAME to this zone" in page
    assert "Open hostname of depot-signage" in page
    assert page.index("Urgent") < page.index("State: Unhealthy") < page.index("1 function is throttled")


def test_nothing_to_do_is_not_mentioned(as_keeper: PageClient) -> None:
    page = as_keeper.get(HERE).text
    assert "Get started" not in page
    assert 'id="home-attention"' in page
    section = page.partition('id="home-attention"')[2].partition(">")[0]
    assert "hidden" in section.split()


def test_a_row_announces_that_what_needs_attention_changed(as_keeper: PageClient) -> None:
    listed = as_keeper.part(HERE, FLEET).text
    changed = as_keeper.part(_row_of(listed, "depot-signage"), "")
    assert "attention:changed" in changed["HX-Trigger"]
    same = as_keeper.part(_row_of(listed, "client-uploads"), "")
    assert "HX-Trigger" not in same


def test_an_open_production_database_needs_attention(known: PageClient, owner: Person) -> None:
    fact = KeptFact.objects.get(key="access", value__open=True)
    ref, fact.value = fact.place, {"open": True, "ranges": 2, "stuck": False, "allowed": True}
    fact.save()
    assert "open to everybody" not in known.part(HERE, ATTENTION).text
    Label.objects.create(ref=ref, production=True, changed_by=owner)
    assert "The production database is open to everybody" in known.part(HERE, ATTENTION).text
    assert reverse("network:restrictions", args=[ref]) in known.part(HERE, ATTENTION).text


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("?q=depot", ["depot-signage"]),
        ("?label=is:production", ["parcel-tracking"]),
        ("?label=name:Live", ["parcel-tracking"]),
        ("?state=Unhealthy", ["depot-signage"]),
        ("?problem=hostname", ["depot-signage"]),
        ("?problem=any", ["depot-signage", "parcel-tracking"]),
        ("?problem=any&sort=-name", ["parcel-tracking", "depot-signage"]),
        ("?problem=any&sort=-bans", ["parcel-tracking", "depot-signage"]),
        ("?q=nothing-like-it", []),
    ],
)
def test_every_view_has_an_address(known: PageClient, owner: Person, query: str, names: list[str]) -> None:
    Label.objects.create(ref=REF, name="Live", production=True, changed_by=owner)
    assert _names(known.get(HERE + query).text) == names
    assert _names(known.part(HERE + query, LIST).text) == names


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
    for part in parts[1:]:
        assert _names(part) == sorted(_names(part))
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


def test_the_raw_value_of_a_state_is_shown_on_hover(known: PageClient) -> None:
    assert re.search(r'title="ACTIVE_UNHEALTHY">Unhealthy<', known.get(HERE).text)


def test_organizations_that_fail_leave_the_projects(as_keeper: PageClient, faults: Faults) -> None:
    faults("M3", status=500)
    for answer in (as_keeper.get(f"{HERE}?list=now&group=organization"), as_keeper.part(HERE, FLEET)):
        assert "parcel-tracking" in answer.text
        assert "The organizations could not be listed" in answer.text
        assert "quiet-harbour-heron" in answer.text


def test_it_leads_to_what_goes_over_all_projects(known: PageClient) -> None:
    page = known.get(HERE).text
    for name in ("projects:new", "hostnames:index", "network:find", "organizations:index"):
        assert f'href="{reverse(name)}"' in page


@pytest.mark.parametrize("query", ["", "?q=depot&organization=acme"])
def test_the_address_of_the_former_list_of_projects_leads_here(as_keeper: PageClient, query: str) -> None:
    answer = as_keeper.get(f"/projects/{query}")
    assert (answer.status_code, answer["Location"]) == (302, f"{HERE}{query}")


def test_it_filters_by_organization(known: PageClient) -> None:
    page = known.get(HERE).text
    choices = page.partition('name="organization"')[2].partition("</select>")[0]
    organization = choices.split('value="')[2].partition('"')[0]
    some = _names(known.get(f"{HERE}?organization={organization}").text)
    assert 0 < len(some) < len(_names(page))


def test_sorting_leaves_unknown_values_last(known: PageClient) -> None:
    names = _names(known.get(f"{HERE}?sort=functions").text)
    assert names[:2] == ["depot-signage", "parcel-tracking"]


def test_a_slow_service_leaves_the_last_known_rows_with_their_age(known: PageClient, faults: Faults) -> None:
    faults("*", status=500)
    KeptFact.objects.update(tried_at=timezone.now() - timedelta(hours=2), read_at=timezone.now() - timedelta(hours=2))
    row = known.part(reverse("home:row", args=[REF]), "").text
    assert "3 · 1 unprotected" in row
    assert "Not updated: The management service returned an error (500)." in row
    listed = known.part(HERE, FLEET).text
    assert "The service failed" in listed
    assert "parcel-tracking" in listed
    assert "data-turn" not in listed


def test_a_row_and_the_list_that_could_not_be_read_again_show_their_ages(known: PageClient, faults: Faults) -> None:
    from dashboard.tokens.models import LastKnown

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
    from dashboard.tokens.models import LastKnown

    LastKnown.objects.update(read_at=timezone.now() - timedelta(minutes=2))
    faults("*", status=500)
    assert 'hx-trigger="load"' in known.get(HERE).text
    for again in (known.part(HERE, FLEET).text, known.get(f"{HERE}?list=now").text):
        assert 'hx-trigger="load delay:60s"' in again
        assert 'hx-trigger="load"' not in again


def test_a_missing_token_is_the_first_thing_to_do(as_ada: PageClient, service: Sandbox) -> None:
    answer = as_ada.get(HERE)
    assert "Add your management token" in answer.text
    assert f'href="{reverse("account:setup")}"' in answer.text
    assert FLEET not in answer.text


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
    assert FLEET not in answer.text
    buckets = reverse("buckets:index", args=["shared"])
    assert f'id="bucket-list" hx-get="{buckets}"' in answer.text
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
    assert FLEET not in answer.text


def test_it_takes_no_post(as_keeper: PageClient) -> None:
    assert as_keeper.post(HERE).status_code == 405


def test_rows_beyond_fifty_follow_the_page(as_keeper: PageClient, monkeypatch: pytest.MonkeyPatch) -> None:
    as_keeper.part(HERE, FLEET)
    everything = _names(as_keeper.get(HERE).text)
    monkeypatch.setattr("dashboard.features.home.views.FIRST_ROWS", 2)
    page = as_keeper.get(f"{HERE}?sort=-name").text
    assert _names(page) == everything[::-1][:2]
    address = unescape(page.partition('id="home-more" hx-get="')[2].partition('"')[0])
    rest = as_keeper.part(address, "home-more").text
    assert _names(rest) == everything[::-1][2:]
    assert "home-more" not in rest
    assert _names(as_keeper.get(address).text) == everything[::-1]
