"""Replacing the root key: saved, chosen, ticked, typed, sent once, compared with the answer."""

import json
import re
from datetime import timedelta

import pytest
import time_machine
from django.contrib.sessions.models import Session
from django.utils import timezone

from dashboard.features.encryption.rules import Replacement, fingerprint, key_problem, new_key
from dashboard.journal.models import Entry, Outcome
from dashboard.journal.recorder import digest
from dashboard.labels.services import ProjectLabel, set_label
from dashboard.reviews.models import Part, Review, State
from dashboard.team.models import Person
from tests.features.encryption.desk import NAME, REF, Desk
from tests.features.service import Calls, Faults, Overtaken
from tests.pages import PageClient

NEW = "0f1e2d3c4b5a69788796a5b4c3d2e1f00123456789abcdeffedcba9876543210"
PUT, READ = f"PUT /v1/projects/{REF}/pgsodium", f"GET /v1/projects/{REF}/pgsodium"


def sent() -> Entry:
    return Entry.objects.get(operation="M21")


def outcome(desk: Desk) -> str:
    """The page of the last review."""
    return str(desk.keeper.get(desk.address("review", Review.objects.latest("created_at").pk)).text)


def test_a_generated_key_takes_its_place_and_is_compared_with_the_answer(desk: Desk, calls: Calls) -> None:
    old = desk.key()
    chosen = desk.choose()
    assert "Step 2 of 2" in chosen.text
    assert ">generated<" in chosen.text
    assert fingerprint(old) in chosen.text
    calls()
    answer = desk.confirm(chosen)
    assert calls() == [READ, PUT]
    entry = sent()
    assert (answer.status_code, answer["Location"]) == (303, chosen.wsgi_request.path)
    now = desk.key()
    assert now != old
    assert key_problem(now) is None
    assert fingerprint(now) in chosen.text
    assert (entry.outcome, entry.before) == (Outcome.DONE, {"root_key": digest(old)})
    assert entry.after == {"sent": digest(now)}
    assert "Root key replaced and verified" in outcome(desk)


def test_neither_key_is_in_a_page_the_session_or_the_journal(desk: Desk) -> None:
    old = desk.key()
    PageClient.tokens = PageClient.tokens | {NEW}
    chosen = desk.choose(NEW)
    assert ">pasted<" in chosen.text
    desk.confirm(chosen)
    outcome(desk)
    assert desk.key() == NEW
    kept = json.dumps([[entry.target, entry.before, entry.after, entry.message] for entry in Entry.objects.all()])
    kept += str([session.get_decoded() for session in Session.objects.all()])
    assert NEW not in kept
    assert old not in kept


def test_nothing_is_sent_before_everything_is_ticked_and_typed(desk: Desk, calls: Calls) -> None:
    old = desk.key()
    chosen = desk.choose(NEW)
    calls()
    for wrong in ({"consequence_2": ""}, {"typed": ""}, {"typed": REF}, {"typed": NAME.upper()}, {"typed": f"{NAME} "}):
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


@pytest.mark.django_db(transaction=True)
def test_a_second_press_that_reads_the_new_key_leads_to_the_outcome(desk: Desk, overtaken: Overtaken) -> None:
    chosen = desk.choose(NEW)
    first = overtaken(READ, lambda: desk.confirm(chosen))
    second = desk.confirm(chosen)
    assert [answer.status_code for answer in (*first, second)] == [303, 303]
    assert second["Location"] == first[0]["Location"]
    assert desk.key() == NEW


def test_a_second_review_of_the_same_key_finds_another_key(desk: Desk, calls: Calls) -> None:
    chosen, other = desk.choose(), desk.choose()
    desk.confirm(chosen)
    calls()
    again = desk.confirm(other)
    assert again.status_code == 409
    assert "somebody else replaced it" in again.text
    assert PUT not in calls()


def test_a_key_that_was_replaced_elsewhere_stops_it(desk: Desk, calls: Calls) -> None:
    chosen = desk.choose()
    theirs = desk.put()
    calls()
    answer = desk.confirm(chosen)
    assert (answer.status_code, calls()) == (409, [READ])
    assert desk.key() == theirs


def test_the_present_key_must_be_in_hand_first(desk: Desk) -> None:
    typed = {"saved": "on", "source": "generate"}
    answer = desk.keeper.post(desk.address("replacement"), typed)
    assert answer.status_code == 422
    assert "Save it first" in answer.text
    desk.save()
    unticked = desk.keeper.post(desk.address("replacement"), {"source": "generate"})
    assert "then tick this box" in unticked.text
    assert desk.keeper.post(desk.address("replacement"), typed).status_code == 303


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
        ("ab" * 32, "not a random key"),
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
    assert "Capital letters were converted" in chosen.text
    desk.confirm(chosen)
    assert desk.key() == NEW


def test_the_present_key_is_no_new_key(desk: Desk) -> None:
    assert "This is the current key." in desk.choose(desk.key()).text


def test_a_lost_answer_is_settled_by_reading_back(desk: Desk, faults: Faults) -> None:
    chosen = desk.choose(NEW)
    faults("M21", cut="after", times=1)
    desk.confirm(chosen)
    assert (sent().outcome, desk.key()) == (Outcome.DONE, NEW)
    assert "Root key replaced and verified" in outcome(desk)


@pytest.mark.parametrize(("fault", "status"), [({"cut": "before"}, None), ({"status": 500}, 500)])
def test_the_former_key_read_back_proves_nothing_yet(
    desk: Desk, faults: Faults, fault: dict[str, object], status: int | None
) -> None:
    old, chosen = desk.key(), desk.choose(NEW)
    faults("M21", **fault, times=1)
    desk.confirm(chosen)
    assert (sent().outcome, sent().status, desk.key()) == (Outcome.UNKNOWN, status, old)
    page = outcome(desk)
    assert "Outcome unknown" in page
    assert "may be carried out late" in page
    assert "Check now" in page


def test_the_page_of_the_key_offers_no_replacement_while_one_is_being_checked(desk: Desk, faults: Faults, calls: Calls) -> None:
    chosen = desk.choose(NEW)
    faults("M21", cut="before", times=1)
    desk.confirm(chosen)
    page = desk.keeper.get(desk.address()).text
    assert "An earlier replacement is still being checked" in page
    assert desk.address("replacement") not in page
    assert "Check now" in page
    calls()
    refused = desk.keeper.get(desk.address("replacement"))
    assert (refused.status_code, calls()) == (200, [])
    assert "An earlier change is still being checked" in refused.text


def test_a_request_that_is_carried_out_late_is_found_by_the_page_of_the_review(desk: Desk, faults: Faults) -> None:
    chosen = desk.choose(NEW)
    faults("M21", cut="before", times=1)
    desk.confirm(chosen)
    desk.put(NEW)
    page = outcome(desk)
    assert "Root key replaced and verified" in page
    assert "No answer came back." in page
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
    page = outcome(desk)
    assert "Current key unknown" in page
    assert "don't replace it again" in page
    assert "Check now" in page
    assert desk.confirm(chosen)["Location"] == chosen.wsgi_request.path
    assert calls().count(PUT) == 0
    faults("M20", delay=0)
    assert "Root key replaced and verified" in outcome(desk)
    assert sent().outcome == Outcome.DONE


def test_an_answer_with_another_key_leaves_the_outcome_unknown(desk: Desk, faults: Faults) -> None:
    old, chosen = desk.key(), desk.choose(NEW)
    faults("M21", stay=True)
    desk.confirm(chosen)
    assert desk.key() == old
    assert sent().outcome == Outcome.UNKNOWN
    assert sent().message == "The service confirmed the change, but has another key."
    assert Review.objects.get().state == State.UNKNOWN
    assert "Root key replaced and verified" not in outcome(desk)


def test_a_third_key_is_an_alarm(desk: Desk) -> None:
    desk.confirm(desk.choose(NEW))
    desk.put()
    page = outcome(desk)
    assert "The service has a third key" in page


@pytest.mark.parametrize(
    ("fault", "words"),
    [({"status": 429}, "asks us to slow down"), ({"status": 403}, "not for this"), ({"status": 401}, "did not accept")],
)
def test_a_refusal_stays_at_the_form_and_can_be_sent_again(desk: Desk, faults: Faults, fault: dict[str, int], words: str) -> None:
    chosen = desk.choose(NEW)
    faults("M21", **fault, times=1)
    answer = desk.confirm(chosen)
    assert answer.status_code == 422
    assert words in answer.text
    assert "Nothing was changed." in answer.text
    assert sent().outcome == Outcome.REFUSED
    assert desk.confirm(answer).status_code == 303
    assert desk.key() == NEW


def test_a_review_survives_reload_and_a_second_tab_and_is_not_found_by_anybody_else(
    desk: Desk, as_ada: PageClient, ada: Person
) -> None:
    first, second = desk.choose(NEW), desk.choose()
    for chosen in (first, second, first):
        assert desk.keeper.get(chosen.wsgi_request.path).text.count("Step 2 of 2") == 1
    assert fingerprint(NEW) in desk.keeper.get(first.wsgi_request.path).text
    assert as_ada.get(first.wsgi_request.path).status_code == 404
    assert desk.keeper.get(first.wsgi_request.path.replace(REF, "ktmvqhzwrbnxpgaydcle")).status_code == 404
    Review.objects.update(person=ada)
    assert desk.keeper.get(first.wsgi_request.path).status_code == 404


def test_the_new_key_is_sealed_for_a_day_and_erased_once_it_is_in_place(desk: Desk) -> None:
    assert NEW not in repr(Replacement(NEW, ""))
    chosen = desk.choose(NEW)
    stored = [part.sealed.stored() for part in Part.objects.all()]
    assert stored
    assert NEW not in str(stored)
    desk.confirm(chosen)
    assert not Part.objects.exists()
    expired = desk.choose()
    Review.objects.filter(state=State.OPEN).update(expires_at=timezone.now() - timedelta(seconds=1))
    assert "This review has expired" in desk.keeper.get(expired.wsgi_request.path).text
    assert desk.confirm(expired)["Location"] == expired.wsgi_request.path
    assert desk.key() == NEW
    assert not Part.objects.exists()


def test_what_was_found_to_be_done_is_not_reviewed_again(desk: Desk, faults: Faults) -> None:
    chosen = desk.choose(NEW)
    faults("M21", cut="before", times=1)
    desk.confirm(chosen)
    desk.put(NEW)
    desk.keeper.get(desk.address("index"))
    assert sent().outcome == Outcome.DONE
    desk.put()
    desk.keeper.post(chosen.wsgi_request.path, {"act": "reopen"})
    assert "The service has a third key" in outcome(desk)
    assert Review.objects.get().state == State.DONE


def test_what_was_not_applied_can_be_reviewed_and_sent_again(desk: Desk, faults: Faults) -> None:
    chosen = desk.choose(NEW)
    address = chosen.wsgi_request.path
    faults("M21", cut="before", times=1)
    desk.confirm(chosen)
    desk.keeper.post(address, {"act": "reopen"})
    assert "Outcome unknown" in outcome(desk)
    assert "Review again" not in outcome(desk)
    with time_machine.travel(timezone.now() + timedelta(minutes=11)):
        page = outcome(desk)
        assert "Not applied" in page
        assert "Review again" in page
        desk.keeper.post(address, {"act": "reopen"})
        assert desk.confirm(chosen).status_code == 303
    assert desk.key() == NEW


def test_an_interrupted_replacement_is_compared_with_the_key_in_place(desk: Desk, faults: Faults) -> None:
    faults("M21", cut="before", times=1)
    chosen = desk.choose(NEW)
    desk.confirm(chosen)
    Review.objects.update(state=State.APPLYING, outcome=None)
    assert "is being replaced" in outcome(desk)
    ago = timezone.now() - timedelta(minutes=11)
    Review.objects.update(applied_at=ago)
    Entry.objects.update(started_at=ago)
    assert "Outcome unknown" in outcome(desk)
    desk.put(NEW)
    assert "Root key replaced and verified" in outcome(desk)
    assert Review.objects.get().state == State.DONE
    assert desk.confirm(chosen)["Location"] == chosen.wsgi_request.path


def test_the_outcome_checks_again_in_its_place(desk: Desk, calls: Calls) -> None:
    chosen = desk.choose()
    desk.confirm(chosen)
    calls()
    answer = desk.keeper.part(chosen.wsgi_request.path, "outcome")
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
    assert "tick the box to continue. Nothing was changed." in refused.text
    assert desk.key() == before
    assert desk.confirm(refused, production="on").status_code == 303
    assert desk.key() != before


@pytest.mark.parametrize("status", [429, 500])
def test_a_pasted_key_outlives_a_failure_of_the_service(desk: Desk, faults: Faults, status: int) -> None:
    desk.save()
    typed = {"saved": "on", "source": "paste", "key": NEW}
    faults("M20", status=status)
    failed = desk.keeper.post(desk.address("replacement"), typed)
    assert "The value you typed is kept." in failed.text
    assert NEW not in failed.text
    sealed = re.search(r'name="sealed" value="([^"]+)"', failed.text)
    assert sealed
    faults("M20", status=status, rate=0)
    answer = desk.keeper.post(desk.address("replacement"), {**typed, "key": "", "sealed": sealed[1]})
    assert answer.status_code == 303
    desk.confirm(desk.keeper.get(answer["Location"]))
    assert desk.key() == NEW
