"""A write in doubt can be sent again, by oneself or a colleague, as long as the state is the one from before it."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.urls import reverse

from dashboard.interfaces.operations import WRITES, Doubt
from dashboard.jobs import resend, settlement
from dashboard.jobs.models import Schedule
from dashboard.jobs.unsettled import ENDED
from dashboard.journal.models import Entry, Outcome
from dashboard.notifications.models import Notification
from dashboard.team.models import Person, Role
from tests.features.functions import desk as functions
from tests.features.lost import Lost, last, lost
from tests.features.network import desk as network
from tests.features.secrets import desk as secrets
from tests.features.senders import LAB, SENDERS, Sender
from tests.features.service import Calls
from tests.pages import PageClient
from tests.people import client_of, hold

MAY_RUN_FOR = timedelta(minutes=2)

__all__ = ["lost"]

# Those that may be repeated: the document calls them safe to send twice.
OPERATIONS = ("M6", "M7", "M13", "M21", "M23", "M25")
CANARY = "canary"


@pytest.fixture(params=OPERATIONS)
def sender(request: pytest.FixtureRequest, lost: Lost, as_keeper: PageClient, owner: Person, ref: str) -> Sender:
    return SENDERS[request.param](lost, as_keeper, owner, ref)


def doubt(sender: Sender, lost: Lost) -> Entry:
    """Send it, and lose request and answer."""
    lost.never_applied(sender.operation)
    sender.send()
    lost.clear()
    entry = last(sender.operation)
    assert (entry.outcome, bool(entry.check_until)) == (Outcome.UNKNOWN, True)
    return entry


def address(entry: Entry) -> str:
    return reverse("jobs:resend", args=[entry.pk, entry.place])


def messages(entry: Entry) -> list[str]:
    return [told.title for told in Notification.objects.filter(kind=ENDED, key=str(entry.pk), person__isnull=False)]


def test_each_has_a_place_where_it_is_reviewed_again() -> None:
    """Views name it, so it is known once the addresses are."""
    reverse("jobs:doubts")
    assert resend._reviews.keys() == {*OPERATIONS}
    assert {*OPERATIONS} == {ident for ident, row in WRITES.items() if row.settlement.doubt is Doubt.RESEND}


def test_it_is_sent_again_at_once_and_both_entries_end(sender: Sender, lost: Lost, calls: Calls, as_keeper: PageClient) -> None:
    entry = doubt(sender, lost)
    assert f'href="{address(entry)}"' in as_keeper.get(f"/jobs/outcomes/{entry.pk}/").text
    asked = as_keeper.get(address(entry))
    assert "Send again" in asked.text
    calls()
    answer = as_keeper.send(address(entry))
    assert calls().count(sender.request) == 1
    assert "Sent again and verified" in answer.text
    assert sender.is_applied()
    again = last(sender.operation)
    entry.refresh_from_db()
    assert again.pk != entry.pk
    assert [(one.outcome, one.expected, one.check_until) for one in (entry, again)] == [(Outcome.DONE, "", None)] * 2
    assert (len(messages(entry)), messages(again)) == (1, [])
    lost.pass_time(MAY_RUN_FOR)
    assert len(messages(entry)) == 1
    calls()
    assert "Outcome of your request" in as_keeper.get(address(entry), follow=True).text
    as_keeper.send(address(entry))
    assert sender.request not in calls()


def test_the_same_write_is_led_there_and_another_one_waits(
    sender: Sender, lost: Lost, calls: Calls, as_keeper: PageClient
) -> None:
    entry = doubt(sender, lost)
    calls()
    answer = sender.send()
    assert sender.request not in calls()
    offered = answer if "still being checked" in answer.text else as_keeper.get(answer["Location"])
    assert "still being checked" in offered.text
    if sender.operation == "M6":
        assert f'href="{address(entry)}"' in offered.text
        other = as_keeper.send(secrets.Desk(lost.management).address("new"), name=entry.target.split()[1], value="another")
        assert "still being checked" in other.text
        assert address(entry) not in other.text


def _secret(lost: Lost, entry: Entry) -> None:
    lost.management.secrets.create(LAB, {entry.target.removeprefix("secret "): "of somebody else"})


def _function(lost: Lost, entry: Entry) -> None:
    lost.management.functions.update(LAB, entry.target.removeprefix("function "), name="renamed", verify_jwt=True)


# Changes by somebody else, and what is shown instead: the new review, or the form.
OTHERS: dict[str, tuple[Callable[[Lost, Entry], Any], str]] = {
    "M6": (_secret, "secrets:review"),
    "M7": (_secret, "secrets:delete"),
    "M13": (_function, "functions:delete"),
    "M21": (lambda lost, _entry: lost.management.encryption.update(LAB, root_key="ab" * 32), "encryption:review"),
    "M25": (lambda lost, _entry: network.Desk(lost.management).put("192.0.2.0/24"), "network:review"),
}


@pytest.mark.parametrize("operation", OTHERS)
def test_nothing_is_sent_once_the_state_is_another_and_it_is_reviewed_anew(  # noqa: PLR0917 - pytest fills them by name
    operation: str, lost: Lost, as_keeper: PageClient, owner: Person, ref: str, calls: Calls
) -> None:
    sender, (change, view) = SENDERS[operation](lost, as_keeper, owner, ref), OTHERS[operation]
    entry = doubt(sender, lost)
    change(lost, entry)
    calls()
    answer = as_keeper.post(address(entry))
    assert sender.request not in calls()
    shown = as_keeper.get(answer["Location"])
    assert shown.resolver_match.view_name == view
    assert "Nothing was sent: the state changed" in shown.text
    entry.refresh_from_db()
    assert (entry.outcome, messages(entry)) == (Outcome.UNKNOWN, [])


def test_of_several_bans_none_is_lifted_again_once_one_was_lifted_by_somebody_else(
    lost: Lost, as_keeper: PageClient, calls: Calls
) -> None:
    bans = network.Bans(lost.service, lost.management)
    bans.put("198.51.100.7", "198.51.100.8")
    lost.never_applied("M23")
    as_keeper.send(bans.address("lift"), addresses="198.51.100.7\n198.51.100.8")
    lost.clear()
    lost.management.network.unban(network.STAGING, ["198.51.100.8"])
    calls()
    answer = as_keeper.post(address(last("M23")))
    assert [call for call in calls() if call.startswith("DELETE")] == []
    assert answer["Location"] == bans.address("bans")


def test_several_secrets_of_a_pasted_env_are_sent_again_together(lost: Lost, as_keeper: PageClient, owner: Person) -> None:
    desk = secrets.Desk(lost.management)
    first, second = desk.name(), desk.name()
    review = as_keeper.post(desk.address("draft"), {"text": f"{first}=1\n{second}=2", "act": "review"})["Location"]
    lost.never_applied("M6")
    form = as_keeper.get(review).context["plan"]
    assert len(form.to_send) == 2
    page = as_keeper.get(review)
    boxes = [line.split('value="')[1].split('"')[0] for line in page.text.split("<input") if 'name="write"' in line]
    seen = page.text.split('name="seen" value="')[1].split('"')[0]
    as_keeper.post(review, {"act": "save", "write": boxes, "seen": seen})
    lost.clear()
    entry = last("M6")
    assert "Sent again and verified" in as_keeper.send(address(entry)).text
    assert (desk.value(first), desk.value(second)) != (None, None)
    assert "Saved 2 secrets" in as_keeper.get(review).text


class TestAColleague:
    @pytest.fixture
    def entry(self, lost: Lost, as_keeper: PageClient, owner: Person, ref: str) -> Entry:
        return doubt(SENDERS["M6"](lost, as_keeper, owner, ref), lost)

    def test_may_send_it_again_with_their_own_right_and_token_and_sees_no_value(
        self, entry: Entry, lost: Lost, ada: Person, as_ada: PageClient
    ) -> None:
        hold(ada, lost.service.personal_token)
        shown = as_ada.get(f"/jobs/outcomes/{entry.pk}/")
        assert f'href="{address(entry)}"' in shown.text
        asked, answer = as_ada.get(address(entry)), as_ada.send(address(entry))
        assert "Sent again and verified" in answer.text
        assert not [page for page in (shown, asked, answer) if CANARY in page.text]
        again = last("M6")
        assert (again.person, again.outcome) == (ada, Outcome.DONE)
        assert secrets.Desk(lost.management).value(entry.target.removeprefix("secret ")) is not None

    def test_reviews_nothing_anew_where_the_state_is_another(
        self, entry: Entry, lost: Lost, ada: Person, as_ada: PageClient, calls: Calls
    ) -> None:
        hold(ada, lost.service.personal_token)
        _secret(lost, entry)
        calls()
        answer = as_ada.send(address(entry))
        assert answer.status_code == 409
        assert "Only Olga Owner can review it again." in answer.text
        assert CANARY not in answer.text
        assert not [call for call in calls() if call.startswith("POST")]

    def test_without_a_token_finds_nothing(self, entry: Entry, as_ada: PageClient) -> None:
        assert {as_ada.get(path).status_code for path in (f"/jobs/outcomes/{entry.pk}/", address(entry))} == {404}

    def test_without_the_right_finds_nothing(self, entry: Entry, lost: Lost, ada: Person) -> None:
        hold(ada, lost.service.personal_token)
        Person.objects.filter(pk=ada.pk).update(role=Role.VIEWER)
        client = client_of(Person.objects.get(pk=ada.pk))
        assert {client.get(path).status_code for path in (f"/jobs/outcomes/{entry.pk}/", address(entry))} == {404}

    def test_sends_nothing_while_the_author_is_locked(
        self, entry: Entry, lost: Lost, ada: Person, as_ada: PageClient, calls: Calls
    ) -> None:
        hold(ada, lost.service.personal_token)
        assert as_ada.get(address(entry)).status_code == 200
        Person.objects.filter(pk=entry.person_id).update(locked_at=entry.started_at)
        calls()
        assert as_ada.send(address(entry)).status_code == 404
        assert calls() == []


def test_the_root_key_is_sent_again_only_after_a_confirmation(lost: Lost, as_keeper: PageClient, owner: Person, ref: str) -> None:
    entry = doubt(SENDERS["M21"](lost, as_keeper, owner, ref), lost)
    session = as_keeper.session
    session.pop("fresh_sign_in")
    session.save()
    assert as_keeper.get(address(entry))["Location"].startswith(reverse("account_reauthenticate"))
    assert as_keeper.post(address(entry)).status_code == 403
    assert last("M21") == entry


@pytest.mark.parametrize("operation", ["M6", "M21"])
def test_what_is_to_be_sent_is_sealed_and_erased_after_a_day_at_most(  # noqa: PLR0917 - pytest fills them by name
    operation: str, lost: Lost, as_keeper: PageClient, owner: Person, ref: str, calls: Calls
) -> None:
    entry = doubt(SENDERS[operation](lost, as_keeper, owner, ref), lost)
    assert entry.expected
    assert CANARY not in entry.expected
    Schedule.objects.all().delete()
    Entry.objects.update(check_until=entry.started_at + timedelta(days=2))
    lost.clock.shift(timedelta(hours=25))
    owner.refresh_from_db()
    calls()
    client_of(owner).send(address(entry))
    assert not [call for call in calls() if call.startswith(("POST", "PUT"))], "too old, even before a worker erased it"
    settlement.adopt()
    entry.refresh_from_db()
    assert (entry.outcome, entry.expected, entry.check_until) == (Outcome.UNKNOWN, "", None)
    assert len(messages(entry)) == 1


def test_a_function_that_is_deleted_again_keeps_its_body(lost: Lost, as_keeper: PageClient, owner: Person, ref: str) -> None:
    entry = doubt(SENDERS["M13"](lost, as_keeper, owner, ref), lost)
    as_keeper.send(address(entry))
    slug = entry.target.removeprefix("function ")
    versions = as_keeper.get(functions.Desk(lost.management).address("versions", slug))
    assert versions.status_code == 200
    assert slug in versions.text
