"""A pasted `.env` beside changes whose outcome is unknown: only what is doubtful waits."""

from django.urls import reverse
from django.utils import timezone

from dashboard.journal.models import Entry
from dashboard.reviews.models import Review, State
from tests.features.secrets.desk import REF, Desk
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
    assert "1 saved" in answer.text
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
    draft.save(page, write=[], delete=[box_of(page, "delete", gone)], typed=REF)
    page = draft.review(f"{name}=1")
    calls()
    answer = draft.save(page, delete=[box_of(page, "delete", gone)], typed=REF)
    assert "1 saved" in answer.text
    assert "M7" not in calls_of(calls())
    assert "the outcome of an earlier change is unknown: " + gone in answer.text
