"""A double post acts once: the second gets the outcome of the first."""

import re
import secrets
import time
from collections.abc import Callable
from typing import TypedDict
from weakref import WeakKeyDictionary

from django.db import IntegrityError, transaction
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from dashboard.interfaces.errors import Effect, InterfaceError
from dashboard.web.models import KEPT_FOR, FormKey
from dashboard.web.problems import effect_of

FIELD = "once"
PATIENCE_SECONDS = 15.0
_SHAPE = re.compile(r"[A-Za-z0-9_-]{16,64}")


class Outcome(TypedDict):
    """What `done` said, kept so that it can be said again; `link` is label and address, or empty."""

    message: str
    tone: str
    changed: list[str]
    to: str
    link: list[str]


_outcomes: WeakKeyDictionary[HttpResponse, Outcome] = WeakKeyDictionary()


def remember(response: HttpResponse, outcome: Outcome) -> None:
    """Keep what this response says, so that a second post of the form can be answered the same."""
    _outcomes[response] = outcome


class AlreadySent(Exception):  # noqa: N818 - a state of the form, not a mistake in the program
    """The same form was sent before and its outcome is not known."""


def new_key() -> str:
    return secrets.token_urlsafe(18)


def is_key(text: str) -> bool:
    """Whether the text could be a key of ours."""
    return _SHAPE.fullmatch(text) is not None


def once(request: HttpRequest, act: Callable[[], HttpResponse], again: Callable[[Outcome | None], HttpResponse]) -> HttpResponse:
    """Runs `act` unless this form's key was used; then `again` gets what the first one said (None: nothing that was kept).

    A form without a key is acted on as often as it is sent. When `act` raises or answers 422 the key is free
    again, except after an unknown outcome: acting a second time is what must not happen then.
    """
    key = request.POST.get(FIELD, "")
    if not is_key(key):
        return act()
    person = str(request.user.pk or "")
    FormKey.objects.filter(created_at__lt=timezone.now() - KEPT_FOR).delete()
    try:
        with transaction.atomic():
            row = FormKey.objects.create(person=person, key=key)
    except IntegrityError:
        return again(_first_outcome(person, key))
    try:
        response = act()
    except InterfaceError as error:
        if effect_of(error) is not Effect.UNKNOWN:
            row.delete()
            raise
        _close(row, FormKey.State.UNKNOWN, None)
        raise
    except BaseException:
        row.delete()
        raise
    if response.status_code >= 400:
        row.delete()
    else:
        _close(row, FormKey.State.DONE, _outcomes.get(response))
    return response


def earlier(request: HttpRequest, key: str) -> Outcome | None:
    """What the form with this key was told when it was sent before; None when it was not, or nothing was kept.

    For the steps that lead to the sending one and carry its key. Raises `AlreadySent` as `once` does.
    """
    person = str(request.user.pk or "")
    if not FormKey.objects.filter(person=person, key=key).exists():
        return None
    return _first_outcome(person, key)


def _first_outcome(person: str, key: str) -> Outcome | None:
    """Waits for the first post to end. Raises `AlreadySent` when it does not, or ended without being confirmed."""
    until = time.monotonic() + PATIENCE_SECONDS
    while True:
        row = FormKey.objects.filter(person=person, key=key).first()
        if row is None or row.state == FormKey.State.UNKNOWN:
            raise AlreadySent
        if row.state == FormKey.State.DONE:
            return row.outcome or None
        if time.monotonic() > until:
            raise AlreadySent
        time.sleep(0.1)


def _close(row: FormKey, state: str, outcome: Outcome | None) -> None:
    row.state = state
    row.outcome = outcome
    row.save(update_fields=["state", "outcome"])
