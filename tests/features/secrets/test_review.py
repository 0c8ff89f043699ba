"""Saving a review: what goes out, what is read back, what is kept when it fails, what the journal says."""

import json
import logging
from datetime import timedelta

import pytest
import time_machine
from django.contrib.sessions.models import Session
from django.utils import timezone

from dashboard.features.secrets.rules.comparison import key_of
from dashboard.journal.models import Entry, Outcome
from dashboard.reviews.models import Part, Review, State
from dashboard.team.models import Person
from tests.features.secrets.desk import NAME, REF, Desk
from tests.features.secrets.drafting import CANARY, Draft, box_of, calls_of, hidden, journaled, ticked
from tests.features.service import Calls, Faults, Overtaken
from tests.pages import PageClient

MAY_RUN_FOR = timedelta(minutes=2)


@pytest.fixture
def draft(as_keeper: PageClient, desk: Desk) -> Draft:
    """The review has no script of its own but a count."""
    return Draft(as_keeper, desk)


def test_one_request_saves_all_and_each_is_read_back(draft: Draft, desk: Desk, calls: Calls) -> None:
    new, changed, same = desk.name(), desk.put("old"), desk.put("same")
    page = draft.review(f"{new}={CANARY}\n{changed}={CANARY}\n{same}=same")
    calls()
    answer = draft.save(page)
    assert answer.status_code == 200
    assert "Saved 2 secrets" in answer.text
    assert "Verified: all saved as entered." in answer.text
    assert [call for call in calls_of(calls()) if call != "M1"] == ["M5", "M6", "M5", "M5"]
    assert desk.holds(new, CANARY)
    assert desk.holds(changed, CANARY)


def test_once_all_is_saved_it_leads_back_to_the_list_with_a_notice_of_the_details(draft: Draft, desk: Desk) -> None:
    page = draft.review(f"{desk.name()}={CANARY}\n{desk.name()}={CANARY}")
    answer = draft.act(page, "save", seen=hidden(page, "seen"), write=ticked(page, "write"))
    assert answer.request["PATH_INFO"] == desk.address("index")
    assert f'Saved 2 secrets. <a href="{page.request["PATH_INFO"]}">Details</a>' in answer.text


def test_only_what_is_ticked_is_sent(draft: Draft, desk: Desk) -> None:
    one, other = desk.name(), desk.name()
    page = draft.review(f"{one}=1\n{other}=2")
    answer = draft.save(page, write=[box_of(page, "write", one)])
    assert desk.holds(one, "1")
    assert desk.value(other) is None
    assert "1 was not ticked and not saved" in answer.text


def test_what_is_the_same_is_not_sent_even_when_asked_for(draft: Draft, desk: Desk) -> None:
    same, new = desk.put("same"), desk.name()
    page = draft.review(f"{same}=same\n{new}=1")
    draft.save(page, write=[key_of(same), key_of(new)])
    assert list(journaled("M6")[2]["values"]) == [new]


def test_deleting_wants_the_projects_name_and_is_one_request(draft: Draft, desk: Desk, calls: Calls) -> None:
    new, gone, stays = desk.name(), desk.put(), desk.put()
    page = draft.review(f"{new}=1")
    fields = {"delete": [box_of(page, "delete", gone)]}
    for typed in ("", "wrong", REF, NAME.upper()):
        answer = draft.save(page, **fields, typed=typed)
        assert answer.status_code == 422
        assert f"{NAME} to continue" in answer.text if not typed else f"This does not match {NAME}." in answer.text
        assert ticked(answer, "delete") == fields["delete"]
    assert desk.value(new) is None
    calls()
    answer = draft.save(page, **fields, typed=NAME)
    assert "1 saved, 1 deleted" in answer.text
    assert [call for call in calls_of(calls()) if call != "M1"] == ["M5", "M6", "M7", "M5", "M5"]
    assert desk.value(gone) is None
    assert desk.value(stays)
    assert desk.holds(new, "1")


def test_a_list_that_changed_meanwhile_stops_it(draft: Draft, desk: Desk, calls: Calls) -> None:
    new, changed, only = desk.name(), desk.put("old"), desk.put()
    page = draft.review(f"{new}=1\n{changed}=2")
    desk.management.secrets.create(REF, {changed: "somebody else's"})
    calls()
    answer = draft.save(page, delete=[box_of(page, "delete", only)], typed=NAME)
    assert answer.status_code == 409
    assert "Nothing was saved" in answer.text
    assert set(calls_of(calls())) <= {"M1", "M5"}
    assert ticked(answer, "write") == [box_of(answer, "write", new)]
    assert ticked(answer, "delete") == []
    assert draft.save(answer).status_code == 200
    assert desk.holds(new, "1")
    assert desk.holds(changed, "somebody else's")


def test_a_draft_that_was_edited_in_another_tab_stops_it(draft: Draft, desk: Desk) -> None:
    name = desk.name()
    page = draft.review(f"{name}=seen")
    rows = draft.client.get(f"{page.request['PATH_INFO']}rows/")
    draft.save_rows(rows, value=["not seen", ""])
    answer = draft.save(page)
    assert answer.status_code == 409
    assert desk.value(name) is None


def test_it_is_saved_once_and_later_visits_see_the_outcome(draft: Draft, desk: Desk, calls: Calls) -> None:
    name = desk.name()
    page = draft.review(f"{name}=1")
    draft.save(page)
    desk.management.secrets.delete(REF, [name])
    calls()
    for answer in (draft.save(page), draft.client.get(page.request["PATH_INFO"])):
        assert "Saved 1 secret" in answer.text
    assert "M6" not in calls_of(calls())


def test_a_draft_that_was_saved_meanwhile_is_not_called_discarded(draft: Draft, desk: Desk) -> None:
    page = draft.review(f"{desk.name()}=1")
    draft.save(page)
    answer = draft.act(page, "discard")
    assert "Saved 1 secret" in answer.text
    assert "discarded" not in answer.text


def test_a_saved_draft_is_erased(draft: Draft, desk: Desk) -> None:
    draft.save(draft.review(f"{desk.name()}=1"))
    assert Part.objects.count() == 0
    assert Review.objects.get().state == State.DONE


def test_the_journal_keeps_digests_only(draft: Draft, desk: Desk, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    new, changed, gone = desk.name(), desk.put("old-canary"), desk.put("gone-canary")
    page = draft.review(f"{new}={CANARY}\n{changed}={CANARY}")
    answer = draft.save(page, delete=[box_of(page, "delete", gone)], typed=NAME)
    (saved, returned, sent), (deleted, gone_before, _) = journaled("M6"), journaled("M7")
    assert (saved.place, saved.outcome, deleted.outcome) == (REF, Outcome.DONE, Outcome.DONE)
    assert saved.target == f"2 secrets: {new}, {changed}"
    assert deleted.target == f"secret {gone}"
    assert set(sent["values"]) == {new, changed}
    assert set(returned["returned"]) == {changed}
    assert set(gone_before["returned"]) == {gone}
    assert all(value.startswith("sha256:") for value in (*sent["values"].values(), *returned["returned"].values()))
    written = json.dumps(list(Entry.objects.values()), default=str) + caplog.text + answer.text
    written += str([session.get_decoded() for session in Session.objects.all()]) + json.dumps(Review.objects.get().outcome)
    assert "canary" not in written


REFUSALS: dict[str, dict[str, object]] = {
    "does not accept these values": {"status": 400},
    "accepts your token, but not for this": {"status": 403},
    "did not accept the management token": {"status": 401},
    "asks us to slow down": {"status": 429, "retry_after": 30},
}


@pytest.mark.parametrize("words", REFUSALS)
def test_a_refusal_changes_nothing_and_leaves_the_draft_open(
    draft: Draft, desk: Desk, faults: Faults, calls: Calls, words: str
) -> None:
    name, only = desk.name(), desk.put()
    page = draft.review(f"{name}={CANARY}")
    faults("M6", **REFUSALS[words], message="These are its own words")
    calls()
    answer = draft.save(page, delete=[box_of(page, "delete", only)], typed=NAME)
    assert answer.status_code == 422
    assert words in answer.text
    assert "These are its own words" in answer.text
    assert "Nothing was changed" in answer.text
    assert "M7" not in calls_of(calls())
    assert ticked(answer, "write") == [box_of(answer, "write", name)]
    assert CANARY not in answer.text
    assert Entry.objects.get(operation="M6").outcome == Outcome.REFUSED
    faults("M6", delay=0.001)
    draft.save(answer)
    assert desk.holds(name, CANARY)


def test_a_request_that_was_done_without_an_answer_is_settled_by_reading(draft: Draft, desk: Desk, faults: Faults) -> None:
    name, gone = desk.name(), desk.put()
    page = draft.review(f"{name}={CANARY}")
    faults("M6", cut="after")
    answer = draft.save(page, delete=[box_of(page, "delete", gone)], typed=NAME)
    assert "1 saved, 1 deleted" in answer.text
    assert "Verified: all saved as entered." in answer.text
    assert journaled("M6")[0].outcome == Outcome.DONE


def test_after_a_500_the_draft_stays_and_is_saved_half_a_minute_later(
    draft: Draft, desk: Desk, faults: Faults, calls: Calls
) -> None:
    new, changed, only = desk.name(), desk.put("old"), desk.put()
    page = draft.review(f"{new}={CANARY}\n{changed}={CANARY}")
    faults("M6", status=500, message="Failed to create project's secrets", times=1)
    calls()
    answer = draft.save(page, delete=[box_of(page, "delete", only)], typed=NAME)
    assert "M7" not in calls_of(calls())
    assert "Outcome unknown: 0 of 2 changes found" in answer.text
    assert "Failed to create project&#x27;s secrets" in answer.text
    assert "Missing" in answer.text
    assert "Not as entered" in answer.text
    assert f"1 deletion was not sent: {only}" in answer.text
    assert CANARY not in answer.text
    assert Entry.objects.get(operation="M6").outcome == Outcome.UNKNOWN
    Entry.objects.update(check_until=timezone.now())
    answer = draft.client.get(page.request["PATH_INFO"])
    assert "Not applied as of" in answer.text
    assert "Your draft is kept" in answer.text
    again = draft.act(answer, "reopen")
    assert Entry.objects.get(operation="M6").outcome == Outcome.NOT_APPLIED
    assert "1 new, 1 changed" in again.text
    answer = draft.save(again)
    assert "Saved 2 secrets" in answer.text
    assert desk.holds(new, CANARY)
    assert desk.holds(changed, CANARY)


LOST = {
    "the page of a proxy": {"html": True},
    "the words of a proxy that gave up": {"plain": True},
    "a cut connection": {"cut": "before"},
}


@pytest.mark.parametrize("fault", LOST.values(), ids=LOST)
def test_a_request_that_may_still_run_is_not_offered_again_for_two_minutes(  # noqa: PLR0917 - pytest fills them by name
    draft: Draft, desk: Desk, faults: Faults, calls: Calls, owner: Person, fault: dict[str, object]
) -> None:
    name = desk.name()
    page = draft.review(f"{name}={CANARY}")
    faults("M6", **fault, times=1)
    answer = draft.save(page)
    assert "Outcome unknown: 0 of 1 change found" in answer.text
    assert "The request may still be running" in answer.text
    assert "Review again" not in answer.text
    calls()
    assert "may still be running" in draft.act(answer, "reopen").text
    assert "may still be running" in draft.save(page).text
    assert "M6" not in calls_of(calls())
    with time_machine.travel(timezone.now() + MAY_RUN_FOR, tick=True):
        draft.client.force_login(owner)
        answer = draft.client.get(page.request["PATH_INFO"])
        assert "Not applied as of" in answer.text
        draft.save(draft.act(answer, "reopen"))
    assert desk.holds(name, CANARY)


def test_a_request_that_is_done_later_is_found_at_the_next_visit(draft: Draft, desk: Desk, faults: Faults) -> None:
    one, other = desk.name(), desk.name()
    page = draft.review(f"{one}={CANARY}\n{other}={CANARY}")
    faults("M6", cut="before", times=1)
    assert "0 of 2 changes found" in draft.save(page).text
    desk.management.secrets.create(REF, {one: CANARY})
    assert "1 of 2 changes found" in draft.client.get(page.request["PATH_INFO"]).text
    assert "Check outcome" in draft.client.get(desk.address("index")).text
    desk.management.secrets.create(REF, {other: CANARY})
    answer = draft.client.get(page.request["PATH_INFO"])
    assert "Verified: all saved as entered." in answer.text
    assert Part.objects.count() == 0
    assert Entry.objects.get(operation="M6").outcome == Outcome.DONE


def test_an_unreadable_list_leaves_the_outcome_unknown_until_it_can_be_read(draft: Draft, desk: Desk, faults: Faults) -> None:
    name = desk.name()
    page = draft.review(f"{name}=1")
    faults("M6", cut="after")
    faults("M5", status=500, skip=1)
    answer = draft.save(page)
    assert "Outcome unknown" in answer.text
    assert "Couldn't verify the change." in answer.text
    assert Entry.objects.get(operation="M6").outcome == Outcome.UNKNOWN
    faults("M5", delay=0.001)
    assert "Saved 1 secret" in draft.client.get(page.request["PATH_INFO"]).text


def test_what_the_service_confirmed_is_done_even_if_it_can_not_be_read_back(draft: Draft, desk: Desk, faults: Faults) -> None:
    page = draft.review(f"{desk.name()}=1")
    faults("M5", status=500, skip=1)
    answer = draft.save(page)
    assert "1 not verified" in answer.text
    assert "The service confirmed the change, but we couldn't verify it." in answer.text
    assert Review.objects.get().state == State.DONE


def test_an_interrupted_save_is_compared_as_a_whole(draft: Draft, desk: Desk) -> None:
    name = desk.name()
    page = draft.review(f"{name}={CANARY}")
    ago = timezone.now() - timedelta(minutes=11)
    Review.objects.update(state=State.APPLYING, applied_at=ago)
    answer = draft.client.get(page.request["PATH_INFO"])
    assert "Outcome unknown: 0 of 1 change found" in answer.text
    assert "interrupted" in answer.text
    desk.management.secrets.create(REF, {name: CANARY})
    address = page.request["PATH_INFO"]
    assert "1 of 1 change found" in draft.client.get(address).text
    assert Review.objects.get().state == State.UNKNOWN
    Entry.objects.create(
        person=Review.objects.get().person,
        operation="M6",
        place=REF,
        target=name,
        outcome=Outcome.DONE,
        started_at=ago + timedelta(seconds=1),
    )
    assert "Saved 1 secret" in draft.client.get(address).text


def test_what_was_interrupted_between_two_requests_is_not_taken_for_done(draft: Draft, desk: Desk) -> None:
    saved, unsaved = desk.name(), desk.name()
    page = draft.review(f"{saved}={CANARY}\n{unsaved}={CANARY}")
    ago = timezone.now() - timedelta(minutes=11)
    Review.objects.update(state=State.APPLYING, applied_at=ago)
    desk.management.secrets.create(REF, {saved: CANARY})
    person = Review.objects.get().person
    Entry.objects.create(
        person=person, operation="M6", place=REF, target=saved, outcome=Outcome.DONE, started_at=ago + timedelta(seconds=1)
    )
    address = page.request["PATH_INFO"]
    assert "1 of 2 changes found" in draft.client.get(address).text
    assert Review.objects.get().state == State.UNKNOWN
    draft.client.post(address, {"act": "reopen"})
    assert Review.objects.get().state == State.OPEN


def test_while_it_is_being_saved_another_tab_says_so(draft: Draft, desk: Desk) -> None:
    page = draft.review(f"{desk.name()}=1")
    Review.objects.update(state=State.APPLYING, applied_at=timezone.now())
    assert "These secrets are being saved" in draft.save(page).text


def test_a_refused_deletion_is_told_beside_what_was_saved(draft: Draft, desk: Desk, faults: Faults) -> None:
    name, only = desk.name(), desk.put()
    page = draft.review(f"{name}=1")
    faults("M7", status=403)
    answer = draft.save(page, delete=[box_of(page, "delete", only)], typed=NAME)
    assert "Nothing was deleted" in answer.text
    assert "1 saved, 1 not deleted" in answer.text


def test_a_deletion_alone_sends_no_m6(draft: Draft, desk: Desk, calls: Calls) -> None:
    same, gone = desk.put("same"), desk.put()
    page = draft.review(f"{same}=same")
    calls()
    answer = draft.save(page, delete=[box_of(page, "delete", gone)], typed=NAME)
    assert "Deleted 1 secret" in answer.text
    assert "Verified: all deleted." in answer.text
    assert [call for call in calls_of(calls()) if call != "M1"] == ["M5", "M7", "M5", "M5"]


def test_a_deletion_alone_that_is_refused_changes_nothing_and_can_be_repeated(draft: Draft, desk: Desk, faults: Faults) -> None:
    same, stays = desk.put("same"), desk.put()
    page = draft.review(f"{same}=same")
    faults("M7", status=403, message="Not this one", times=1)
    refused = draft.save(page, delete=[box_of(page, "delete", stays)], typed=NAME)
    assert refused.status_code == 422
    assert "Not this one" in refused.text
    assert desk.value(stays)
    assert "Deleted 1 secret" in draft.save(refused, delete=[box_of(refused, "delete", stays)], typed=NAME).text


@pytest.mark.django_db(transaction=True)
def test_a_second_press_that_reads_what_the_first_saved_leads_to_the_outcome(
    draft: Draft, desk: Desk, overtaken: Overtaken
) -> None:
    page = draft.review(f"{desk.name()}=1")
    first = overtaken(f"GET /v1/projects/{REF}/secrets", lambda: draft.save(page))
    second = draft.save(page)
    for answer in (*first, second):
        assert answer.status_code == 200
        assert "Saved 1 secret" in answer.text


@pytest.mark.parametrize("status", [500, 401])
def test_a_list_that_can_not_be_read_before_saving_is_said_to_change_nothing(
    draft: Draft, desk: Desk, faults: Faults, status: int
) -> None:
    page = draft.review(f"{desk.name()}=1")
    faults("M5", status=status, times=2)
    assert "Nothing was changed." in draft.save(page).text
    assert "Nothing was changed." not in draft.client.get(page.request["PATH_INFO"]).text


def test_the_rows_of_a_saved_draft_lead_to_its_outcome(draft: Draft, desk: Desk) -> None:
    page = draft.rows(f"{desk.name()}=1")
    saved = draft.save(draft.save_rows(page))
    again = draft.client.get(page.request["PATH_INFO"], follow=True)
    assert again.redirect_chain
    assert "Saved 1 secret" in saved.text
    assert "Saved 1 secret" in again.text


def test_an_unknown_act_shows_the_comparison_again(draft: Draft) -> None:
    path = draft.review("A=1").request["PATH_INFO"]
    assert "1 new" in draft.act(draft.client.get(path), "nonsense").text
