"""Whoever a worker acts for: made from the person's id anew each time, so that somebody who left, or a token that was
forgotten, ends the work with a sentence."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import DatabaseError
from django.http import Http404

from dashboard.interfaces.errors import InterfaceError, SlowDown, TokenRefused
from dashboard.team.models import Person
from dashboard.tokens.errors import TokenMissing
from dashboard.tokens.workspace import Inactive, Workspace

# Longer than this nobody waits on the word of one answer.
LONGEST_PAUSE = 3600.0


log = logging.getLogger(__name__)


@contextmanager
def workspace_of(person_id: int) -> Iterator[Workspace]:
    """The person's workspace, as in `acting_as`. Raises `Inactive` for one who left."""
    person = Person.objects.filter(pk=person_id).first()
    if person is None:
        raise Inactive
    with acting_as(person) as workspace:
        yield workspace


@contextmanager
def acting_as(person: Person) -> Iterator[Workspace]:
    """A workspace for work without a request of this person; afterwards it is written down how the stored tokens fared.

    Raises `Inactive`, `TokenMissing` and what the interfaces raise.
    """
    workspace = Workspace(person)
    message = ""
    try:
        yield workspace
    except TokenRefused as refused:
        message = refused.text or str(refused)
        raise
    finally:
        try:
            workspace.flush(message)
        except DatabaseError:
            log.exception("It could not be written down how the stored tokens fared.")


def ending(error: Exception) -> str | None:
    """Why nobody can act for this person any more, as a sentence; None when the error says nothing of the kind."""
    match error:
        case Inactive():
            return "The person it was done for may not sign in any more."
        case TokenMissing():
            return _missing(error)
        case TokenRefused():
            said = f" It said: “{error.text}”" if error.text else ""
            return f"The {error.service} service does not accept the token stored for its owner.{said}"
        case Http404():
            return str(error) or "The service it works with is not here any more."
    return None


def pause_after(error: InterfaceError, times: int, *, first: float = 5.0) -> float:
    """Seconds to leave the service alone: what it asked for, else longer each time (5 s, 10 s, … 10 min)."""
    if isinstance(error, SlowDown) and error.retry_after is not None:
        return min(max(error.retry_after, 1.0), LONGEST_PAUSE)
    return min(first * 2.0 ** min(times, 10), 600.0)


def _missing(error: TokenMissing) -> str:
    if error.locked:
        return "The tokens of its owner are locked: the owner has to unlock them, on the page Account."
    if error.broken:
        return f"The {_token(error)} of its owner can't be opened any more: it has to be stored again."
    return f"The {_token(error)} of its owner is not stored any more."


def _token(missing: TokenMissing) -> str:
    return "management token" if missing.kind == "management" else f"storage token for {missing.space}"
