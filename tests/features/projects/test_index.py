"""The list of projects over all organizations."""

import re
import time

import pytest
from django.urls import reverse

from tests.conftest import Sandbox
from tests.features.service import Calls, Faults
from tests.pages import PageClient

HERE = reverse("projects:index")


def names(html: str) -> list[str]:
    return re.findall(r'class="entry__link" href="/projects/[a-z]+/" title="[^"]*">([^<]+)<', html)


def test_it_lists_projects_of_all_organizations_by_name(as_keeper: PageClient) -> None:
    answer = as_keeper.get(HERE)
    assert answer.status_code == 200
    found = names(answer.text)
    assert {"parcel-tracking", "portfolio"} <= set(found)
    assert found == sorted(found)
    assert "Nordlicht Logistik" in answer.text
    assert "Studio Marlowe" in answer.text


def test_it_asks_the_service_two_things(as_keeper: PageClient, calls: Calls) -> None:
    as_keeper.get(HERE)
    assert sorted(calls()) == ["GET /v1/organizations", "GET /v1/projects"]


def test_it_invites_to_store_a_token(as_ada: PageClient, service: Sandbox) -> None:
    answer = as_ada.get(HERE)
    assert answer.status_code == 200
    assert "No management token yet" in answer.text
    assert reverse("account:token_new") in answer.text


def test_it_takes_no_post(as_keeper: PageClient) -> None:
    assert as_keeper.post(HERE).status_code == 405


@pytest.mark.parametrize("wanted", ["PARCEL", "ktmvqhzwrbnxpgaydcle"])
def test_it_finds_by_name_and_by_ref(as_keeper: PageClient, wanted: str) -> None:
    answer = as_keeper.get(HERE, {"q": wanted})
    assert "parcel-tracking" in names(answer.text)
    assert "portfolio" not in names(answer.text)


def test_it_keeps_to_one_organization(as_keeper: PageClient) -> None:
    answer = as_keeper.get(HERE, {"organization": "studio-marlowe-k2vq8d"})
    assert "portfolio" in names(answer.text)
    assert "parcel-tracking" not in names(answer.text)


@pytest.mark.parametrize("column", ["name", "organization", "region", "created"])
def test_it_sorts_both_ways(as_keeper: PageClient, column: str) -> None:
    up = names(as_keeper.get(HERE, {"sort": column}).text)
    down = names(as_keeper.get(HERE, {"sort": f"-{column}"}).text)
    assert up != down
    assert sorted(up) == sorted(down)


def test_an_order_that_makes_no_sense_is_the_usual_one(as_keeper: PageClient) -> None:
    odd, usual = as_keeper.get(HERE, {"sort": "-colour"}).text, as_keeper.get(HERE).text
    assert names(odd) == names(usual)
    assert odd.count('aria-sort="ascending"') == usual.count('aria-sort="ascending"') == 1


def test_a_header_leads_to_an_address_that_says_the_order_once(as_keeper: PageClient) -> None:
    odd = as_keeper.get(HERE, {"sort": "name", "order": "desc"}).text
    assert f'class="sort" href="{HERE}?sort=name"' in odd
    assert "order=" not in odd.partition("<thead>")[2].partition("</thead>")[0]


def test_it_says_when_nothing_matches_and_leads_back(as_keeper: PageClient) -> None:
    answer = as_keeper.get(HERE, {"q": "no project is called this"})
    assert "No project matches" in answer.text
    assert "Show all projects" in answer.text


def test_htmx_gets_the_list_alone(as_keeper: PageClient) -> None:
    answer = as_keeper.part(HERE, "project-list", q="parcel", sort="-name")
    assert answer.text.lstrip().startswith("<section")
    assert names(answer.text) == ["parcel-tracking-staging", "parcel-tracking"]
    assert f'hx-get="{HERE}?q=parcel&amp;sort=-name"' in answer.text


def test_it_shows_our_word_and_the_raw_value_of_a_state(as_keeper: PageClient) -> None:
    answer = as_keeper.get(HERE)
    assert "Unhealthy" in answer.text
    assert "ACTIVE_UNHEALTHY" in answer.text


def test_organizations_that_fail_do_not_take_the_page_down(as_keeper: PageClient, faults: Faults) -> None:
    faults("M3", status=500)
    answer = as_keeper.get(HERE)
    assert answer.status_code == 200
    assert "parcel-tracking" in names(answer.text)
    assert "The organizations could not be listed" in answer.text
    assert "quiet-harbour-heron" in answer.text


def test_a_refused_token_leads_to_the_token_desk(as_keeper: PageClient, faults: Faults) -> None:
    faults("*", status=401)
    answer = as_keeper.get(HERE)
    assert answer.status_code == 200
    assert reverse("account:tokens") in answer.text


def test_it_leads_to_what_goes_over_all_projects(as_keeper: PageClient) -> None:
    page = as_keeper.get(reverse("projects:index")).text
    for name in ("hostnames:index", "network:find", "organizations:index"):
        assert f'href="{reverse(name)}"' in page


def test_the_frame_does_not_wait_for_a_service_that_takes_its_time(as_keeper: PageClient, faults: Faults) -> None:
    faults("M1", delay=9, times=2)
    started = time.monotonic()
    answer = as_keeper.get(HERE, {"q": "parcel"})
    assert time.monotonic() - started < 7
    assert 'id="project-list"' in answer.text
    assert f'href="{HERE}?q=parcel&amp;wait=1"' in answer.text
    assert names(as_keeper.part(HERE, "project-list", q="parcel").text) == ["parcel-tracking", "parcel-tracking-staging"]


def test_without_script_somebody_may_wait(as_keeper: PageClient, faults: Faults) -> None:
    faults("M3", delay=2, times=1)
    assert "parcel-tracking" in names(as_keeper.get(HERE, {"wait": "1"}).text)
