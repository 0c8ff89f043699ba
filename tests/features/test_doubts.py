"""Pages while the outcome of a change is unknown: the line, the list of all, and forms for the same thing."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from dashboard.journal.models import Entry, Outcome
from dashboard.team.models import Person
from tests.features.lost import Lost, last, lost
from tests.features.network import desk as network
from tests.features.senders import LAB, SENDERS
from tests.pages import PageClient

MAY_RUN_FOR = timedelta(minutes=2)

__all__ = ["lost"]

# What is typed into the form of each operation that has one.
FORMS = ("M2", "M4", "M6", "M9", "M12", "M17", "M21", "S1", "S5")


@pytest.mark.parametrize("operation", FORMS)
def test_a_form_that_has_to_wait_keeps_what_was_typed_without_script(
    operation: str, lost: Lost, as_keeper: PageClient, owner: Person, ref: str
) -> None:
    sender = SENDERS[operation](lost, as_keeper, owner, ref)
    lost.never_applied(operation)
    sender.send()
    lost.clear()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(as_keeper, "send", lambda address, **fields: as_keeper.post(address, fields))
        answer = sender.send()
    assert answer.status_code == 422
    assert "still being checked" in answer.text
    assert "<form" in answer.text
    typed = {key: value for key, value in answer.wsgi_request.POST.items() if key not in {"value", "shown"}}
    assert typed or operation == "M9", "the review of a function asks for a note only"
    assert all(f'value="{value}"' in answer.text or value == "on" for value in typed.values())


# Where the change is offered.
OFFERED = {
    "M7": ("secrets:index", LAB),
    "M13": ("functions:index", LAB),
    "M23": ("network:bans", network.STAGING),
}


@pytest.mark.parametrize("operation", OFFERED)
def test_a_page_offers_no_change_of_what_is_being_checked(
    operation: str, lost: Lost, as_keeper: PageClient, owner: Person, ref: str
) -> None:
    view, project = OFFERED[operation]
    sender = SENDERS[operation](lost, as_keeper, owner, ref)
    assert "Checking…" not in as_keeper.get(reverse(view, args=[project])).text
    lost.never_applied(operation)
    sender.send()
    lost.clear()
    assert last(operation).outcome == Outcome.UNKNOWN
    assert "Checking…" in as_keeper.get(reverse(view, args=[project])).text


def test_several_doubts_are_one_line_that_leads_to_a_page(lost: Lost, as_keeper: PageClient, owner: Person, ref: str) -> None:
    for operation in ("M6", "M6", "M7"):
        sender = SENDERS[operation](lost, as_keeper, owner, ref)
        lost.never_applied(operation)
        sender.send()
        lost.clear()
    line = as_keeper.get("/jobs/outcomes/", {"place": LAB}).text
    assert "3 changes in doubt" in line
    assert line.count("alert--attention") == 1
    page = as_keeper.get("/jobs/doubts/").text
    assert page.count('hx-swap="innerHTML">Check now') == 3
    lost.pass_time(MAY_RUN_FOR + timedelta(seconds=1))
    assert "No change is in doubt" in as_keeper.get("/jobs/doubts/").text


def test_doubts_at_all_places_are_counted_and_listed_however_many_there_are(
    as_keeper: PageClient, owner: Person, ref: str
) -> None:
    until = timezone.now() + timedelta(minutes=2)
    values = {"person": owner, "operation": "M6", "outcome": Outcome.UNKNOWN, "check_until": until, "duration_ms": 1}
    Entry.objects.bulk_create(Entry(place=[LAB, ref][n % 2], target=f"secret N{n}", **values) for n in range(130))
    assert "130 changes in doubt" in as_keeper.get(reverse("account:name")).text
    assert "130 changes in doubt" in as_keeper.get("/jobs/outcomes/").text
    first, second = as_keeper.get("/jobs/doubts/").text, as_keeper.get("/jobs/doubts/", {"offset": 100}).text
    assert (first.count("secret N"), second.count("secret N")) == (100, 30)
    assert "of 130" in first
