"""The outcome of a review: why nothing was changed, and whether a write without an answer may still be carried out.

Reviews know only that they were applied. How their write ended is known by its entry in the journal, which settlement corrects.
"""

from collections.abc import Callable, Mapping
from typing import Any

from django.core.exceptions import ValidationError

from dashboard.interfaces.errors import InterfaceError
from dashboard.interfaces.operations import WRITES
from dashboard.jobs.settlement import runs_until
from dashboard.jobs.unsettled import Unsettled
from dashboard.journal.models import Entry, Outcome
from dashboard.reviews import reviews
from dashboard.reviews.models import RUNS_FOR, Review, State
from dashboard.web.failures.problems import refusal_of


def apply(review: Review, perform: Callable[[], reviews.Outcome]) -> ValidationError | None:
    """Apply a review; return why nothing was changed, to be shown on it. None if it is applied, or its outcome is unknown."""
    try:
        reviews.apply(review, perform)
    except ValidationError as invalid:
        return invalid
    except Unsettled as waiting:
        return ValidationError(str(waiting))
    except InterfaceError as refusal:
        return ValidationError(refusal_of(refusal))
    return None


def entry_of(review: Review, place: str) -> Entry | None:
    """Return the entry that knows the outcome: that of the lost answer or, after a crash, the first since it was applied."""
    mine = Entry.objects.filter(person=review.person_id)
    if review.outcome is not None:
        return mine.filter(pk=review.outcome.get("entry", 0)).first()
    if review.applied_at is None:
        return None
    since = (review.applied_at, review.applied_at + RUNS_FOR)
    return mine.filter(place=place, operation__in=WRITES, started_at__range=since).order_by("pk").first()


def conclude(review: Review, place: str, facts: Mapping[str, Any] | None = None) -> bool:
    """Close a review whose outcome was unknown if its entry says done, with these facts. Return whether it is done."""
    entry = entry_of(review, place) if review.state == State.UNKNOWN else None
    if entry and entry.outcome == Outcome.DONE:
        reviews.confirm(review, facts or review.outcome or {})
    return review.state == State.DONE


def may_run(review: Review, place: str, *touches: str) -> bool:
    """Whether its write, which touches these, may still be carried out."""
    return review.state == State.APPLYING or runs_until(place, *touches) is not None


def can_reopen(review: Review, place: str, *touches: str) -> bool:
    """Whether it can be reviewed again: its draft is kept, and its write is over without being done."""
    if review.state != State.UNKNOWN or review.payload is None or may_run(review, place, *touches):
        return False
    entry = entry_of(review, place)
    return entry is None or entry.outcome != Outcome.DONE


def reopen(review: Review, place: str, *touches: str) -> bool:
    """Reopen a review if it can be reviewed again. Return whether it was."""
    return can_reopen(review, place, *touches) and reviews.reopen(review)
