"""The settings of a function: every flag is sent, and read back."""

from typing import Any

import pytest

from dashboard.journal.models import Entry, Outcome
from tests.features.functions.desk import BUNDLE, REF, Desk
from tests.features.service import Calls, Faults
from tests.pages import PageClient, is_ticked


def save(client: PageClient, desk: Desk, slug: str, **chosen: str) -> Any:
    """As htmx posts the dialog after opening it."""
    address = desk.address("edit", slug)
    carried = client.part(address, "dialog").context["form"]["shown"].value()
    return client.send(address, shown=str(carried), **chosen)


def test_it_shows_what_is_set(as_keeper: PageClient, desk: Desk) -> None:
    slug = desk.put(BUNDLE, name="Now", verify_jwt=False, import_map=True)
    form = as_keeper.part(desk.address("edit", slug), "dialog").context["form"]
    assert [form[name].value() for name in ("name", "verify_jwt", "import_map")] == ["Now", False, True]


def test_every_flag_is_sent_and_compared_with_the_answer(as_keeper: PageClient, desk: Desk, calls: Calls) -> None:
    slug = desk.put(BUNDLE, verify_jwt=True, import_map=True)
    calls()
    answer = save(as_keeper, desk, slug, name="New name", verify_jwt="on", import_map="on")
    assert "and verified" in answer.text
    own = f"/v1/projects/{REF}/functions/{slug}"
    assert calls() == [f"GET {own}", f"GET {own}", f"PATCH {own}"]
    function = desk.get(slug)
    assert (function.name, function.verify_jwt, function.import_map) == ("New name", True, True)
    entry = Entry.objects.get(operation="M12")
    assert entry.after == {
        "name": "New name",
        "verify_jwt": True,
        "import_map": True,
        "verified": "as sent",
        "version": "2",
    }
    assert desk.body(slug) == BUNDLE


def test_switching_the_check_off_is_asked_for(as_keeper: PageClient, desk: Desk) -> None:
    slug = desk.put(verify_jwt=True)
    answer = save(as_keeper, desk, slug, name="n")
    assert answer.status_code == 422
    assert "anyone with the address can call" in answer.text
    assert desk.get(slug).verify_jwt is True
    refused = save(as_keeper, desk, slug, name="n" * 10_000, open="on")
    assert (refused.status_code, is_ticked(refused.text, "open"), "Make " in refused.text) == (422, True, True)
    assert save(as_keeper, desk, slug, name="n", open="on").status_code == 200
    assert desk.get(slug).verify_jwt is False


def test_switching_it_on_is_not_asked_for(as_keeper: PageClient, desk: Desk) -> None:
    slug = desk.put(verify_jwt=False)
    assert save(as_keeper, desk, slug, name="n", verify_jwt="on").status_code == 200
    assert desk.get(slug).verify_jwt is True


def test_without_script_it_leads_back_to_the_function(as_keeper: PageClient, desk: Desk) -> None:
    slug = desk.put()
    address = desk.address("edit", slug)
    carried = as_keeper.get(address).context["form"]["shown"].value()
    answer = as_keeper.post(address, {"shown": carried, "name": "plain", "verify_jwt": "on"})
    assert (answer.status_code, answer["Location"]) == (303, desk.address("show", slug))


def test_a_flag_that_was_not_applied_is_a_failure_on_the_form(as_keeper: PageClient, desk: Desk, faults: Faults) -> None:
    slug = desk.put(verify_jwt=False)
    faults("M12", stay=True)
    answer = save(as_keeper, desk, slug, name="n", verify_jwt="on")
    assert answer.status_code == 422
    assert "alert--danger" in answer.text
    assert "didn&#x27;t apply it. “Require a JWT” was sent as on but is off." in answer.text
    assert Entry.objects.get(operation="M12").outcome == Outcome.FAILED


def test_a_change_by_somebody_else_is_told_once(as_keeper: PageClient, desk: Desk) -> None:
    slug = desk.put(verify_jwt=True)
    address = desk.address("edit", slug)
    carried = str(as_keeper.part(address, "dialog").context["form"]["shown"].value())
    desk.management.functions.update(REF, slug, verify_jwt=False)
    answer = as_keeper.send(address, shown=carried, name="mine", verify_jwt="on")
    assert answer.status_code == 409
    assert "Now “Require a JWT” is off" in answer.text
    assert desk.get(slug).verify_jwt is False
    fresh = str(answer.context["form"]["shown"].value())
    assert as_keeper.send(address, shown=fresh, name="mine", verify_jwt="on").status_code == 200
    assert desk.get(slug).verify_jwt is True


def test_no_answer_is_settled_by_reading_back(as_keeper: PageClient, desk: Desk, faults: Faults) -> None:
    slug = desk.put()
    faults("M12", cut="after", times=1)
    assert "and verified" in save(as_keeper, desk, slug, name="settled", verify_jwt="on").text
    assert desk.get(slug).name == "settled"


@pytest.mark.parametrize(
    ("status", "words"), [(400, "does not accept these values"), (403, "not for this"), (429, "Try again <time")]
)
def test_a_refusal_stands_on_the_form(as_keeper: PageClient, desk: Desk, faults: Faults, status: int, words: str) -> None:
    slug = desk.put()
    faults("M12", status=status)
    answer = save(as_keeper, desk, slug, name="kept", verify_jwt="on")
    assert answer.status_code == 422
    assert words in answer.text
    assert 'value="kept"' in answer.text
