"""Sending a plan: what goes out, what is read back, what the journal keeps."""

import json
import logging

import pytest
import time_machine
from django.contrib.sessions.models import Session

from dashboard.features.secrets.plans import key_of
from dashboard.journal.models import Entry, Outcome
from dashboard.team.models import Person
from tests.features.secrets.desk import REF, Desk
from tests.features.secrets.drafting import CANARY, Draft, box_of, calls_of, hidden, journaled, ticked
from tests.features.service import Calls, Faults
from tests.pages import PageClient


def test_one_request_saves_all_and_each_is_read_back(draft: Draft, desk: Desk, calls: Calls) -> None:
    new, changed, same = desk.name(), desk.put("old"), desk.put("same")
    plan = draft.plan(f"{new}={CANARY}\n{changed}={CANARY}\n{same}=same")
    calls()
    answer = draft.apply(plan)
    assert answer.status_code == 200
    assert "2 stored" in answer.text
    assert [call for call in calls_of(calls()) if call != "M1"] == ["M5", "M6", "M5"]
    assert desk.holds(new, CANARY)
    assert desk.holds(changed, CANARY)


def test_only_what_is_ticked_is_sent(draft: Draft, desk: Desk) -> None:
    one, other = desk.name(), desk.name()
    plan = draft.plan(f"{one}=1\n{other}=2")
    answer = draft.apply(plan, write=[box_of(plan, "write", one)])
    assert desk.holds(one, "1")
    assert desk.value(other) is None
    assert "1 was not ticked and not sent" in answer.text


def test_what_is_the_same_is_not_sent_even_when_asked_for(draft: Draft, desk: Desk) -> None:
    same, new = desk.put("same"), desk.name()
    plan = draft.plan(f"{same}=same\n{new}=1")
    draft.apply(plan, write=[key_of(same), key_of(new)])
    assert list(journaled("M6")[2]["values"]) == [new]


def test_deleting_wants_the_ref_and_is_one_request(draft: Draft, desk: Desk, calls: Calls) -> None:
    new, gone, stays = desk.name(), desk.put(), desk.put()
    plan = draft.plan(f"{new}=1")
    fields = {"delete": [box_of(plan, "delete", gone)]}
    for typed in ("", "wrong", REF.upper()):
        answer = draft.apply(plan, **fields, typed=typed)
        assert answer.status_code == 422
        assert f"Type {REF} to delete secrets" in answer.text
        assert ticked(answer, "delete") == fields["delete"]
    assert desk.value(new) is None
    calls()
    answer = draft.apply(plan, **fields, typed=REF)
    assert "1 stored, 1 deleted" in answer.text
    assert [call for call in calls_of(calls()) if call != "M1"] == ["M5", "M6", "M7", "M5"]
    assert desk.value(gone) is None
    assert desk.value(stays)
    assert desk.holds(new, "1")


def test_a_list_that_changed_meanwhile_stops_it(draft: Draft, desk: Desk, calls: Calls) -> None:
    new, changed, only = desk.name(), desk.put("old"), desk.put()
    plan = draft.plan(f"{new}=1\n{changed}=2")
    desk.management.secrets.create(REF, {changed: "somebody else's"})
    calls()
    answer = draft.apply(plan, delete=[box_of(plan, "delete", only)], typed=REF)
    assert answer.status_code == 409
    assert "changed since the plan was made. Nothing was sent." in answer.text
    assert set(calls_of(calls())) <= {"M1", "M5"}
    assert ticked(answer, "write") == [box_of(answer, "write", new)]
    assert ticked(answer, "delete") == []
    assert draft.apply(answer).status_code == 200
    assert desk.holds(new, "1")
    assert desk.holds(changed, "somebody else's")


def test_a_plan_sent_twice_is_applied_once(draft: Draft, desk: Desk, calls: Calls) -> None:
    name = desk.name()
    plan = draft.plan(f"{name}=1")
    draft.apply(plan)
    calls()
    desk.management.secrets.delete(REF, [name])
    second = draft.apply(plan)
    assert "M6" not in calls_of(calls())
    assert second.status_code in (200, 303)


def test_a_plan_holds_for_half_an_hour(draft: Draft, desk: Desk, owner: Person) -> None:
    name = desk.name()
    with time_machine.travel("2026-05-01T10:00:00Z", tick=False) as clock:
        draft.client.force_login(owner)
        plan = draft.plan(f"{name}=1")
        clock.shift(31 * 60)
        answer = draft.apply(plan)
    assert answer.status_code == 422
    assert "Nothing was sent" in answer.text
    assert desk.value(name) is None


def test_a_plan_of_somebody_else_is_not_applied(draft: Draft, desk: Desk, as_ada_with_token: PageClient) -> None:
    name = desk.name()
    answer = Draft(as_ada_with_token, desk).apply(draft.plan(f"{name}=1"))
    assert answer.status_code == 422
    assert desk.value(name) is None


def test_the_journal_keeps_digests_only(draft: Draft, desk: Desk, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    new, changed, gone = desk.name(), desk.put("old-canary"), desk.put("gone-canary")
    plan = draft.plan(f"{new}={CANARY}\n{changed}={CANARY}")
    answer = draft.apply(plan, delete=[box_of(plan, "delete", gone)], typed=REF)
    (saved, returned, sent), (deleted, gone_before, _) = journaled("M6"), journaled("M7")
    assert (saved.place, saved.outcome, deleted.outcome) == (REF, Outcome.DONE, Outcome.DONE)
    assert saved.target == f"2 secrets: {new}, {changed}"
    assert deleted.target == f"secret {gone}"
    assert set(sent["values"]) == {new, changed}
    assert set(returned["returned"]) == {changed}
    assert set(gone_before["returned"]) == {gone}
    assert all(value.startswith("sha256:") for value in (*sent["values"].values(), *returned["returned"].values()))
    written = json.dumps(list(Entry.objects.values()), default=str) + caplog.text + answer.text
    written += str([session.get_decoded() for session in Session.objects.all()])
    assert "canary" not in written


REFUSALS: dict[str, dict[str, object]] = {
    "does not accept what was sent": {"status": 400},
    "accepted, but not for this": {"status": 403},
    "does not accept the management token": {"status": 401},
    "asks to slow down": {"status": 429, "retry_after": 30},
}


@pytest.mark.parametrize("words", REFUSALS)
def test_a_refusal_changes_nothing_and_leaves_the_plan(
    draft: Draft, desk: Desk, faults: Faults, calls: Calls, words: str
) -> None:
    name, only = desk.name(), desk.put()
    plan = draft.plan(f"{name}={CANARY}")
    faults("M6", **REFUSALS[words])
    calls()
    answer = draft.apply(plan, delete=[box_of(plan, "delete", only)], typed=REF)
    assert answer.status_code == 422
    assert words in answer.text
    assert "Nothing was changed" in answer.text
    assert "M7" not in calls_of(calls())
    assert ticked(answer, "write") == [box_of(answer, "write", name)]
    assert CANARY not in answer.text
    assert Entry.objects.get(operation="M6").outcome == Outcome.REFUSED


def test_a_request_that_was_done_without_an_answer_is_settled_by_reading(draft: Draft, desk: Desk, faults: Faults) -> None:
    name, gone = desk.name(), desk.put()
    plan = draft.plan(f"{name}={CANARY}")
    faults("M6", cut="after")
    answer = draft.apply(plan, delete=[box_of(plan, "delete", gone)], typed=REF)
    assert answer.status_code == 200
    assert "1 stored, 1 deleted" in answer.text
    assert "settled by reading" in answer.text
    entry, _, after = journaled("M6")
    assert entry.outcome == Outcome.DONE
    assert after["read back"] == "all done"


def test_a_request_that_was_lost_is_told_by_name_and_nothing_is_deleted(
    draft: Draft, desk: Desk, faults: Faults, calls: Calls
) -> None:
    new, changed, only = desk.name(), desk.put("old"), desk.put()
    plan = draft.plan(f"{new}=1\n{changed}=2")
    faults("M6", cut="before")
    calls()
    answer = draft.apply(plan, delete=[box_of(plan, "delete", only)], typed=REF)
    assert answer.status_code == 200
    assert "1 holds another value, 1 missing, 1 not deleted: not sent" in answer.text
    assert "no answer came" in answer.text
    assert [call for call in calls_of(calls()) if call != "M1"] == ["M5", "M6", "M5"]
    assert Entry.objects.get(operation="M6").outcome == Outcome.UNKNOWN
    assert desk.value(only)


@pytest.mark.parametrize("fault", [{"status": 500}, {"html": True}])
def test_a_failure_of_the_service_is_settled_by_reading_too(
    draft: Draft, desk: Desk, faults: Faults, fault: dict[str, object]
) -> None:
    name = desk.name()
    plan = draft.plan(f"{name}=1")
    faults("M6", **fault)
    answer = draft.apply(plan)
    assert answer.status_code == 200
    assert ("1 stored" if desk.value(name) else "1 missing") in answer.text


def test_a_list_that_can_not_be_read_back_leaves_the_outcome_unknown(draft: Draft, desk: Desk, faults: Faults) -> None:
    name = desk.name()
    plan = draft.plan(f"{name}=1")
    faults("M6", cut="after")
    faults("M5", status=500, skip=1)
    answer = draft.apply(plan)
    assert "1 unknown" in answer.text
    assert "could not be read back" in answer.text
    assert Entry.objects.get(operation="M6").outcome == Outcome.UNKNOWN


def test_a_refused_deletion_is_told_beside_what_was_saved(draft: Draft, desk: Desk, faults: Faults) -> None:
    name, only = desk.name(), desk.put()
    plan = draft.plan(f"{name}=1")
    faults("M7", status=403)
    answer = draft.apply(plan, delete=[box_of(plan, "delete", only)], typed=REF)
    assert answer.status_code == 200
    assert "The deletion was not done" in answer.text
    assert "1 stored, 1 still there" in answer.text


def test_a_deletion_alone_sends_no_m6(draft: Draft, desk: Desk, calls: Calls) -> None:
    same, gone = desk.put("same"), desk.put()
    plan = draft.plan(f"{same}=same")
    calls()
    answer = draft.apply(plan, delete=[box_of(plan, "delete", gone)], typed=REF)
    assert "1 deleted" in answer.text
    assert [call for call in calls_of(calls()) if call != "M1"] == ["M5", "M7", "M5"]


def test_for_htmx_the_outcome_takes_the_place_of_the_draft(as_keeper: PageClient, desk: Desk) -> None:
    drafting = Draft(as_keeper, desk, htmx=True)
    answer = drafting.apply(drafting.plan(f"{desk.name()}=1"))
    assert answer["HX-Retarget"] == "#draft"
    assert 'id="draft"' in answer.text


def test_it_is_reached_by_posting_only(as_keeper: PageClient, visitor: PageClient, as_ada: PageClient, desk: Desk) -> None:
    assert as_keeper.get(desk.address("applied"))["Location"] == desk.address("draft")
    assert as_keeper.put(desk.address("applied")).status_code == 405
    assert visitor.post(desk.address("applied")).status_code == 302
    sealed = hidden(Draft(as_keeper, desk).plan("A=1"), "sealed")
    assert as_ada.post(desk.address("applied"), {"sealed": sealed}).status_code in (403, 422)
