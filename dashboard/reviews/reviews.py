"""Create, find, revise, apply, confirm and erase reviews.

    open ──apply──▶ applying ──▶ done       the payload is erased
                             ──▶ unknown    the payload stays until the entry of the journal says how it ended
                             ──▶ open       nothing was sent, or it was refused
    unknown ──confirm──▶ done, ──reopen──▶ open

Only an open review can be applied. In every state the payload is erased when it expires.
"""

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.core.exceptions import PermissionDenied, ValidationError
from django.db import transaction
from django.http import Http404
from django.utils import timezone

from dashboard.interfaces.errors import Effect, InterfaceError
from dashboard.reviews.models import Part, Review, State
from dashboard.tokens.workspace import Workspace
from dashboard.web.failures.cards import Stopped, Unconfirmed
from dashboard.web.failures.problems import effect_of, said
from dashboard.web.pages.errors import NeedsToken
from dashboard.web.process.database import give_back, read_rows

MOST_OPEN = 20
KEPT_FOR = timedelta(hours=24)
PATIENCE_SECONDS = 15.0
OUTCOME_KEPT_FOR = timedelta(days=30)
UNFINISHED = (State.OPEN, State.APPLYING, State.UNKNOWN)
# Raised before anything is sent.
STOPPED_BEFORE_SENDING = (ValidationError, Stopped, NeedsToken, PermissionDenied, Http404)


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of applying a review: plain JSON without secrets, for its page. `is_known`: it needs no settling."""

    facts: Mapping[str, Any]
    is_known: bool = True


def create(workspace: Workspace, purpose: str, payload: Mapping[str, Any]) -> Review:
    """Seal a draft. A person has at most 20 open reviews of a kind, the purpose's first word; a new one replaces the oldest."""
    with transaction.atomic():
        until = timezone.now() + KEPT_FOR
        review = Review.objects.create(person=workspace.person, grants=workspace.grants, purpose=purpose, expires_at=until)
        review.seal({**payload})
        mine = Review.objects.filter(person=workspace.person, state=State.OPEN, purpose__startswith=purpose.split(maxsplit=1)[0])
        open_reviews = mine.order_by("-created_at", "-pk")
        Review.objects.filter(pk__in=list(open_reviews.values_list("pk", flat=True)[MOST_OPEN:])).delete()
    return review


def find(workspace: Workspace, purpose: str, pk: UUID) -> Review:
    """Return the person's own review for this purpose, in its current state; 404 for any other.

    From then on the workspace uses the credentials that the review was made with.
    """
    review = get(workspace, purpose, pk)
    if review is None:
        raise Http404("There is no such review.")
    return review


def get(workspace: Workspace, purpose: str, pk: UUID) -> Review | None:
    """Return the review like `find`, but None for any other."""
    review = Review.objects.filter(pk=pk, person=workspace.person, purpose=purpose).first()
    if review is None or workspace.person.is_locked:
        return None
    workspace.act_through(review.grants)
    if review.state == State.OPEN and review.expires_at <= timezone.now():
        _close(review, State.EXPIRED)
    elif review.is_interrupted:
        # The process was interrupted; its journal entry counts as unknown after the same time.
        _move(review, State.APPLYING, State.UNKNOWN)
    return review


def find_unfinished(workspace: Workspace, purpose: str) -> list[Review]:
    """Return the person's open, running and unknown reviews for this purpose, newest first."""
    states = ", ".join(["%s"] * len(UNFINISHED))
    where = f"WHERE person_id = %s AND purpose = %s AND state IN ({states}) AND expires_at > %s ORDER BY created_at DESC"
    found = read_rows(Review, where, (workspace.person.pk, purpose, *UNFINISHED, timezone.now()))
    return [] if workspace.person.is_locked else list(found)


def revise(review: Review, payload: Mapping[str, Any]) -> bool:
    """Replace the payload of an open review and keep it for another day. Return False if it is no longer open."""
    with transaction.atomic():
        if not _move(review, State.OPEN, State.OPEN, expires_at=timezone.now() + KEPT_FOR):
            return False
        review.seal({**payload})
    return True


def apply(review: Review, perform: Callable[[], Outcome]) -> bool:
    """Run `perform` and store its outcome. Return False if the review was applied before, maybe by a simultaneous request.

    `perform` sends the change and may verify it; reads that the change depends on belong before it. If nothing was sent, or it
    was refused, the review reopens and the error is raised. After a lost answer the outcome names the entry of the journal.
    """
    review.applied_at = timezone.now()
    if not _move(review, State.OPEN, State.APPLYING, applied_at=review.applied_at):
        wait(review)
        return False
    try:
        outcome = perform()
    except STOPPED_BEFORE_SENDING:
        _move(review, State.APPLYING, State.OPEN)
        raise
    except InterfaceError as error:
        if effect_of(error) is not Effect.UNKNOWN:
            _move(review, State.APPLYING, State.OPEN)
            raise
        entry = error.entry if isinstance(error, Unconfirmed) else 0
        outcome = Outcome({"failure": said(error), "entry": entry}, is_known=False)
    except BaseException:
        _move(review, State.APPLYING, State.UNKNOWN)
        raise
    if outcome.is_known:
        _close(review, State.DONE, {**outcome.facts})
    else:
        _move(review, State.APPLYING, State.UNKNOWN, outcome=_plain(outcome.facts))
    return True


def wait(review: Review) -> None:
    """Wait, at most 15 seconds, while another request applies the review."""
    until = time.monotonic() + PATIENCE_SECONDS
    review.refresh_from_db()
    while review.state == State.APPLYING and time.monotonic() < until:
        give_back()
        time.sleep(0.1)
        review.refresh_from_db()


def is_open(review: Review) -> bool:
    """Whether the review is still not applied.

    Call it after the reads that its change depends on: they may show the effect of an earlier request.
    """
    wait(review)
    return review.state == State.OPEN


def confirm(review: Review, facts: Mapping[str, Any]) -> None:
    """Close a review whose unknown outcome was found to be done."""
    if review.state == State.UNKNOWN:
        _close(review, State.DONE, {**facts})


def reopen(review: Review) -> bool:
    """Reopen a review for a day whose change was found not applied, or only in part.

    Returns False if its outcome is no longer unknown, or its payload is gone.
    """
    if not Part.objects.filter(review=review).exists():
        return False
    return _move(review, State.UNKNOWN, State.OPEN, outcome=None, expires_at=timezone.now() + KEPT_FOR)


def discard(review: Review) -> bool:
    """Delete an open review. Return False if it is no longer open."""
    return Review.objects.filter(pk=review.pk, state=State.OPEN).delete()[0] > 0


def tidy() -> None:
    """Erase expired payloads, and delete outcomes after 30 days. For the worker."""
    now = timezone.now()
    Part.objects.filter(review__expires_at__lte=now).exclude(review__state=State.APPLYING).delete()
    Review.objects.filter(state=State.OPEN, expires_at__lte=now).update(state=State.EXPIRED)
    Review.objects.filter(expires_at__lte=now - OUTCOME_KEPT_FOR).delete()


def _close(review: Review, state: State, facts: dict[str, Any] | None = None) -> None:
    with transaction.atomic():
        review.state, review.outcome = state, _plain(facts)
        review.save(update_fields=("state", "outcome"))
        review.erase()


def _plain(facts: Mapping[str, Any] | None) -> Any:
    """Replace NUL, which a service may send and PostgreSQL can't store."""
    return json.loads(json.dumps(facts).replace("\\u0000", "\\ufffd"))


def _move(review: Review, before: State, after: State, **changed: Any) -> bool:
    """Change the state if it is still `before`. Of concurrent calls only one succeeds."""
    moved = Review.objects.filter(pk=review.pk, state=before)
    if before is State.OPEN:
        moved = moved.filter(expires_at__gt=timezone.now())
    if not moved.update(state=after, **changed):
        return False
    review.state = after
    for name, value in changed.items():
        setattr(review, name, value)
    return True
