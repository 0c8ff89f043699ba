"""Act for a person outside their own requests: in jobs, schedules and share links."""

import logging
from collections.abc import Collection, Iterator
from contextlib import contextmanager

from django.db import DatabaseError
from django.http import Http404

from dashboard.interfaces.errors import InterfaceError, SlowDown, TokenRefused
from dashboard.team.models import Person
from dashboard.team.rights import RoleMissing, needs_role
from dashboard.tokens.errors import TokenMissing
from dashboard.tokens.workspace import Inactive, Workspace

RETRY_AFTER_MAX_SECONDS = 3600.0
BACKOFF_MAX_SECONDS = 600.0

log = logging.getLogger(__name__)

OWNER_LEFT = "Its owner can no longer sign in."


@contextmanager
def workspace_of(person_id: int, grants: Collection[int] = ()) -> Iterator[Workspace]:
    """Act for the person with this id. Raises `Inactive` if they left, and the errors of `acting_as`."""
    person = Person.objects.filter(pk=person_id).first()
    if person is None:
        raise Inactive
    with _recorded(Workspace(person, grants=grants)) as workspace:
        yield workspace


@contextmanager
def acting_as(person: Person, grants: Collection[int] = ()) -> Iterator[Workspace]:
    """Open this person's workspace on behalf of a visitor of a link.

    It uses these grants, usable or not, and elsewhere the person's own tokens. Raises `Inactive`, `TokenMissing` and interface
    errors.
    """
    with _recorded(Workspace(person, grants=grants, is_visited=True)) as workspace:
        yield workspace


@contextmanager
def _recorded(workspace: Workspace) -> Iterator[Workspace]:
    """Save token usage after the block, including a refusal."""
    refusal = ""
    try:
        yield workspace
    except TokenRefused as refused:
        refusal = refused.text or str(refused)
        raise
    finally:
        try:
            workspace.flush(refusal)
        except DatabaseError:
            log.exception("The state of the stored tokens could not be recorded")


def stop_reason(error: Exception) -> str | None:
    """Explain why Pilothouse can no longer act for this person. None if the error has another cause."""
    match error:
        case Inactive():
            return OWNER_LEFT
        case RoleMissing():
            return f"Its owner's role doesn't allow it any more. {needs_role(error.least)}"
        case TokenMissing():
            return _missing(error)
        case TokenRefused():
            quoted = f" It reported: “{error.text}”" if error.text else ""
            return f"The {error.service} service refused its owner's token.{quoted}"
        case Http404():
            return str(error) or "The service it works with is no longer configured."
    return None


def backoff_seconds(error: InterfaceError, attempts: int, *, first: float = 5.0) -> float:
    """Return how long to pause calls: as long as the service asked for, else 5 s, 10 s, … 10 min."""
    if isinstance(error, SlowDown) and error.retry_after is not None:
        return min(max(error.retry_after, 1.0), RETRY_AFTER_MAX_SECONDS)
    return min(first * 2.0 ** min(attempts, 10), BACKOFF_MAX_SECONDS)


def _missing(error: TokenMissing) -> str:
    if error.reason:
        return error.reason
    token = "management token" if error.kind == "management" else f"storage token for {error.space}"
    if error.locked:
        return "Its owner's account is locked. The owner can unlock it on the Account page."
    if error.broken:
        return f"Its owner's {token} can't be decrypted. The owner has to store it again."
    return f"Its owner's {token} is no longer stored."
