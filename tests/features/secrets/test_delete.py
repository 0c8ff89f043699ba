"""Deleting a secret."""

import pytest

from dashboard.journal.models import Entry, Outcome
from tests.features.secrets.desk import REF, Desk
from tests.features.service import Calls, Faults
from tests.pages import PageClient


def test_it_says_what_happens_and_wants_the_name(as_keeper: PageClient, desk: Desk) -> None:
    name = desk.put()
    answer = as_keeper.part(desk.address("delete", name=name), "dialog")
    assert f"Delete {name}?" in answer.text
    assert f'data-must-be="{name}"' in answer.text


def test_it_deletes(as_keeper: PageClient, desk: Desk, calls: Calls) -> None:
    name = desk.put()
    calls()
    answer = as_keeper.send(desk.address("delete", name=name), typed=name)
    assert f"Secret {name} deleted." in answer.text
    assert calls() == [f"GET /v1/projects/{REF}/secrets", f"DELETE /v1/projects/{REF}/secrets"]
    assert desk.value(name) is None


def test_without_script_it_leads_back_to_the_list(as_keeper: PageClient, desk: Desk) -> None:
    name = desk.put()
    assert as_keeper.get(desk.address("delete", name=name)).status_code == 200
    answer = as_keeper.post(desk.address("delete", name=name), {"typed": name})
    assert (answer.status_code, answer["Location"]) == (303, desk.address("index"))
    assert desk.value(name) is None


@pytest.mark.parametrize("change", [str.lower, lambda name: f"{name} ", lambda _: ""])
def test_another_name_deletes_nothing(as_keeper: PageClient, desk: Desk, change: object) -> None:
    name = desk.put()
    answer = as_keeper.send(desk.address("delete", name=name), typed=change(name))  # type: ignore[operator] # one of the three above
    assert answer.status_code == 422
    assert desk.value(name) is not None


def test_a_name_that_no_field_can_take_is_not_asked_for(as_keeper: PageClient, desk: Desk) -> None:
    name = desk.put(form="two\nlines {}")
    address = desk.address("delete", name=name)
    assert 'name="typed"' not in as_keeper.get(address).text
    as_keeper.post(address)
    assert desk.value(name) is None


@pytest.mark.parametrize("name", ["SUPABASE_URL", "NOT_THERE", ""])
def test_what_is_reserved_or_not_there_is_not_found(as_keeper: PageClient, desk: Desk, name: str) -> None:
    assert as_keeper.get(desk.address("delete", name=name)).status_code == 404
    assert as_keeper.post(desk.address("delete", name=name), {"typed": name}).status_code == 404


def test_it_is_written_in_the_journal(as_keeper: PageClient, desk: Desk) -> None:
    name = desk.put("canary-4713")
    as_keeper.send(desk.address("delete", name=name), typed=name)
    entry = Entry.objects.get(operation="M7")
    assert (entry.target, entry.place, entry.outcome) == (f"secret {name}", REF, Outcome.DONE)
    assert "canary" not in str(entry.before)


def test_a_refusal_stands_on_the_question(as_keeper: PageClient, desk: Desk, faults: Faults) -> None:
    name = desk.put()
    faults("M7", status=403)
    answer = as_keeper.send(desk.address("delete", name=name), typed=name)
    assert answer.status_code == 422
    assert "The management service accepts your token, but not for this." in answer.text
    assert Entry.objects.get(operation="M7").outcome == Outcome.REFUSED


def test_what_is_gone_already_is_said_over_the_list_which_looks_again(as_keeper: PageClient, desk: Desk) -> None:
    name = desk.name()
    for answer in (
        as_keeper.part(desk.address("delete", name=name), "dialog"),
        as_keeper.send(desk.address("delete", name=name)),
    ):
        assert f"Secret {name} was already deleted." in answer.text
        assert "secrets:changed" in answer["HX-Trigger"]
    assert as_keeper.get(desk.address("delete", name=name)).status_code == 404
