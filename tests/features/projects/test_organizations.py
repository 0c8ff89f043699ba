"""Organizations: the list with its counts, and a new one."""

import json
import re
from uuid import uuid4

import pytest
from django.urls import reverse

from dashboard.journal.models import Entry, Outcome
from tests.conftest import Sandbox
from tests.features.service import Calls, Faults
from tests.pages import PageClient

HERE, NEW = reverse("organizations:index"), reverse("organizations:new")


def unused() -> str:
    return f"Guild {uuid4().hex[:10]}"


def listed(client: PageClient, name: str) -> int:
    return len(re.findall(rf">{re.escape(name)}</a>", client.get(HERE).text))


def test_it_lists_them_with_the_number_of_projects(as_keeper: PageClient, calls: Calls) -> None:
    text = as_keeper.get(HERE).text
    assert sorted(calls()) == ["GET /v1/organizations", "GET /v1/projects"]
    assert "Nordlicht Logistik" in text
    assert "quiet-harbour-heron" in text
    assert re.search(r'data-label="Projects">[1-9]\d*<', text)
    assert f"{reverse('home:index')}?organization=quiet-harbour-heron" in text
    assert f"{reverse('projects:new')}?organization=quiet-harbour-heron" in text


def test_the_section_of_projects_is_where_one_is(as_keeper: PageClient) -> None:
    assert re.search(r'href="/" aria-current="true"', as_keeper.get(HERE).text)


def test_projects_that_can_not_be_counted_do_not_take_the_page_down(as_keeper: PageClient, faults: Faults) -> None:
    faults("M1", status=500)
    answer = as_keeper.get(HERE)
    assert answer.status_code == 200
    assert "could not be counted" in answer.text
    assert "Unknown" in answer.text


def test_another_person_sees_nothing_of_it(as_ada: PageClient, service: Sandbox) -> None:
    text = as_ada.get(HERE).text
    assert "No management token yet" in text
    assert "Nordlicht" not in text


def test_it_creates_one_and_the_list_refreshes_itself(as_keeper: PageClient, calls: Calls) -> None:
    name = unused()
    answer = as_keeper.send(NEW, name=f"  {name} ")
    assert json.loads(answer["HX-Trigger"]) == {"dialog:close": True, "organizations:changed": True}
    assert calls() == ["GET /v1/organizations", "POST /v1/organizations"]
    assert listed(as_keeper, name) == 1
    entry = Entry.objects.get(operation="M4")
    assert (entry.outcome, entry.target) == (Outcome.DONE, f"organization {name}")


def test_without_script_it_leads_back_to_the_list(as_keeper: PageClient) -> None:
    answer = as_keeper.post(NEW, {"name": unused()})
    assert (answer.status_code, answer["Location"]) == (303, HERE)


def test_a_double_post_makes_one(as_keeper: PageClient) -> None:
    name, key = unused(), uuid4().hex
    for _ in range(2):
        assert as_keeper.post(NEW, {"name": name, "once": key}).status_code == 303
    assert listed(as_keeper, name) == 1


@pytest.mark.parametrize(("name", "sentence"), [("  ", "Enter a name."), ("n" * 257, "at most 256 characters")])
def test_bad_input_is_said_at_the_field(as_keeper: PageClient, name: str, sentence: str) -> None:
    answer = as_keeper.send(NEW, name=name)
    assert answer.status_code == 422
    assert sentence in answer.text


def test_a_name_that_is_there_already_is_asked_about(as_keeper: PageClient) -> None:
    name = unused()
    as_keeper.post(NEW, {"name": name})
    asked = as_keeper.send(NEW, name=name.upper())
    assert asked.status_code == 422
    assert "already" in asked.text
    assert as_keeper.send(NEW, name=name, another="Another").status_code == 422, "ticked for another name"
    assert as_keeper.send(NEW, name=name, another=name).status_code == 200
    assert listed(as_keeper, name) == 2


@pytest.mark.parametrize("status", [400, 403, 429])
def test_a_refusal_stands_on_the_form(as_keeper: PageClient, faults: Faults, status: int) -> None:
    faults("M4", status=status, message="name: No more of these")
    answer = as_keeper.send(NEW, name=unused())
    assert answer.status_code == 422
    assert "No more of these" in answer.text


def test_one_that_was_made_without_a_confirmation_is_found(as_keeper: PageClient, faults: Faults) -> None:
    name = unused()
    faults("M4", cut="after")
    answer = as_keeper.send(NEW, name=name)
    assert answer.status_code == 200
    assert f"Organization {name} created." in answer.text
    assert listed(as_keeper, name) == 1
    assert Entry.objects.get(operation="M4").outcome == Outcome.DONE


@pytest.mark.parametrize("fault", [{"status": 500}, {"status": 504}, {"html": True}, {"empty": True}])
def test_page_and_journal_agree_that_the_outcome_is_unknown(
    as_keeper: PageClient, faults: Faults, fault: dict[str, object]
) -> None:
    name = unused()
    faults("M4", **fault)
    answer = as_keeper.send(NEW, name=name)
    assert answer.status_code == 200
    assert "The outcome is unknown" in answer.text
    assert listed(as_keeper, name) == 0
    assert Entry.objects.get(operation="M4").outcome == Outcome.UNKNOWN
