"""What Home says of each project: small cells, the next step, what needs attention by kind."""

import re
from html import unescape

import pytest
from django.urls import reverse

from dashboard.facts.models import KeptFact
from dashboard.labels.models import Label
from dashboard.team.models import Person
from tests.conftest import Sandbox
from tests.features.home.desk import ATTENTION, HERE, REF, WAITING, cell, chips, names_in, row_of
from tests.features.service import Calls
from tests.pages import PageClient
from tests.people import hold


def test_rows_that_need_something_come_first_and_say_what_with_the_next_step(known: PageClient) -> None:
    page = known.get(HERE).text
    assert names_in(page)[:2] == ["depot-signage", "parcel-tracking"]
    first, second = page.split('class="overview__next"')[1:3]
    assert "Custom hostname does not CNAME to this zone" in first
    assert "Fix hostname of depot-signage" in first
    assert 'title="State: Unhealthy">1 more</a>' in first
    assert "1 function is throttled" in second
    assert "Open functions of parcel-tracking" in second


def test_what_needs_attention_is_counted_by_kind_and_each_kind_filters_the_list(known: PageClient) -> None:
    found = chips(known.part(HERE, ATTENTION).text)
    assert found == [
        (f"{HERE}?problem=hostname-stuck", "1 hostname stuck"),
        (f"{HERE}?problem=active_unhealthy", "1 unhealthy"),
        (f"{HERE}?problem=functions-throttled", "1 with throttled functions"),
    ]
    filtered = known.get(f"{HERE}?problem=active_unhealthy").text
    assert names_in(filtered) == ["depot-signage"]
    assert "State: Unhealthy" in filtered.partition('class="overview__next"')[2].partition("1 more")[0], (
        "what was asked for first"
    )
    assert (HERE, "1 unhealthy") in chips(filtered), "the same chip shows all again"
    assert '<input type="hidden" name="problem" value="active_unhealthy" form="home-filter">' in filtered


def test_several_projects_with_the_same_problem_are_one_chip(known: PageClient) -> None:
    KeptFact.objects.filter(key="hostname").update(
        value={"status": "2_initiated", "hostname": "a.b", "trouble": "x", "setup": ""}
    )
    assert (f"{HERE}?problem=hostname-stuck", "2 hostnames stuck") in chips(known.get(HERE).text)


@pytest.mark.parametrize("view", ["", "view=storage&"])
def test_projects_whose_storage_token_was_skipped_are_named_in_both_views(
    as_keeper: PageClient, owner: Person, service: Sandbox, view: str
) -> None:
    hold(owner, service.storage_tokens[REF]["service"], REF)
    page = as_keeper.part(f"{HERE}?{view}", WAITING).text
    assert (f"{HERE}?{view}problem=token-missing", "5 without a storage token") in chips(page)
    lacking = as_keeper.get(f"{HERE}?{view}problem=token-missing").text
    assert names_in(lacking) == ["client-uploads", "depot-signage", "marlowe-lab", "parcel-tracking-staging", "portfolio"]
    assert "paused" not in lacking, "nor one that is coming up: its storage doesn't answer yet"
    assert view or "<span" not in cell(lacking, "storage").partition("Buckets: No token</span>")[2], "a small cell stays small"
    first = lacking.partition('class="overview__next"')[2].partition("</tr>")[0]
    assert "No storage token" in first
    assert f"{reverse('account:token_new')}?kind=storage&amp;space=" in first


def test_who_holds_all_tokens_lacks_none(known: PageClient) -> None:
    assert "without a storage token" not in known.get(HERE).text


def test_an_unreachable_project_is_named_as_such(known: PageClient) -> None:
    assert "unreachable" not in known.get(HERE).text
    KeptFact.objects.filter(place=REF, key="bans").update(unanswered=1, failure="No answer.", value=None, read_at=None)
    page = known.get(HERE).text
    assert (f"{HERE}?problem=unreachable", "1 unreachable") in chips(page)
    assert names_in(known.get(f"{HERE}?problem=unreachable").text) == ["parcel-tracking"]
    assert "Bans: Unavailable" in cell(page.partition(">parcel-tracking</a>")[2], "bans")


def test_nothing_to_do_is_not_mentioned(as_keeper: PageClient) -> None:
    page = as_keeper.get(HERE).text
    assert "Get started" not in page
    assert chips(page) == []


def test_unknown_none_zero_and_no_answer_look_different(as_keeper: PageClient) -> None:
    listed = as_keeper.part(HERE, WAITING).text
    assert "Hostname: Loading" in cell(listed, "hostname")
    row = as_keeper.part(row_of(listed, "client-uploads"), "").text
    assert '<span aria-hidden="true">None</span>' in cell(row, "hostname")
    assert '<span aria-hidden="true">0</span>' in cell(row, "links")
    assert "Buckets: No token" in cell(row, "storage")
    paused = as_keeper.part(row_of(listed, "route-planner-2022"), "").text
    assert "Bans: Unavailable" in cell(paused, "bans")
    assert "The project is paused." in paused.partition('class="overview__next"')[2]
    starting = as_keeper.part(row_of(listed, "newsletter-archive"), "").text
    assert "The project is coming up." in starting.partition('class="overview__next"')[2]
    assert "—" not in listed + row + paused


def test_each_cell_leads_to_what_it_is_about_and_says_its_age(known: PageClient) -> None:
    row = known.get(HERE).text.partition(">parcel-tracking</a>")[2].partition("</tr>")[0]
    pages = ("hostname:index", "network:restrictions", "network:bans", "functions:index", "buckets:index")
    for key, name in zip(("hostname", "access", "bans", "functions", "storage"), pages, strict=True):
        assert f'href="{reverse(name, args=[REF])}"' in cell(row, key)
    assert f'href="{reverse("sharing:ledger")}?q={REF}"' in cell(row, "links")
    assert re.search(r'title="Functions: 3 · 1 unprotected\..* Checked just now\."', cell(row, "functions"))


def test_while_rows_are_read_the_page_can_say_how_many_are_checked(as_keeper: PageClient) -> None:
    listed = as_keeper.part(HERE, WAITING).text
    assert f'data-checked="{len(names_in(listed))}"' in listed
    for address in re.findall(r'data-turn="\d+"\s+hx-get="([^"]+)"', listed):
        as_keeper.part(unescape(address), "")
    assert "data-checked" not in as_keeper.get(HERE).text


def test_a_row_announces_that_what_needs_attention_changed(as_keeper: PageClient) -> None:
    listed = as_keeper.part(HERE, WAITING).text
    changed = as_keeper.part(row_of(listed, "depot-signage"), "")
    assert "attention:changed" in changed["HX-Trigger"]
    same = as_keeper.part(row_of(listed, "client-uploads"), "")
    assert "HX-Trigger" not in same


def test_an_open_production_database_needs_attention(known: PageClient, owner: Person) -> None:
    fact = KeptFact.objects.get(key="access", value__open=True)
    ref, fact.value = fact.place, {"open": True, "ranges": 2, "stuck": False, "allowed": True}
    fact.save()
    assert "open to everybody" not in known.get(HERE).text
    Label.objects.create(ref=ref, production=True, changed_by=owner)
    page = known.get(f"{HERE}?problem=restrictions-open").text
    assert "The production database is open to everybody" in page
    assert reverse("network:restrictions", args=[ref]) in page.partition('class="overview__next"')[2]
    assert (HERE, "1 open to all in production") in chips(page)


def test_functions_that_were_removed_are_counted_apart(as_keeper: PageClient) -> None:
    address = row_of(as_keeper.part(HERE, WAITING).text, "parcel-tracking")
    shown = cell(as_keeper.part(address, "").text, "functions")
    assert "1 more is removed." in shown


def test_of_a_removed_project_nothing_is_read_or_called_unavailable(as_keeper: PageClient, calls: Calls) -> None:
    name = "summer-campaign-2024"
    row = as_keeper.part(HERE, WAITING).text.partition(f">{name}</a>")[2].partition("</tr>")[0]
    assert "Removed" in row
    calls()
    again = as_keeper.part(reverse("home:row", args=["dgskpyubwtvoqzlmhrfn"]), "").text
    assert calls() == []
    for text in (row, again):
        assert "Unavailable" not in text
    assert "data-turn" not in again
    assert "data-later" not in again


def test_the_raw_value_of_a_state_is_shown_on_hover(known: PageClient) -> None:
    assert re.search(r'title="ACTIVE_UNHEALTHY">Unhealthy<', known.get(HERE).text)
