"""Let a double post act once: the second one gets the answer of the first."""

import re
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypedDict
from weakref import WeakKeyDictionary

from django.db import IntegrityError, transaction
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from dashboard.interfaces.errors import Effect, InterfaceError
from dashboard.web.failures.cards import Unconfirmed
from dashboard.web.failures.problems import effect_of
from dashboard.web.models import KEPT_FOR, FormKey

FIELD = "once"
PATIENCE_SECONDS = 15.0
_SHAPE = re.compile(r"[A-Za-z0-9_-]{16,64}")


class Answer(TypedDict):
    """The arguments of `done`, stored to repeat its answer. `link` is label and address, or empty."""

    message: str
    tone: str
    changed: list[str]
    to: str
    link: list[str]


@dataclass(frozen=True, slots=True)
class Ended:
    """The later outcome of a post whose answer was lost. Without one, nothing was done, so the form may act again."""

    outcome: Answer | None = None


# Find, by a journal entry, the later outcome of a post; None while it is unknown. Registered by an upper layer.
_endings: list[Callable[[int], Ended | None]] = []

_answers: WeakKeyDictionary[HttpResponse, Answer] = WeakKeyDictionary()


def remember(response: HttpResponse, outcome: Answer) -> None:
    """Store the response's outcome, to answer a second post of the form in the same way."""
    _answers[response] = outcome


def add_ending(ending: Callable[[int], Ended | None]) -> None:
    """Register a function that finds later outcomes of posts. Once, in a `feature`."""
    _endings.append(ending)


class AlreadySent(Exception):  # noqa: N818 - a state of the form, not a fault of the program
    """The same form was sent before and its outcome is unknown."""


def new_key() -> str:
    return secrets.token_urlsafe(18)


def is_key(text: str) -> bool:
    """Whether the text has the form of a one-time key."""
    return _SHAPE.fullmatch(text) is not None


def once(request: HttpRequest, act: Callable[[], HttpResponse], again: Callable[[Answer | None], HttpResponse]) -> HttpResponse:
    """Run `act` once per form key; a repeated post calls `again` with the first outcome or None.

    Forms without a key are not checked. If `act` raises or answers 422, the key may be used again. After an unknown outcome it
    may not, until it is known that nothing was done.
    """
    key = request.POST.get(FIELD, "")
    if not is_key(key):
        return act()
    person = str(request.user.pk or "")
    FormKey.objects.filter(created_at__lt=timezone.now() - KEPT_FOR).delete()
    _release(person, key)
    try:
        with transaction.atomic():
            row = FormKey.objects.create(person=person, key=key)
    except IntegrityError:
        return again(_first_answer(person, key))
    try:
        response = act()
    except InterfaceError as error:
        if effect_of(error) is not Effect.UNKNOWN:
            row.delete()
            raise
        row.state, row.outcome = FormKey.State.UNKNOWN, {"entry": error.entry} if isinstance(error, Unconfirmed) else None
        row.save(update_fields=["state", "outcome"])
        raise
    except BaseException:
        row.delete()
        raise
    if response.status_code >= 400:
        row.delete()
    else:
        _close(row, FormKey.State.DONE, _answers.get(response))
    return response


def earlier(request: HttpRequest, key: str) -> Answer | None:
    """Return the outcome of an earlier post with this key, or None.

    For earlier steps that carry the key of the final one. Raises `AlreadySent` as `once` does.
    """
    person = str(request.user.pk or "")
    _release(person, key)
    if not FormKey.objects.filter(person=person, key=key).exists():
        return None
    return _first_answer(person, key)


def _first_answer(person: str, key: str) -> Answer | None:
    """Wait for the first post to end and return its outcome. Raises `AlreadySent` if it doesn't end or the outcome is unknown."""
    until = time.monotonic() + PATIENCE_SECONDS
    while True:
        row = FormKey.objects.filter(person=person, key=key).first()
        if row is None or row.state == FormKey.State.UNKNOWN:
            if row and (ended := _ended(row)) and ended.outcome:
                return ended.outcome
            raise AlreadySent
        if row.state == FormKey.State.DONE:
            return row.outcome or None
        if time.monotonic() > until:
            raise AlreadySent
        time.sleep(0.1)


def _release(person: str, key: str) -> None:
    """Allow a form to act again whose first post turned out to have done nothing."""
    unknown = FormKey.objects.filter(person=person, key=key, state=FormKey.State.UNKNOWN)
    if (row := unknown.first()) and (ended := _ended(row)) and ended.outcome is None:
        unknown.delete()


def _ended(row: FormKey) -> Ended | None:
    entry = (row.outcome or {}).get("entry")
    return next((ending(entry) for ending in _endings), None) if entry else None


def _close(row: FormKey, state: str, outcome: Answer | None) -> None:
    row.state = state
    row.outcome = outcome
    row.save(update_fields=["state", "outcome"])
