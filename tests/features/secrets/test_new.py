"""Adding a secret, or replacing its value."""

import json
import re
from hashlib import sha256

import pytest
from django.urls import reverse

from dashboard.features.secrets.rules.names import name_problem
from dashboard.journal.models import Entry, Outcome
from dashboard.reviews.models import Part
from tests.features.secrets.desk import REF, Desk
from tests.features.service import Calls, Faults
from tests.pages import PageClient, is_ticked


def test_the_form_asks_no_password_manager(as_keeper: PageClient, desk: Desk) -> None:
    answer = as_keeper.part(desk.address("new"), "dialog")
    area = re.search(r"<textarea[^>]+>", answer.text)
    assert area
    for attribute in ('autocomplete="off"', 'spellcheck="false"', "data-1p-ignore", 'data-lpignore="true"', 'hx-preserve="true"'):
        assert attribute in area[0]


def test_it_saves_and_the_list_refreshes_itself(as_keeper: PageClient, desk: Desk, calls: Calls) -> None:
    name = desk.name()
    answer = as_keeper.send(desk.address("new"), name=name, value="hello")
    assert json.loads(answer["HX-Trigger"]) == {"dialog:close": True, "secrets:changed": True}
    assert f"Secret {name} added." in answer.text
    assert calls() == [f"GET /v1/projects/{REF}/secrets", f"POST /v1/projects/{REF}/secrets"]
    assert desk.holds(name, "hello")


def test_without_script_it_leads_back_to_the_list(as_keeper: PageClient, desk: Desk) -> None:
    answer = as_keeper.post(desk.address("new"), {"name": desk.name(), "value": "hello"})
    assert answer.status_code == 303
    assert answer["Location"] == desk.address("index")
    assert as_keeper.get(desk.address("new")).status_code == 200


def test_several_lines_keep_the_line_ends_of_a_file(as_keeper: PageClient, desk: Desk) -> None:
    name = desk.name()
    as_keeper.post(desk.address("new"), {"name": name, "value": "-----BEGIN-----\r\nabc\r\n-----END-----"})
    assert desk.holds(name, "-----BEGIN-----\nabc\n-----END-----")


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("", "x", "Enter a name."),
        ("A", "", "Enter a value."),
        ("SUPABASE_A", "x", "reserved for the platform"),
        ("A" * 257, "x", "at most 256 characters; this one has 257"),
        ("A", "x" * 24_577, "at most 24,576 characters; this one has 24,577"),
    ],
)
def test_what_the_service_would_refuse_is_said_at_the_field(
    as_keeper: PageClient, desk: Desk, name: str, value: str, sentence: str
) -> None:
    answer = as_keeper.send(desk.address("new"), name=name, value=value)
    assert answer.status_code == 422
    assert sentence in answer.text


def test_the_value_is_never_sent_back(as_keeper: PageClient, desk: Desk) -> None:
    for send in (as_keeper.send, lambda path, **data: as_keeper.post(path, data)):
        answer = send(desk.address("new"), name="SUPABASE_A", value="canary-4711")
        assert answer.status_code == 422
        assert "canary-4711" not in answer.text
        assert "SUPABASE_A" in answer.text


def test_the_typed_value_survives_a_question_in_the_browser(as_keeper: PageClient, desk: Desk) -> None:
    first = as_keeper.part(desk.address("new"), "dialog").text
    draft = re.search(r'name="draft" value="([0-9a-f]{16})"', first)
    assert draft
    again = as_keeper.send(desk.address("new"), name="", value="x", draft=draft[1]).text
    assert f'id="id_value_{draft[1]}"' in first
    assert f'id="id_value_{draft[1]}"' in again
    assert f'id="id_value_{draft[1]}"' not in as_keeper.part(desk.address("new"), "dialog").text


def test_a_taken_name_is_asked_about_before_its_value_is_replaced(as_keeper: PageClient, desk: Desk) -> None:
    name = desk.put("old")
    answer = as_keeper.send(desk.address("new"), name=name, value="new")
    assert answer.status_code == 422
    assert "Its current value can&#x27;t be restored." in answer.text
    assert "Replace value" in answer.text
    assert desk.holds(name, "old")
    refused = as_keeper.send(desk.address("new"), name=name, value=" new ", replace=name)
    assert (refused.status_code, is_ticked(refused.text, "replace")) == (422, True), "it isn't asked about twice"
    refused = as_keeper.send(desk.address("new"), name=name, value=" new ", ends="keep")
    assert (refused.status_code, is_ticked(refused.text, "ends")) == (422, True)
    answer = as_keeper.send(desk.address("new"), name=name, value="new", replace=name)
    assert f"Value of {name} replaced." in answer.text
    assert desk.holds(name, "new")


@pytest.mark.parametrize("value", [" x", "x\n", '"x"', "'x'", "`x`"])
def test_odd_ends_of_a_value_are_noticed(as_keeper: PageClient, desk: Desk, value: str) -> None:
    name = desk.name()
    assert as_keeper.send(desk.address("new"), name=name, value=value).status_code == 422
    as_keeper.send(desk.address("new"), name=name, value=value, ends="keep")
    assert desk.holds(name, value)
    as_keeper.send(desk.address("new"), name=name, value=value, ends="strip", replace=name)
    assert desk.holds(name, "x")


def test_a_value_of_nothing_but_spaces_can_only_be_kept(as_keeper: PageClient, desk: Desk) -> None:
    name = desk.name()
    answer = as_keeper.send(desk.address("new"), name=name, value="  \n", ends="strip")
    assert answer.status_code == 422
    assert "There is nothing else." in answer.text


def test_advice_on_a_name_asks_no_service(as_keeper: PageClient, desk: Desk, calls: Calls) -> None:
    answer = as_keeper.part(desk.address("advice"), "name-advice", name="my-key")
    assert "environment variable" in answer.text
    assert "reserved for the platform" in as_keeper.part(desk.address("advice"), "name-advice", name="SUPABASE_X").text
    assert "Functions" not in as_keeper.part(desk.address("advice"), "name-advice", name="MY_KEY").text
    assert calls() == []


def test_a_name_that_is_no_variable_is_saved_all_the_same(as_keeper: PageClient, desk: Desk) -> None:
    name = desk.name("my-key {}")
    as_keeper.send(desk.address("new"), name=name, value="x")
    assert desk.holds(name, "x")


def test_it_is_written_in_the_journal_without_the_value(as_keeper: PageClient, desk: Desk) -> None:
    name = desk.put("old-canary")
    as_keeper.send(desk.address("new"), name=name, value="new-canary", replace=name)
    entry = Entry.objects.get(operation="M6")
    assert (entry.target, entry.place, entry.outcome) == (f"secret {name}", REF, Outcome.DONE)
    assert entry.after == {"value": f"sha256:{sha256(b'new-canary').hexdigest()}"}
    assert entry.before
    assert "canary" not in json.dumps([entry.before, entry.after, entry.message])


def test_a_refusal_stands_on_the_form(as_keeper: PageClient, desk: Desk, faults: Faults) -> None:
    faults("M6", status=400)
    answer = as_keeper.send(desk.address("new"), name=desk.name(), value="canary-4712")
    assert answer.status_code == 422
    assert "The management service does not accept these values." in answer.text
    assert "canary-4712" not in answer.text
    assert Entry.objects.get(operation="M6").outcome == Outcome.REFUSED


@pytest.mark.parametrize(("operation", "status"), [("M5", 429), ("M5", 500), ("M6", 429), ("M6", 403)])
def test_a_typed_value_outlives_a_refusal_without_script(
    as_keeper: PageClient, desk: Desk, faults: Faults, operation: str, status: int
) -> None:
    name = desk.name()
    faults(operation, status=status)
    answer = as_keeper.post(desk.address("new"), {"name": name, "value": "typed once"})
    assert f'value="{name}"' in answer.text
    assert "The value you typed is kept." in answer.text
    assert "typed once" not in answer.text
    sealed = re.search(r'name="sealed" value="([^"]+)"', answer.text)
    assert sealed
    faults(operation, status=status, rate=0)
    assert as_keeper.post(desk.address("new"), {"name": name, "value": "", "sealed": sealed[1]}).status_code == 303
    assert desk.holds(name, "typed once")
    assert not Part.objects.exists(), "the value is erased once it is saved"


def test_what_is_typed_anew_takes_the_place_of_the_kept_value(as_keeper: PageClient, desk: Desk, faults: Faults) -> None:
    name = desk.name()
    faults("M6", status=429, times=1)
    answer = as_keeper.post(desk.address("new"), {"name": name, "value": "first"})
    sealed = re.search(r'name="sealed" value="([^"]+)"', answer.text)
    assert sealed
    as_keeper.post(desk.address("new"), {"name": name, "value": "second", "sealed": sealed[1]})
    assert desk.holds(name, "second")
    assert not Part.objects.exists()


def test_a_lost_answer_is_settled_by_reading_back(as_keeper: PageClient, desk: Desk, faults: Faults) -> None:
    faults("M6", cut="after")
    name = desk.name()
    assert f"Secret {name} added." in as_keeper.send(desk.address("new"), name=name, value="x").text
    assert Entry.objects.get(operation="M6").outcome == Outcome.DONE


def test_a_secret_that_is_not_there_after_a_lost_answer_may_still_be_saved(
    as_keeper: PageClient, desk: Desk, faults: Faults
) -> None:
    faults("M6", cut="before", times=1)
    name = desk.name()
    answer = as_keeper.send(desk.address("new"), name=name, value="x")
    assert "The outcome is unknown" in answer.text
    assert Entry.objects.get(operation="M6").outcome == Outcome.UNKNOWN
    desk.management.secrets.create(REF, {name: "x"})
    assert name in as_keeper.get(desk.address("index")).text
    assert Entry.objects.get(operation="M6").outcome == Outcome.DONE


def test_another_value_under_the_name_does_not_settle_it(as_keeper: PageClient, desk: Desk, faults: Faults) -> None:
    faults("M6", cut="before", times=1)
    name = desk.name()
    as_keeper.send(desk.address("new"), name=name, value="x")
    desk.management.secrets.create(REF, {name: "y"})
    as_keeper.get(desk.address("index"))
    assert Entry.objects.get(operation="M6").outcome == Outcome.UNKNOWN


def test_a_project_that_is_not_there_is_not_found(as_keeper: PageClient) -> None:
    assert as_keeper.get(reverse("secrets:new", args=["aaaaaaaaaaaaaaaaaaaa"])).status_code == 404


@pytest.mark.parametrize(("name", "words"), [("A\0B", "a NUL character"), ("A\ud800", "half a character"), ("A", "")])
def test_a_name_that_no_service_can_store_is_refused(name: str, words: str) -> None:
    problem = name_problem(name)
    assert words in problem if words and problem else problem is None
