"""The outcome of a review: why nothing was changed, and whether a write without an answer may still be carried out.

Reviews know only that they were applied. How their write ended is known by its entry in the journal, which settlement corrects.
"""

from collections.abc import Callable

from django.core.exceptions import ValidationError

from dashboard.interfaces.errors import InterfaceError
from dashboard.jobs.settlement import runs_until
from dashboard.jobs.unsettled import Unsettled
from dashboard.reviews import reviews
from dashboard.reviews.models import Review, State
from dashboard.web.failures.problems import sentence


def apply(review: Review, perform: Callable[[], reviews.Outcome]) -> ValidationError | None:
    """Apply a review; return why nothing was changed, to be shown on it. None if it is applied, or its outcome is unknown."""
    try:
        reviews.apply(review, perform)
    except ValidationError as invalid:
        return invalid
    except Unsettled as waiting:
        return ValidationError(str(waiting))
    except InterfaceError as refusal:
        return ValidationError(sentence(refusal))
    return None


def may_run(review: Review, place: str, *touches: str) -> bool:
    """Whether its write, which touches these, may still be carried out."""
    return review.state == State.APPLYING or runs_until(place, *touches) is not None


def can_reopen(review: Review, place: str, *touches: str) -> bool:
    """Whether it can be reviewed again: its outcome is unknown, its draft is kept, and its write is over."""
    return review.state == State.UNKNOWN and review.payload is not None and not may_run(review, place, *touches)


def reopen(review: Review, place: str, *touches: str) -> bool:
    """Reopen a review if it can be reviewed again. Return whether it was."""
    return can_reopen(review, place, *touches) and reviews.reopen(review)
