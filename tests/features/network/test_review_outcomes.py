"""What becomes of a review: applied, refused, unknown, expired, sent twice."""

from datetime import timedelta

import pytest
from django.utils import timezone

from dashboard.features.network.models import AppliedSet, ListText
from dashboard.features.network.rules.ranges import read
from dashboard.journal.models import Entry, Outcome
from dashboard.reviews.models import Review
from tests.features.network.desk import Desk
from tests.features.network.reviewed import APPLY, MORE, Reviewed, reviewed
from tests.features.service import Calls, Faults
from tests.pages import PageClient


def test_a_lost_answer_is_settled_by_reading_back(as_keeper: PageClient, desk: Desk, faults: Faults) -> None:
    review = reviewed(as_keeper, desk, MORE)
    faults("M25", cut="after")
    assert review.apply().status_code == 303
    assert Entry.objects.get(operation="M25").outcome == Outcome.DONE
    kept = AppliedSet.objects.first()
    assert kept
    assert kept.confirmed


def unknown(client: PageClient, desk: Desk, faults: Faults) -> Reviewed:
    """A review whose list was sent without an answer, and not applied so far."""
    review = reviewed(client, desk, MORE)
    page = review.page
    faults("M25", cut="before", times=1)
    answer = review.apply(page)
    assert (answer.status_code, answer["Location"]) == (302, review.href)
    assert "The outcome is unknown" in review.page
    assert Entry.objects.get(operation="M25").outcome == Outcome.UNKNOWN
    return review


def test_an_answer_that_never_came_keeps_the_list_as_unconfirmed_until_the_service_shows_it(
    as_keeper: PageClient, desk: Desk, faults: Faults
) -> None:
    review = unknown(as_keeper, desk, faults)
    assert not AppliedSet.objects.filter(person__isnull=False).get().confirmed
    assert "Unconfirmed" in as_keeper.get(desk.address("restrictions")).text
    again = reviewed(as_keeper, desk, MORE).page
    assert "The outcome of an earlier list is being checked" in again
    assert "Apply 4 ranges" not in again
    draft = read(MORE, has_v6=True)
    desk.put(*draft.v4, v6=list(draft.v6))
    settled = as_keeper.get(review.href)
    assert (settled.status_code, settled["Location"]) == (302, desk.address("restrictions"))
    assert Entry.objects.get(operation="M25").outcome == Outcome.DONE
    assert AppliedSet.objects.filter(person__isnull=False).get().confirmed


def test_a_review_with_an_unknown_outcome_is_not_offered_again_before_two_minutes(
    as_keeper: PageClient, desk: Desk, faults: Faults, calls: Calls
) -> None:
    review = unknown(as_keeper, desk, faults)
    page = review.page
    assert "The request may still be running." in page
    assert "Apply 4 ranges" not in page
    calls()
    assert review.apply(page).status_code == 302
    assert APPLY not in calls()
    Entry.objects.update(check_until=timezone.now())
    page = review.page
    assert "The list was not applied" in page
    assert Entry.objects.get(operation="M25").outcome == Outcome.NOT_APPLIED
    assert "Apply 4 ranges" in page
    assert review.apply(page).status_code == 303
    assert "192.0.2.0/24" in desk.lists[0]


def test_an_expired_review_says_so_and_sends_nothing(as_keeper: PageClient, desk: Desk, calls: Calls) -> None:
    review = reviewed(as_keeper, desk, MORE)
    page = review.page
    Review.objects.update(expires_at=timezone.now() - timedelta(minutes=1))
    calls()
    assert review.apply(page)["Location"] == desk.address("restrictions")
    assert calls() == []
    assert "This review has expired. Nothing was sent." in as_keeper.get(desk.address("restrictions")).text


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (403, "but not for this"),
        (401, "did not accept the management token"),
        (400, "does not accept these values"),
        (429, "slow down"),
    ],
)
def test_a_refusal_stands_on_the_review_which_stays_open(
    as_keeper: PageClient, desk: Desk, faults: Faults, status: int, words: str
) -> None:
    review = reviewed(as_keeper, desk, MORE)
    faults("M25", status=status, times=1)
    answer = review.apply()
    assert answer.status_code == 422
    assert words in answer.text
    assert not AppliedSet.objects.exists()
    assert not ListText.objects.exists()
    assert Entry.objects.get(operation="M25").outcome == Outcome.REFUSED
    assert review.apply().status_code == 303


def test_a_review_sent_twice_acts_once(as_keeper: PageClient, desk: Desk, calls: Calls) -> None:
    review = reviewed(as_keeper, desk, MORE)
    page = review.page
    calls()
    assert [review.apply(page).status_code for _ in range(2)] == [303, 302]
    assert calls().count(APPLY) == 1
    assert as_keeper.get(review.href)["Location"] == desk.address("restrictions")
