"""Where storage begins: one address for each project, or a single one."""

import time

from django.urls import reverse
from pytest_django.fixtures import Settings

from dashboard.team.models import Person
from dashboard.tokens.models import Kind, StoredToken
from tests.conftest import Sandbox
from tests.features.service import Calls, Faults
from tests.pages import PageClient

HERE = reverse("buckets:spaces")


def test_it_lists_projects_and_says_where_a_key_is_stored(as_keeper: PageClient, ref: str, calls: Calls) -> None:
    answer = as_keeper.get(HERE)
    assert answer.status_code == 200
    assert calls() == ["GET /v1/projects"]
    assert "parcel-tracking" in answer.text
    assert reverse("buckets:index", args=[ref]) in answer.text
    assert "None" in answer.text
    assert "kind=storage&amp;space=ktmvqhzwrbnxpgaydcle" in answer.text


def test_it_finds_by_name(as_keeper: PageClient) -> None:
    answer = as_keeper.part(HERE, "space-list", q="PORTFOLIO")
    assert answer.text.lstrip().startswith("<section")
    assert "portfolio" in answer.text
    assert "parcel-tracking" not in answer.text
    assert "No matching projects" in as_keeper.get(HERE, {"q": "§"}).text


def test_a_single_space_is_gone_to_at_once(as_owner: PageClient, service: Sandbox, settings: Settings) -> None:
    settings.STORAGE_URL = settings.STORAGE_PUBLIC_URL = service.storage("ktmvqhzwrbnxpgaydcle")
    answer = as_owner.get(HERE)
    assert (answer.status_code, answer["Location"]) == (302, reverse("buckets:index", args=["shared"]))


def test_keys_are_enough_where_management_is_not_stored(as_keeper: PageClient, owner: Person, ref: str) -> None:
    StoredToken.objects.filter(person=owner, kind=Kind.MANAGEMENT).delete()
    answer = as_keeper.get(HERE)
    assert (answer.status_code, answer["Location"]) == (302, reverse("buckets:index", args=[ref]))


def test_nothing_at_all_leads_to_the_token_desk(as_ada: PageClient, service: Sandbox) -> None:
    answer = as_ada.get(HERE)
    assert "No project with storage" in answer.text
    assert reverse("account:tokens") in answer.text


def test_without_storage_there_is_no_such_page(as_keeper: PageClient, settings: Settings) -> None:
    settings.STORAGE_URL = settings.STORAGE_PUBLIC_URL = ""
    assert as_keeper.get(HERE).status_code == 404


def test_it_takes_no_post(as_keeper: PageClient) -> None:
    assert as_keeper.post(HERE).status_code == 405


def test_the_frame_does_not_wait_for_a_service_that_takes_its_time(as_keeper: PageClient, ref: str, faults: Faults) -> None:
    faults("M1", delay=9, times=2)
    started = time.monotonic()
    answer = as_keeper.get(HERE)
    assert time.monotonic() - started < 7
    assert answer.status_code == 200
    assert 'hx-trigger="load"' in answer.text
    assert reverse("buckets:index", args=[ref]) in answer.text
    assert f'href="{HERE}?wait=1"' in answer.text
    assert "parcel-tracking" in as_keeper.part(HERE, "space-list").text


def test_without_script_somebody_may_wait(as_keeper: PageClient, faults: Faults) -> None:
    faults("M1", delay=2, times=1)
    assert "parcel-tracking" in as_keeper.get(HERE, {"wait": "1"}).text


def test_what_the_single_storage_is_called_is_no_space_of_many(as_keeper: PageClient) -> None:
    assert as_keeper.get(reverse("buckets:index", args=["shared"])).status_code == 404
