"""Reviews: whose they are, how long they last, what applying does to them."""

import json
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from cryptography.fernet import Fernet
from django.core.exceptions import ValidationError
from django.db import connection, connections
from django.http import Http404
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from pytest_django.fixtures import Settings

from dashboard.interfaces import errors
from dashboard.jobs import retention
from dashboard.reviews import reviews
from dashboard.reviews.models import RUNS_FOR, Part, Review, State
from dashboard.team.models import Person
from dashboard.tokens.workspace import Workspace
from dashboard.vault.reseal import reseal

PART_CHARACTERS = 512 * 1024
KEPT_FOR = timedelta(hours=24)
MOST_OPEN = 20
OUTCOME_KEPT_FOR = timedelta(days=30)

CANARY = "canary-value-4711"
DRAFT = {"text": CANARY}


@pytest.fixture
def workspace(owner: Person) -> Workspace:
    return Workspace(owner)


@pytest.fixture
def review(workspace: Workspace) -> Review:
    return reviews.create(workspace, "test", DRAFT)


def again(workspace: Workspace, review: Review) -> Review:
    """The same review as a later request finds it."""
    return reviews.find(workspace, "test", review.pk)


def fail(error: BaseException) -> Any:
    def perform() -> reviews.Outcome:
        raise error

    return perform


def made(kind: type[errors.InterfaceError], **more: Any) -> errors.InterfaceError:
    return kind(operation="M6", service="management", **more)


def done() -> reviews.Outcome:
    return reviews.Outcome({"saved": 1})


def later(review: Review, **passed: timedelta) -> None:
    """Let time pass for this row."""
    for name, value in passed.items():
        setattr(review, name, timezone.now() - value)
    review.save()


def test_only_its_person_finds_it_and_only_for_its_purpose(workspace: Workspace, review: Review, ada: Person) -> None:
    assert again(workspace, review).payload == DRAFT
    for who, purpose, pk in ((Workspace(ada), "test", review.pk), (workspace, "other", review.pk), (workspace, "test", uuid4())):
        with pytest.raises(Http404):
            reviews.find(who, purpose, pk)


def test_nobody_finds_one_while_their_account_is_locked(workspace: Workspace, review: Review, ada: Person) -> None:
    assert again(workspace, review).payload == DRAFT
    workspace.person.lock(by=ada)
    with pytest.raises(Http404):
        again(workspace, review)
    assert reviews.find_unfinished(workspace, "test") == []


def test_the_payload_is_sealed_and_opens_in_its_own_row_only(workspace: Workspace, review: Review) -> None:
    stored = json.dumps(list(Part.objects.values_list("sealed", flat=True)), default=lambda sealed: sealed.stored())
    assert CANARY not in stored
    other = reviews.create(workspace, "test", {"text": "other"})
    Part.objects.filter(review=other).update(sealed=Part.objects.get(review=review).sealed)
    assert other.payload is None


def test_a_large_payload_is_stored_in_parts_and_a_list_loads_none(workspace: Workspace) -> None:
    large = {"text": "x" * (2 * PART_CHARACTERS + 1)}
    review = reviews.create(workspace, "test", large)
    assert Part.objects.filter(review=review).count() == 3
    assert again(workspace, review).payload == large
    with CaptureQueriesContext(
        connection,
    ) as queries:
        assert reviews.find_unfinished(workspace, "test") == [review]
    assert "reviews_part" not in str(queries.captured_queries)


def test_a_payload_survives_a_change_of_keys(workspace: Workspace, review: Review, settings: Settings) -> None:
    settings.VAULT_KEYS = [Fernet.generate_key().decode(), *settings.VAULT_KEYS]
    assert reseal().broken == 0
    settings.VAULT_KEYS = settings.VAULT_KEYS[:1]
    assert again(workspace, review).payload == DRAFT


def test_an_open_review_can_be_revised_and_an_applied_one_can_not(workspace: Workspace, review: Review) -> None:
    assert reviews.revise(review, {"text": "new"})
    assert again(workspace, review).payload == {"text": "new"}
    reviews.apply(review, done)
    assert not reviews.revise(review, DRAFT)
    assert again(workspace, review).payload is None


def test_done_erases_the_payload_and_keeps_the_outcome(workspace: Workspace, review: Review) -> None:
    assert reviews.apply(review, done)
    found = again(workspace, review)
    assert (found.state, found.outcome, found.payload) == (State.DONE, {"saved": 1}, None)
    assert reviews.find_unfinished(workspace, "test") == []


def test_an_outcome_may_hold_what_no_database_keeps(workspace: Workspace, review: Review) -> None:
    reviews.apply(review, lambda: reviews.Outcome({"words": "a\0b"}))
    assert again(workspace, review).outcome == {"words": "a\ufffdb"}


def test_it_is_applied_once(workspace: Workspace, review: Review) -> None:
    second = again(workspace, review)
    assert reviews.apply(review, done)
    assert not reviews.apply(second, fail(AssertionError("applied twice")))


@pytest.mark.django_db(transaction=True)
def test_of_several_at_the_same_moment_one_applies_it(workspace: Workspace, review: Review) -> None:
    def press(_: int) -> bool:
        try:
            return reviews.apply(Review.objects.get(pk=review.pk), done)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(4) as threads:
        assert sorted(threads.map(press, range(4))) == [False, False, False, True]


NOT_DONE = [
    made(errors.Unreachable),
    made(errors.Rejected),
    made(errors.SlowDown, retry_after=1),
    made(errors.TokenRefused),
    ValidationError("no"),
    Http404(),
]


@pytest.mark.parametrize("error", NOT_DONE, ids=lambda error: type(error).__name__)
def test_what_was_not_sent_or_was_refused_reopens_it(workspace: Workspace, review: Review, error: Exception) -> None:
    with pytest.raises(type(error)):
        reviews.apply(review, fail(error))
    found = again(workspace, review)
    assert (found.state, found.payload) == (State.OPEN, DRAFT)
    assert reviews.apply(found, done)


LOST = [made(errors.Broken, status=500, text="words"), made(errors.UnknownOutcome), made(errors.Unexpected)]


def test_an_error_of_ours_leaves_the_outcome_unknown(workspace: Workspace, review: Review) -> None:
    with pytest.raises(RuntimeError):
        reviews.apply(review, fail(RuntimeError("a bug")))
    assert again(workspace, review).state == State.UNKNOWN


@pytest.mark.parametrize("error", LOST, ids=lambda error: type(error).__name__)
def test_an_unknown_outcome_can_not_be_applied_and_keeps_what_is_needed_to_compare(
    workspace: Workspace, review: Review, error: Exception
) -> None:
    assert reviews.apply(review, fail(error))
    found = again(workspace, review)
    assert (found.state, found.payload) == (State.UNKNOWN, DRAFT)
    assert not reviews.apply(found, done)
    reviews.confirm(found, {"saved": 1})
    settled = again(workspace, review)
    assert (settled.state, settled.outcome, settled.payload) == (State.DONE, {"saved": 1}, None)


def test_an_unknown_outcome_that_was_not_applied_is_reopened(workspace: Workspace, review: Review) -> None:
    assert reviews.apply(review, lambda: reviews.Outcome({"sent": 1}, is_known=False))
    assert again(workspace, review).outcome == {"sent": 1}
    assert reviews.reopen(again(workspace, review))
    assert not reviews.reopen(again(workspace, review))
    assert reviews.apply(again(workspace, review), done)


def test_an_interrupted_one_counts_as_unknown_after_ten_minutes(workspace: Workspace, review: Review) -> None:
    review.state = State.APPLYING
    later(review, applied_at=RUNS_FOR / 2)
    assert again(workspace, review).state == State.APPLYING
    later(review, applied_at=RUNS_FOR)
    assert again(workspace, review).state == State.UNKNOWN


def test_an_expired_payload_is_erased_when_it_is_visited(workspace: Workspace, review: Review) -> None:
    assert review.expires_at > timezone.now() + KEPT_FOR / 2
    later(review, expires_at=timedelta(0))
    assert not reviews.apply(review, done)
    found = again(workspace, review)
    assert (found.state, found.payload, Part.objects.count()) == (State.EXPIRED, None, 0)


def test_the_worker_erases_what_expired_and_forgets_outcomes(workspace: Workspace, review: Review) -> None:
    unknown, applied = reviews.create(workspace, "test", DRAFT), reviews.create(workspace, "test", DRAFT)
    reviews.apply(unknown, lambda: reviews.Outcome({}, is_known=False))
    reviews.apply(applied, done)
    for row in (review, unknown):
        later(row, expires_at=timedelta(0))
    retention.tidy()
    assert Part.objects.count() == 0
    assert [again(workspace, row).state for row in (review, unknown, applied)] == ["expired", "unknown", "done"]
    assert not reviews.reopen(again(workspace, unknown))
    later(applied, expires_at=OUTCOME_KEPT_FOR)
    retention.tidy()
    with pytest.raises(Http404):
        again(workspace, applied)


def test_a_person_has_at_most_twenty_open_reviews_of_a_kind(workspace: Workspace, review: Review, ada: Person) -> None:
    hers = reviews.create(Workspace(ada), "test", DRAFT)
    applied = reviews.create(workspace, "test", DRAFT)
    reviews.apply(applied, done)
    for _ in range(MOST_OPEN):
        reviews.create(workspace, "test elsewhere", DRAFT)
    other = reviews.create(workspace, "another", DRAFT)
    assert Review.objects.filter(person=workspace.person, state=State.OPEN).count() == MOST_OPEN + 1
    assert other.payload == DRAFT
    with pytest.raises(Http404):
        again(workspace, review)
    assert again(workspace, applied).outcome == {"saved": 1}
    assert reviews.find(Workspace(ada), "test", hers.pk).payload == DRAFT


def test_what_is_not_wanted_is_discarded_with_its_payload(workspace: Workspace, review: Review) -> None:
    applied = reviews.create(workspace, "test", DRAFT)
    reviews.apply(applied, done)
    assert not reviews.discard(applied)
    assert again(workspace, applied).outcome == {"saved": 1}
    assert reviews.discard(review)
    assert Part.objects.count() == 0
    with pytest.raises(Http404):
        again(workspace, review)
