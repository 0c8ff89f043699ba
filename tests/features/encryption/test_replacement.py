"""Replacing the root key: saved, chosen, ticked, typed, sent once, read back."""

import json
from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from django.contrib.sessions.models import Session

from dashboard.features.encryption.rules import Replacement, TooLate, fingerprint, key_problem, new_key
from dashboard.journal.models import Entry, Outcome
from dashboard.journal.recorder import digest
from dashboard.labels.changes import set_label
from dashboard.labels.queries import ProjectLabel
from dashboard.team.models import Person
from tests.features.encryption.desk import REF, Desk
from tests.features.service import Calls, Faults
from tests.pages import PageClient

NEW = "0f1e2d3c4b5a69788796a5b4c3d2e1f00123456789abcdeffedcba9876543210"
PUT, READ = f"PUT /v1/projects/{REF}/pgsodium", f"GET /v1/projects/{REF}/pgsodium"


def sent() -> Entry:
    return Entry.objects.get(operation="M21")


def result(desk: Desk, entry: Entry) -> str:
    return str(desk.keeper.get(desk.address("result", entry.pk)).text)


def test_a_generated_key_takes_its_place_and_is_read_back(desk: Desk, calls: Calls) -> None:
    old = desk.key()
    chosen = desk.choose()
    assert "Step 2 of 2" in chosen.text
    assert "generated here" in chosen.text
    assert fingerprint(old) in chosen.text
    calls()
    answer = desk.confirm(chosen)
    assert calls() == [READ, PUT, READ]
    entry = sent()
    assert (answer.status_code, answer["Location"]) == (303, desk.address("result", entry.pk))
    now = desk.key()
    assert now != old
    assert key_problem(now) is None
    assert fingerprint(now) in chosen.text
    assert (entry.outcome, entry.before) == (Outcome.DONE, {"root_key": digest(old)})
    assert entry.after == {"sent": digest(now), "read_back": digest(now)}
    assert "The new key is in place" in result(desk, entry)


def test_neither_key_is_in_a_page_the_session_or_the_journal(desk: Desk) -> None:
    old = desk.key()
    PageClient.tokens = PageClient.tokens | {NEW}
    chosen = desk.choose(NEW)
    assert "pasted by you" in chosen.text
    desk.confirm(chosen)
    result(desk, sent())
    assert desk.key() == NEW
    kept = json.dumps([[entry.target, entry.before, entry.after, entry.message] for entry in Entry.objects.all()])
    kept += str([session.get_decoded() for session in Session.objects.all()])
    assert NEW not in kept
    assert old not in kept


def test_nothing_is_sent_before_everything_is_ticked_and_typed(desk: Desk, calls: Calls) -> None:
    old = desk.key()
    chosen = desk.choose(NEW)
    calls()
    for wrong in ({"consequence_2": ""}, {"typed": ""}, {"typed": REF.upper()}, {"typed": f"{REF} "}):
        answer = desk.confirm(chosen, **wrong)
        assert answer.status_code == 422
        assert fingerprint(NEW) in answer.text
    assert PUT not in calls()
    assert desk.key() == old
    assert not Entry.objects.filter(operation="M21").exists()
    assert desk.confirm(answer).status_code == 303
    assert desk.key() == NEW


def test_a_form_that_is_sent_twice_acts_once(desk: Desk, calls: Calls) -> None:
    chosen = desk.choose(NEW)
    calls()
    first, second = desk.confirm(chosen), desk.confirm(chosen)
    assert calls().count(PUT) == 1
    assert second["Location"] == first["Location"]


def test_an_old_form_with_a_new_once_key_finds_another_key(desk: Desk, calls: Calls) -> None:
    chosen = desk.choose()
    desk.confirm(chosen)
    calls()
    again = desk.confirm(chosen, once="another-once-key-of-this-form")
    assert again.status_code == 422
    assert "Somebody replaced it meanwhile" in again.text
    assert PUT not in calls()


def test_a_key_that_was_replaced_elsewhere_stops_it(desk: Desk, calls: Calls) -> None:
    chosen = desk.choose()
    theirs = desk.put()
    calls()
    answer = desk.confirm(chosen)
    assert (answer.status_code, calls()) == (422, [READ])
    assert desk.key() == theirs


def test_the_present_key_must_be_in_hand_first(desk: Desk) -> None:
    typed = {"saved": "on", "source": "generate"}
    answer = desk.keeper.post(desk.address("replacement"), typed)
    assert answer.status_code == 422
    assert "Save it first" in answer.text
    desk.save()
    unticked = desk.keeper.post(desk.address("replacement"), {"source": "generate"})
    assert "tick this first" in unticked.text
    assert desk.keeper.post(desk.address("replacement"), typed).status_code == 200


def test_a_key_in_hand_that_is_not_the_present_one_does_not_count(desk: Desk) -> None:
    desk.save()
    desk.put()
    answer = desk.keeper.post(desk.address("replacement"), {"saved": "on", "source": "generate"})
    assert "Save it first" in answer.text


@pytest.mark.parametrize(
    ("key", "words"),
    [
        ("", "Paste the new key."),
        ("abc", "64 characters; this has 3"),
        ("g" + NEW[1:], "digits 0 to 9"),
        ("ab" * 32, "no random key"),
    ],
)
def test_a_pasted_key_is_checked_and_never_sent_back(desk: Desk, key: str, words: str) -> None:
    desk.save()
    answer = desk.keeper.post(desk.address("replacement"), {"saved": "on", "source": "paste", "key": key})
    assert answer.status_code == 422
    assert words in answer.text
    if key:
        assert f'value="{key}"' not in answer.text


def test_capital_letters_and_spaces_are_mended_and_said(desk: Desk) -> None:
    chosen = desk.choose(f"  {NEW[:32].upper()} {NEW[32:]}\n")
    assert "Capital letters were made small" in chosen.text
    desk.confirm(chosen)
    assert desk.key() == NEW


def test_the_present_key_is_no_new_key(desk: Desk) -> None:
    assert "This is the present key." in desk.choose(desk.key()).text


def test_a_lost_answer_is_settled_by_reading_back(desk: Desk, faults: Faults) -> None:
    chosen = desk.choose(NEW)
    faults("M21", cut="after", times=1)
    desk.confirm(chosen)
    assert (sent().outcome, desk.key()) == (Outcome.DONE, NEW)
    assert "The new key is in place" in result(desk, sent())


@pytest.mark.parametrize(("fault", "status"), [({"cut": "before"}, None), ({"status": 500}, 500)])
def test_the_former_key_read_back_proves_nothing_yet(
    desk: Desk, faults: Faults, fault: dict[str, object], status: int | None
) -> None:
    old, chosen = desk.key(), desk.choose(NEW)
    faults("M21", **fault, times=1)
    desk.confirm(chosen)
    assert (sent().outcome, sent().status, desk.key()) == (Outcome.UNKNOWN, status, old)
    page = result(desk, sent())
    assert "The outcome is unknown" in page
    assert "may be carried out late" in page
    assert "Check now" in page


def test_the_page_of_the_key_offers_no_replacement_while_one_is_being_checked(desk: Desk, faults: Faults, calls: Calls) -> None:
    chosen = desk.choose(NEW)
    faults("M21", cut="before", times=1)
    desk.confirm(chosen)
    page = desk.keeper.get(desk.address()).text
    assert "The outcome of an earlier replacement is being checked" in page
    assert desk.address("replacement") not in page
    assert "Check now" in page
    calls()
    refused = desk.keeper.get(desk.address("replacement"))
    assert (refused.status_code, calls()) == (200, [])
    assert "An earlier change is still being checked" in refused.text


def test_a_request_that_is_carried_out_late_is_found_by_the_page_of_the_result(desk: Desk, faults: Faults) -> None:
    chosen = desk.choose(NEW)
    faults("M21", cut="before", times=1)
    desk.confirm(chosen)
    desk.put(NEW)
    page = result(desk, sent())
    assert "The new key is in place" in page
    assert "Its answer was lost" in page
    assert (sent().outcome, sent().check_until) == (Outcome.DONE, None)
    assert desk.address("replacement") in desk.keeper.get(desk.address()).text


def test_what_can_not_be_read_back_stays_unknown_and_says_what_to_do(desk: Desk, faults: Faults, calls: Calls) -> None:
    chosen = desk.choose(NEW)
    faults("M21", cut="after", times=1)
    calls()
    faults("M20", status=500, skip=1)  # the look before sending goes well
    desk.confirm(chosen)
    assert calls().count(PUT) == 1
    assert sent().outcome == Outcome.UNKNOWN
    page = result(desk, sent())
    assert "It is not known which key is in place" in page
    assert "Do not send anything again" in page
    assert "Check now" in page
    assert desk.confirm(chosen)["Location"] == desk.address("result", sent().pk)
    assert calls().count(PUT) == 0
    faults("M20", delay=0)
    assert "The new key is in place" in result(desk, sent())
    assert sent().outcome == Outcome.DONE


def test_a_third_key_is_an_alarm(desk: Desk) -> None:
    desk.confirm(desk.choose(NEW))
    desk.put()
    page = result(desk, sent())
    assert "The service has a third key" in page


@pytest.mark.parametrize(
    ("fault", "words"),
    [({"status": 429}, "asks us to slow down"), ({"status": 403}, "not for this"), ({"status": 401}, "was refused")],
)
def test_a_refusal_stays_at_the_form_and_can_be_sent_again(desk: Desk, faults: Faults, fault: dict[str, int], words: str) -> None:
    chosen = desk.choose(NEW)
    faults("M21", **fault, times=1)
    answer = desk.confirm(chosen)
    assert answer.status_code == 422
    assert words in answer.text
    assert "The root key was not replaced." in answer.text
    assert sent().outcome == Outcome.REFUSED
    assert desk.confirm(answer).status_code == 303
    assert desk.key() == NEW


def test_a_sealed_key_is_for_one_person_one_project_and_half_an_hour(owner: Person, ada: Person) -> None:
    sealed = Replacement(NEW, digest("old")).sealed(owner=owner.pk, ref=REF)
    assert NEW not in sealed
    assert Replacement.opened(sealed, owner=owner.pk, ref=REF).key == NEW
    for who, where in ((ada.pk, REF), (owner.pk, "another")):
        with pytest.raises(TooLate):
            Replacement.opened(sealed, owner=who, ref=where)
    with time_machine.travel(datetime.now(UTC) + timedelta(minutes=31)), pytest.raises(TooLate):
        Replacement.opened(sealed, owner=owner.pk, ref=REF)
    assert NEW not in repr(Replacement(NEW, ""))


@pytest.mark.parametrize("sealed", ["", "v1.x.y", "no seal"])
def test_a_form_that_was_touched_starts_again(desk: Desk, sealed: str, calls: Calls) -> None:
    chosen = desk.choose(NEW)
    calls()
    answer = desk.confirm(chosen, sealed=sealed)
    assert answer["Location"] == desk.address("replacement")
    assert "Start again" in desk.keeper.get(answer["Location"]).text
    assert PUT not in calls()


def test_the_confirmation_has_no_page_of_its_own(desk: Desk) -> None:
    assert desk.keeper.get(desk.address("confirmation"))["Location"] == desk.address("replacement")


def test_the_result_is_for_who_sent_it(desk: Desk, as_ada: PageClient) -> None:
    desk.confirm(desk.choose())
    other = desk.address("result", sent().pk).replace(REF, "ktmvqhzwrbnxpgaydcle")
    assert desk.keeper.get(other).status_code == 404
    assert as_ada.get(desk.address("result", sent().pk)).status_code == 404
    assert desk.keeper.get(desk.address("result", 10**9)).status_code == 404


def test_the_result_checks_again_in_its_place(desk: Desk, calls: Calls) -> None:
    desk.confirm(desk.choose())
    calls()
    answer = desk.keeper.part(desk.address("result", sent().pk), "result")
    assert answer.text.lstrip().startswith("<section")
    assert [call for call in calls() if call != "GET /v1/projects"] == [READ]


def test_the_first_step_says_how_the_service_failed(desk: Desk, faults: Faults) -> None:
    faults("M20", status=500)
    assert desk.keeper.get(desk.address("replacement"))["X-Problem"] == "Broken"


def test_new_keys_are_random_and_well_formed() -> None:
    keys = {new_key() for _ in range(50)}
    assert len(keys) == 50
    assert not any(key_problem(key) for key in keys)


def test_a_project_called_production_asks_one_thing_more(desk: Desk, owner: Person, calls: Calls) -> None:
    set_label(owner, REF, ProjectLabel(production=True), project="parcel-tracking")
    before, chosen = desk.key(), desk.choose()
    assert "I know that this project is production" in chosen.text
    refused = desk.confirm(chosen)
    assert refused.status_code == 422
    assert "tick the box to go on. Nothing was done." in refused.text
    assert desk.key() == before
    assert desk.confirm(refused, production="on").status_code == 303
    assert desk.key() != before
