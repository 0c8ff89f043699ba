"""A pasted `.env` beside changes whose outcome is unknown: only what is doubtful waits."""

from datetime import timedelta

import pytest
import time_machine
from django.urls import reverse
from django.utils import timezone

from dashboard.journal.models import Entry
from dashboard.notifications.models import Notification
from dashboard.reviews.models import Review, State
from tests.features.secrets.desk import NAME, REF, Desk
from tests.features.secrets.drafting import CANARY, Draft, box_of, calls_of
from tests.features.service import Calls, Faults


def test_what_is_still_being_checked_is_not_sent_by_another_draft(draft: Draft, desk: Desk, faults: Faults, calls: Calls) -> None:
    name = desk.name()
    page = draft.review(f"{name}=1")
    faults("M6", cut="before", times=1)
    draft.save(page)
    calls()
    other = draft.review(f"{name}=2")
    answer = draft.save(other)
    assert answer.status_code == 422
    assert "An earlier change is still being checked" in answer.text
    assert "M6" not in calls_of(calls())
    assert "1 new, 0 changed" in draft.client.get(other.request["PATH_INFO"]).text


def test_one_name_in_doubt_waits_and_the_others_are_saved(draft: Draft, desk: Desk, faults: Faults) -> None:
    doubtful, name = desk.name(), desk.name()
    faults("M6", cut="before", times=1)
    draft.save(draft.review(f"{doubtful}=1"))
    answer = draft.save(draft.review(f"{doubtful}=2\n{name}={CANARY}"))
    assert "Saved 1 secret" in answer.text
    assert "the outcome of an earlier change is unknown: " + doubtful in answer.text
    assert desk.holds(name, CANARY)
    assert desk.value(doubtful) is None
    Entry.objects.update(check_until=timezone.now())
    rest = draft.client.get(reverse("secrets:review", args=[REF, Review.objects.get(state=State.OPEN).pk]))
    draft.save(rest)
    assert desk.holds(doubtful, "2")


def test_a_deletion_in_doubt_waits_and_what_is_beside_it_is_saved(draft: Draft, desk: Desk, faults: Faults, calls: Calls) -> None:
    name, gone = desk.name(), desk.put()
    faults("M7", cut="before", times=1)
    page = draft.review("A=1")
    draft.save(page, write=[], delete=[box_of(page, "delete", gone)], typed=NAME)
    page = draft.review(f"{name}=1")
    calls()
    answer = draft.save(page, delete=[box_of(page, "delete", gone)], typed=NAME)
    assert "Saved 1 secret" in answer.text
    assert "M7" not in calls_of(calls())
    assert "the outcome of an earlier change is unknown: " + gone in answer.text


@pytest.mark.parametrize(
    ("saved", "heading", "words"),
    [(0, "Not applied", "not applied as of"), (1, "Partly applied: 1 of 2 changes found", "1 of 2 done.")],
)
def test_the_review_its_entry_and_the_message_say_the_same(  # noqa: PLR0917 - pytest fills them by name
    draft: Draft, desk: Desk, faults: Faults, saved: int, heading: str, words: str
) -> None:
    names = [desk.name(), desk.name()]
    page = draft.review("".join(f"{name}={CANARY}\n" for name in names))
    faults("M6", cut="before", times=1)
    answer = draft.save(page)
    entry = Entry.objects.get(operation="M6")
    assert "Outcome unknown: 0 of 2 changes found" in answer.text
    assert "The outcome is unknown." in draft.client.get(f"/journal/{entry.pk}/").text
    assert not Notification.objects.exists()
    if saved:
        desk.management.secrets.create(REF, {names[0]: CANARY})
    Entry.objects.update(check_until=timezone.now())
    draft.client.get(desk.address("index"))
    entry.refresh_from_db()
    with time_machine.travel(timezone.now() + timedelta(minutes=90), tick=True):
        draft.client.force_login(entry.person)
        answer = draft.client.get(page.request["PATH_INFO"])
        activity = draft.client.get(f"/journal/{entry.pk}/").text
    assert " ".join(heading_of(answer.text).split()) == heading
    at = entry.settled_at
    assert at
    assert f'datetime="{at:%Y-%m-%dT%H:%M:%S}' in answer.text, "when it was found out, not when the page is read"
    assert f'datetime="{at:%Y-%m-%dT%H:%M:%S}' in activity
    assert entry.get_outcome_display() == heading.partition(":")[0]
    (message,) = Notification.objects.filter(person__isnull=False)
    assert words in message.title


def heading_of(text: str) -> str:
    return text.partition('<h1 class="head__title">')[2].partition("<")[0]


def test_a_post_that_is_repeated_says_how_the_first_one_ended(draft: Draft, desk: Desk, faults: Faults, calls: Calls) -> None:
    form = {"name": desk.name(), "value": CANARY, "once": "a-key-of-one-form-0001"}
    faults("M6", cut="before", times=1)
    assert "The outcome is unknown" in draft.client.send(desk.address("new"), **form).text
    assert draft.client.send(desk.address("new"), **form).status_code == 409
    desk.management.secrets.create(REF, {form["name"]: CANARY})
    draft.client.get(desk.address("index"))
    calls()
    answer = draft.client.send(desk.address("new"), **form)
    assert "done. No answer came back. Verified." in answer.text
    assert "dialog:close" in answer["HX-Trigger"]
    assert "M6" not in calls_of(calls())


def test_a_post_that_is_repeated_acts_once_it_is_known_that_nothing_was_done(draft: Draft, desk: Desk, faults: Faults) -> None:
    form = {"name": desk.name(), "value": CANARY, "once": "a-key-of-one-form-0002"}
    faults("M6", cut="before", times=1)
    draft.client.send(desk.address("new"), **form)
    Entry.objects.update(check_until=timezone.now())
    draft.client.get(desk.address("index"))
    assert "added." in draft.client.send(desk.address("new"), **form).text
    assert desk.holds(form["name"], CANARY)
