"""Waiting for a new project."""

import pytest
from django.urls import reverse

from dashboard.features.projects.services.create import pause_after, startup_of
from dashboard.journal.models import Entry
from dashboard.team.models import Person
from tests.conftest import Sandbox
from tests.features.projects.desk import Creation
from tests.features.projects.test_rows import project
from tests.features.service import Calls, Faults
from tests.pages import PageClient

TARGET = "project-arrival"
HEALTHY = "ktmvqhzwrbnxpgaydcle"
COMING_UP = "aojxnkwqhevtdzprmlcs"


def here(ref: str) -> str:
    return reverse("projects:arrival", args=[ref])


def test_it_asks_for_itself_until_the_project_is_healthy(creation: Creation, faults: Faults, calls: Calls) -> None:
    faults("M2", stay=True)
    page = creation.ask().send()["Location"]
    calls()
    text = " ".join(creation.client.get(page).text.split())
    assert calls() == ["GET /v1/projects"]
    assert creation.name in text
    assert "COMING_UP" in text or "Coming up" in text
    assert f'hx-get="{page}?look=1" hx-trigger="every 5s"' in text
    part = creation.client.part(f"{page}?look=1", TARGET).text
    assert part.lstrip().startswith(f'<div class="arrival" id="{TARGET}" hx-get="{page}?look=2"')


def test_a_healthy_one_is_final_and_leads_on(as_keeper: PageClient) -> None:
    part = as_keeper.part(here(HEALTHY), TARGET).text
    assert "The project is ready." in part
    assert "hx-trigger" not in part
    assert reverse("projects:show", args=[HEALTHY]) in part


def test_it_offers_to_store_the_key_that_is_missing(as_owner: PageClient, management_token: object) -> None:
    assert f"?kind=storage&amp;space={HEALTHY}" in as_owner.part(here(HEALTHY), TARGET).text


def test_it_asks_ever_more_slowly_and_then_no_more(as_keeper: PageClient) -> None:
    assert [pause_after(look) for look in (0, 11, 12, 31, 32, 9_999)] == [5, 5, 15, 15, 0, 0]
    text = as_keeper.part(f"{here(COMING_UP)}?look=32", TARGET).text
    assert "hx-trigger" not in text
    assert "No longer checking automatically" in text
    assert "Check now" in text


def test_a_state_that_nobody_knows_is_shown_as_it_is_and_waited_for() -> None:
    arrival = startup_of("a" * 20, project(status="HATCHING"), check=0)
    assert (arrival.word, arrival.tone, arrival.is_final, arrival.pause) == ("HATCHING", "neutral", False, 5)


@pytest.mark.parametrize("state", ["INIT_FAILED", "REMOVED", "INACTIVE"])
def test_a_state_that_does_not_end_is_not_waited_for(state: str) -> None:
    arrival = startup_of("a" * 20, project(status=state), check=0)
    assert (arrival.is_final, arrival.is_healthy, arrival.pause) == (True, False, 0)


def test_of_an_older_service_a_database_is_what_says_that_it_is_there() -> None:
    database = {"host": "db.x", "version": "15.1.0.33"}
    assert startup_of("a" * 20, project(database=database), check=0).is_healthy
    assert startup_of("a" * 20, project(), check=0).word == "Coming up"


@pytest.mark.parametrize("fault", [{"status": 500}, {"status": 429}, {"html": True}, {"cut": "before"}])
def test_a_service_that_fails_meanwhile_is_asked_again(
    as_keeper: PageClient, faults: Faults, owner: Person, fault: dict[str, object]
) -> None:
    Entry.objects.create(person=owner, operation="M2", after={"ref": COMING_UP})
    faults("M1", **fault)
    answer = as_keeper.part(here(COMING_UP), TARGET)
    assert answer.status_code == 200
    assert "Unreachable" in answer.text
    assert f'hx-trigger="every {30 if fault.get("status") == 429 else 5}s"' in answer.text


def test_one_that_the_list_does_not_show_yet_is_waited_for_by_who_created_it(
    as_keeper: PageClient, owner: Person, ada: Person
) -> None:
    unlisted = "zzzzzzzzzzzzzzzzzzzz"
    assert as_keeper.get(here(unlisted)).status_code == 404
    Entry.objects.create(person=ada, operation="M2", after={"ref": unlisted})
    assert as_keeper.get(here(unlisted)).status_code == 404
    Entry.objects.create(person=owner, operation="M2", after={"ref": unlisted})
    answer = as_keeper.get(here(unlisted))
    assert answer.status_code == 200
    assert "Not listed yet" in answer.text


def test_the_overview_of_a_project_that_is_coming_up_has_the_line_too(as_keeper: PageClient) -> None:
    text = as_keeper.get(reverse("projects:show", args=[COMING_UP])).text
    assert f'hx-get="{here(COMING_UP)}?look=1"' in text
    assert TARGET not in as_keeper.get(reverse("projects:show", args=[HEALTHY])).text


def test_it_takes_no_post(as_keeper: PageClient) -> None:
    assert as_keeper.post(here(HEALTHY)).status_code == 405


def test_nonsense_in_the_address_counts_as_the_start(as_keeper: PageClient, service: Sandbox) -> None:
    assert as_keeper.get(here(COMING_UP), {"look": "-7"}).status_code == 200
    assert as_keeper.get(here(COMING_UP), {"look": "٣"}).status_code == 200
