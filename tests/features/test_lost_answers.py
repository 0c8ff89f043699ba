"""Every write whose answer gets lost is unknown until reading back shows what became of it."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.urls import reverse

from dashboard.features.hostname.services.watch import find_watch
from dashboard.interfaces.operations import WRITES, Doubt
from dashboard.jobs import schedules, settlement_queue
from dashboard.jobs.models import Schedule
from dashboard.jobs.unsettled import ENDED
from dashboard.journal.models import Entry, Outcome
from dashboard.notifications.models import Notification
from dashboard.team.models import Person
from dashboard.tokens.workspace import Workspace
from tests.features.lost import Lost, last, lost
from tests.features.objects.conftest import Desk
from tests.features.senders import SENDERS, Sender, object_desk
from tests.features.service import Calls, Faults
from tests.markup import parse
from tests.pages import PageClient

LONGEST_WAIT = timedelta(minutes=3)
MAY_RUN_FOR = timedelta(minutes=2)

__all__ = ["lost"]


@pytest.fixture(params=SENDERS)
def sender(request: pytest.FixtureRequest, lost: Lost, as_keeper: PageClient, owner: Person, ref: str) -> Sender:
    make: Callable[..., Sender] = SENDERS[request.param]
    return make(lost, as_keeper, owner, ref)


def writes(found: list[str], sender: Sender) -> list[str]:
    return [call for call in found if call == sender.request]


def test_every_operation_that_can_be_settled_is_tried_here() -> None:
    """Emptying a bucket (S3) is sent by a job: see `tests/features/bulk/test_tasks_lost_answers.py`."""
    assert {*SENDERS, "S3"} == settlement_queue.operations()
    assert settlement_queue.operations() == {ident for ident, row in WRITES.items() if row.settlement.doubt is not Doubt.JOB}


@pytest.mark.exhaustive
def test_its_page_leads_to_what_sends_it_once(sender: Sender, calls: Calls, as_keeper: PageClient) -> None:
    page = as_keeper.get(sender.page)
    leading = {value.partition("?")[0] for element in parse(page.text).root for value in element.attributes.values()}
    as_keeper.asked.clear()
    calls()
    sender.send()
    assert as_keeper.asked[0] in leading
    assert len(writes(calls(), sender)) == 1
    assert last(sender.operation).outcome == Outcome.DONE
    assert sender.is_applied()


@pytest.mark.exhaustive
def test_a_write_that_is_carried_out_late_is_unknown_and_then_done(sender: Sender, lost: Lost, calls: Calls) -> None:
    lost.applied_late(sender.operation)
    calls()
    sender.send()
    assert len(writes(calls(), sender)) == 1
    entry = last(sender.operation)
    assert (entry.outcome, entry.settled_at) == (Outcome.UNKNOWN, None)
    assert entry.check_until
    assert not sender.is_applied()
    lost.clear()
    assert sender.is_applied()
    lost.pass_time(timedelta(seconds=6))
    entry.refresh_from_db()
    assert entry.outcome == Outcome.DONE
    assert entry.settled_at
    assert not entry.check_until
    assert not Schedule.objects.filter(kind=settlement_queue.KIND).exists()


@pytest.mark.exhaustive
def test_no_answer_is_said_only_when_none_came(sender: Sender, lost: Lost, faults: Faults, as_keeper: PageClient) -> None:
    faults(sender.operation, status=504)
    answer = sender.send()
    entry = last(sender.operation)
    shown = [answer, as_keeper.get(f"/journal/{entry.pk}/"), as_keeper.get("/jobs/outcomes/", {"place": entry.place})]
    if answer.status_code in {302, 303}:
        shown.append(as_keeper.get(answer["Location"]))
    shown.append(as_keeper.get(f"/jobs/outcomes/{entry.pk}/"))
    texts = [page.text.lower() for page in shown]
    assert "the service answered 504" in texts[1]
    assert not [text for text in texts if "no answer" in text or "answer was lost" in text]


@pytest.mark.exhaustive
def test_a_write_that_is_never_carried_out_is_offered_again_only_as_not_applied(
    sender: Sender, lost: Lost, calls: Calls, as_keeper: PageClient
) -> None:
    lost.never_applied(sender.operation)
    sender.send()
    lost.clear()
    entry = last(sender.operation)
    assert entry.outcome == Outcome.UNKNOWN
    lost.pass_time(MAY_RUN_FOR - timedelta(seconds=1))
    calls()
    answer = sender.send()
    assert writes(calls(), sender) == []
    assert told(answer, as_keeper, sender.waits or "still being checked")
    entry.refresh_from_db()
    assert entry.outcome == Outcome.UNKNOWN
    lost.pass_time(timedelta(seconds=2))
    entry.refresh_from_db()
    assert (entry.outcome, entry.check_until) == (Outcome.NOT_APPLIED, None)
    assert "Not applied" in as_keeper.get(f"/journal/{entry.pk}/").text
    sender.send()
    assert len(writes(calls(), sender)) == 1
    assert last(sender.operation).outcome == Outcome.DONE
    assert sender.is_applied()


def told(answer: Any, client: PageClient, words: str) -> bool:
    """Whether an answer, or the page that it leads to, says so."""
    return words in answer.text or (answer.status_code in {302, 303} and words in client.get(answer["Location"]).text)


@pytest.mark.exhaustive
def test_what_the_service_itself_ended_is_not_applied_after_half_a_minute(
    sender: Sender, lost: Lost, faults: Faults, calls: Calls
) -> None:
    faults(sender.operation, status=500)
    sender.send()
    lost.clear()
    entry = last(sender.operation)
    is_certain = sender.operation.startswith("S")
    assert entry.outcome == (Outcome.NOT_APPLIED if is_certain else Outcome.UNKNOWN)
    for seconds in (6, 20):
        lost.pass_time(timedelta(seconds=seconds))
        entry.refresh_from_db()
        assert entry.outcome == (Outcome.NOT_APPLIED if is_certain else Outcome.UNKNOWN)
    lost.pass_time(timedelta(seconds=5))
    entry.refresh_from_db()
    assert (entry.outcome, entry.check_until) == (Outcome.NOT_APPLIED, None)
    calls()
    sender.send()
    assert len(writes(calls(), sender)) == 1
    assert sender.is_applied()


@pytest.mark.parametrize("status", [500, 501, 503, 540])
@pytest.mark.parametrize("operation", ["M23", "S5"])
def test_each_status_by_which_the_service_itself_ends_a_request_is_settled_within_half_a_minute(  # noqa: PLR0917 - pytest fills them by name
    operation: str, status: int, lost: Lost, faults: Faults, as_keeper: PageClient, owner: Person, ref: str
) -> None:
    sender = SENDERS[operation](lost, as_keeper, owner, ref)
    faults(operation, status=status)
    sender.send()
    lost.clear()
    assert last(operation).outcome == (Outcome.NOT_APPLIED if operation == "S5" else Outcome.UNKNOWN)
    lost.pass_time(timedelta(seconds=31))
    assert last(operation).outcome == Outcome.NOT_APPLIED
    assert len(messages(operation)) == (0 if operation == "S5" else 1), "what the answer itself said is not told again"
    sender.send()
    assert sender.is_applied()


@pytest.mark.parametrize(
    "fault", [{"status": 502}, {"status": 504}, {"status": 544}, {"html": True, "status": 500}, {"cut": "before"}]
)
def test_what_a_proxy_answered_may_still_run_for_two_minutes(  # noqa: PLR0917 - pytest fills them by name
    fault: dict[str, Any], lost: Lost, faults: Faults, as_keeper: PageClient, owner: Person, ref: str
) -> None:
    sender = SENDERS["M23"](lost, as_keeper, owner, ref)
    faults("M23", **fault)
    sender.send()
    lost.clear()
    lost.pass_time(MAY_RUN_FOR - timedelta(seconds=1))
    assert last("M23").outcome == Outcome.UNKNOWN
    lost.pass_time(timedelta(seconds=2))
    assert last("M23").outcome == Outcome.NOT_APPLIED


@pytest.mark.exhaustive
def test_check_now_reads_once_and_finds_what_was_carried_out(
    sender: Sender, lost: Lost, calls: Calls, as_keeper: PageClient
) -> None:
    lost.applied_late(sender.operation)
    sender.send()
    entry = last(sender.operation)
    calls()
    page = as_keeper.get(f"/jobs/outcomes/{entry.pk}/")
    assert "Still unknown" in page.text
    assert "Check now" in as_keeper.get(f"/journal/{entry.pk}/").text
    assert calls()
    lost.clear()
    page = as_keeper.get(f"/jobs/outcomes/{entry.pk}/")
    assert "Done." in page.text
    entry.refresh_from_db()
    assert entry.outcome == Outcome.DONE
    calls()
    as_keeper.get(f"/jobs/outcomes/{entry.pk}/")
    assert calls() == []
    assert 'hx-target="#dialog" hx-swap="innerHTML">Check now' not in as_keeper.get(f"/journal/{entry.pk}/").text


class TestADeletionDoneInPart:
    """Reading back shows some of the objects gone and some still there."""

    @pytest.fixture
    def desk(self, lost: Lost, as_keeper: PageClient, ref: str) -> Desk:
        return object_desk(lost, as_keeper, ref, "a.txt", "b.txt", "c.txt")

    def send(self, desk: Desk) -> Any:
        question = desk.client.post(desk.address("selection"), {"key": ["a.txt", "b.txt", "c.txt"]})["Location"]
        return desk.client.post(question, {"count": "3"})

    def test_its_entry_says_how_many_were_deleted(self, desk: Desk, lost: Lost) -> None:
        lost.never_applied("S8")
        self.send(desk)
        lost.clear()
        entry = last("S8")
        desk.storage.objects.delete(desk.bucket, "a.txt")
        lost.pass_time(MAY_RUN_FOR - timedelta(seconds=1))
        entry.refresh_from_db()
        assert entry.outcome == Outcome.UNKNOWN, "the others may still be deleted"
        lost.pass_time(timedelta(seconds=2))
        entry.refresh_from_db()
        assert (entry.outcome, entry.after) == (Outcome.PARTLY, {"done": 1, "of": 3})
        assert "1 of 3 verified" in desk.client.get(f"/journal/{entry.pk}/").text
        assert "1 of 3 done" in desk.client.get(f"/jobs/outcomes/{entry.pk}/").text
        assert "1 of 3 done" in desk.client.get("/jobs/outcomes/", {"place": desk.space, "seen": str(entry.pk)}).text
        assert "Partly applied" in desk.client.get("/journal/", {"outcome": "partly"}).text

    def test_a_request_that_the_service_ended_lists_what_is_left(self, desk: Desk, faults: Faults) -> None:
        desk.storage.objects.delete(desk.bucket, "a.txt")
        faults("S8", status=500)
        answer = self.send(desk)
        assert "1 of 3 deleted" in answer.text
        assert "b.txt" in answer.text
        assert (last("S8").outcome, last("S8").after) == (Outcome.PARTLY, {"done": 1, "of": 3})


@pytest.mark.parametrize("operation", ["S1", "S6"])
def test_the_list_of_buckets_settles_what_it_shows(
    operation: str, lost: Lost, as_keeper: PageClient, owner: Person, ref: str
) -> None:
    sender = SENDERS[operation](lost, as_keeper, owner, ref)
    lost.applied_late(operation)
    sender.send()
    assert last(operation).outcome == Outcome.UNKNOWN
    lost.clear()
    assert as_keeper.get(reverse("buckets:index", args=[ref])).status_code == 200
    assert last(operation).outcome == Outcome.DONE


def test_a_hostname_whose_answer_was_lost_is_watched_as_was_asked(
    lost: Lost, as_keeper: PageClient, owner: Person, ref: str
) -> None:
    sender = SENDERS["M17"](lost, as_keeper, owner, ref)
    lost.applied_late("M17")
    sender.send(watch="on")
    entry = last("M17")
    assert find_watch(Workspace(owner), entry.place) is None
    lost.clear()
    lost.clock.shift(timedelta(seconds=6))
    schedules.run_due()
    assert last("M17").outcome == Outcome.DONE
    found = find_watch(Workspace(owner), entry.place)
    assert found
    assert found.is_on


@pytest.mark.exhaustive
def test_a_write_of_a_killed_process_that_was_carried_out_is_found_to_be_done(
    sender: Sender, lost: Lost, calls: Calls, as_keeper: PageClient
) -> None:
    lost.applied_late(sender.operation)
    with lost.killed(sender.operation):
        sender.send()
    entry = last(sender.operation)
    assert entry.outcome == Outcome.OPEN
    lost.clear()
    lost.pass_time(timedelta(minutes=2))
    entry.refresh_from_db()
    assert entry.outcome == Outcome.OPEN
    lost.pass_time(LONGEST_WAIT - timedelta(minutes=1))
    lost.pass_time(timedelta(seconds=6))
    entry.refresh_from_db()
    if not sender.proved:
        lost.pass_time(MAY_RUN_FOR)
        entry.refresh_from_db()
    outcome = Outcome.DONE if sender.proved else Outcome.UNKNOWN
    assert (entry.outcome, entry.expected, entry.check_until) == (outcome, "", None)


@pytest.mark.exhaustive
def test_a_write_of_a_killed_process_is_offered_again_only_as_not_applied(
    sender: Sender, lost: Lost, calls: Calls, as_keeper: PageClient
) -> None:
    lost.never_applied(sender.operation)
    with lost.killed(sender.operation):
        sender.send()
    lost.clear()
    entry = last(sender.operation)
    calls()
    answer = sender.send()
    assert writes(calls(), sender) == []
    assert told(answer, as_keeper, sender.waits or "still being sent")
    lost.pass_time(LONGEST_WAIT + timedelta(seconds=1))
    answer = sender.send()
    assert writes(calls(), sender) == []
    assert told(answer, as_keeper, sender.waits or "still being checked")
    lost.pass_time(MAY_RUN_FOR + timedelta(seconds=1))
    entry.refresh_from_db()
    assert (entry.outcome, entry.expected) == (Outcome.NOT_APPLIED, "")
    sender.send()
    assert len(writes(calls(), sender)) == 1
    assert sender.is_applied()


@pytest.mark.exhaustive
def test_a_token_that_is_gone_leaves_the_outcome_unknown_and_lets_the_write_be_sent(
    sender: Sender, lost: Lost, owner: Person
) -> None:
    lost.never_applied(sender.operation)
    sender.send()
    owner.stored_tokens.all().delete()
    lost.pass_time(timedelta(seconds=6))
    entry = last(sender.operation)
    assert (entry.outcome, entry.check_until, entry.settled_at) == (Outcome.UNKNOWN, None, None)


def messages(operation: str) -> list[str]:
    found = Notification.objects.filter(kind=ENDED, key=str(last(operation).pk), person__isnull=False)
    return list(found.values_list("title", flat=True))


@pytest.mark.exhaustive
def test_every_doubt_ends_in_exactly_one_message(sender: Sender, lost: Lost) -> None:
    lost.never_applied(sender.operation)
    sender.send()
    lost.clear()
    assert messages(sender.operation) == []
    for _ in range(3):
        lost.pass_time(MAY_RUN_FOR + timedelta(seconds=1))
    (message,) = messages(sender.operation)
    assert "not applied as of" in message


def test_the_message_says_what_was_found_or_that_nothing_could_be(
    lost: Lost, as_keeper: PageClient, owner: Person, ref: str
) -> None:
    lifted, saved = SENDERS["M23"](lost, as_keeper, owner, ref), SENDERS["M6"](lost, as_keeper, owner, ref)
    lost.applied_late("M23")
    lifted.send()
    lost.clear()
    lost.never_applied("M6")
    saved.send()
    lost.clear()
    assert as_keeper.get(f"/jobs/outcomes/{last('M23').pk}/").status_code == 200
    owner.stored_tokens.all().delete()
    lost.pass_time(timedelta(seconds=6))
    assert "done. No answer came back." in messages("M23")[0]
    assert "unknown. No answer came back." in messages("M6")[0]
    assert len(messages("M23") + messages("M6")) == 2


@pytest.mark.exhaustive
def test_nobody_else_can_look_at_the_outcome(sender: Sender, lost: Lost, as_ada: PageClient) -> None:
    lost.never_applied(sender.operation)
    sender.send()
    assert as_ada.get(f"/jobs/outcomes/{Entry.objects.get(operation=sender.operation).pk}/").status_code == 404
