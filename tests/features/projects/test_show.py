"""The overview of one project."""

from collections.abc import Iterator

import pytest
from django.urls import reverse
from pytest_django.fixtures import Settings

from dashboard.team.models import Person
from tests.conftest import Sandbox, start_sandbox, stop_sandbox
from tests.environment import RUN_DIR
from tests.features.service import Calls
from tests.pages import PageClient
from tests.people import hold

REF = "ktmvqhzwrbnxpgaydcle"
HERE = reverse("projects:show", args=[REF])


def test_it_shows_the_facts_and_the_ways_on(as_keeper: PageClient) -> None:
    answer = as_keeper.get(HERE)
    assert answer.status_code == 200
    for fact in (REF, "Nordlicht Logistik", "Central EU (Frankfurt)", "14 Mar 2023", "17.6.1.084", f"db.{REF}.supabase.co"):
        assert fact in answer.text
    assert reverse("secrets:index", args=[REF]) in answer.text
    assert reverse("buckets:index", args=[REF]) in answer.text


def test_it_asks_the_service_two_things(as_keeper: PageClient, calls: Calls) -> None:
    as_keeper.get(HERE)
    assert sorted(calls()) == ["GET /v1/organizations", "GET /v1/projects"]


def test_it_says_which_tokens_reach_it(as_owner: PageClient, management_token: object) -> None:
    answer = as_owner.get(HERE)
    assert "No storage token" in answer.text
    assert f"?kind=storage&amp;space={REF}" in answer.text


@pytest.fixture(scope="module")
def older() -> Iterator[Sandbox]:
    running = start_sandbox(RUN_DIR / "older-projects", "--generation", "document")
    yield running
    stop_sandbox(running)


def test_a_project_without_a_database_says_so(
    older: Sandbox, service: Sandbox, settings: Settings, owner: Person, as_owner: PageClient
) -> None:
    settings.MANAGEMENT_URL = older.management_url
    hold(owner, older.personal_token)
    answer = as_owner.get(reverse("projects:show", args=["qnlfwrtaxvjbkmcysdge"]))
    assert answer.status_code == 200
    assert "Unknown: starting or paused" in answer.text


@pytest.mark.parametrize("unknown", ["aaaaaaaaaaaaaaaaaaaa", "..x", "A B", "ünknown"])
def test_a_project_that_is_not_there_is_not_found(as_keeper: PageClient, unknown: str) -> None:
    assert as_keeper.get(reverse("projects:show", args=[unknown])).status_code == 404


def test_another_persons_project_is_not_found(as_ada: PageClient, service: Sandbox) -> None:
    answer = as_ada.get(HERE)
    assert "No management token yet" in answer.text
    assert "parcel-tracking" not in answer.text


def test_it_takes_no_post(as_keeper: PageClient) -> None:
    assert as_keeper.post(HERE).status_code == 405
