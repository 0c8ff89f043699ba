"""Throttled password checks: ten wrong ones lock further attempts for a while.

Before sign-in, attempts count for the account and the client's address; on a known device, for that device. After sign-in they
count for the person.
"""

import logging
from collections.abc import Callable

from django.core.exceptions import ValidationError
from django.http import HttpRequest

from dashboard.journal.models import Outcome
from dashboard.journal.recorder import record
from dashboard.team.devices import device_of
from dashboard.team.models import Person
from dashboard.web.http.requests import client_address
from dashboard.web.limits import throttle
from dashboard.web.limits.throttle import TooMany
from dashboard.web.text import counted

MAX_CODES_A_DAY = 30
MINUTES_SHOWN = 90

log = logging.getLogger(__name__)


def sign_in(request: HttpRequest, email: str, authenticate: Callable[[], Person | None]) -> Person | None:
    """Check a sign-in; journal a wrong password. Raises `ValidationError` after too many attempts."""
    person = Person.objects.filter(email__iexact=email).first()
    subjects = _subjects(request, email, person)
    try:
        made = throttle.count(*subjects)
    except TooMany as many:
        log.warning("Sign-in refused: too many attempts", extra=_person(person))
        raise _too_many(many) from None
    if found := authenticate():
        throttle.forgive(made)
        return found
    log.warning("Sign-in failed", extra=_person(person))
    if person:
        _journal(request, person, "sign-in")
        if _is_used_up(subjects):
            log.warning("Sign-in locked", extra=_person(person))
            _journal(request, person, "sign-in locked")
    return None


def own_password_fits(person: Person, fits: Callable[[], bool]) -> bool:
    """Check a signed-in person's password. Raises `ValidationError` after too many attempts."""
    return _own_fits(person, "passwords", fits, lambda: throttle.count(f"person:{person.pk}"))


def own_code_fits(person: Person, fits: Callable[[], bool]) -> bool:
    """Check a code of the authenticator app or a recovery code. Raises `ValidationError` after too many attempts.

    A code has only six digits, so there is also a limit per day.
    """
    return _own_fits(person, "codes", fits, lambda: _count_code(f"code:{person.pk}"))


def mailed_code_fits(digest: str, fits: Callable[[], bool]) -> bool:
    """Check a mailed code. Each code has its own count, so others can't use it up. Raises `ValidationError` after too many."""
    try:
        throttle.count(f"mailed:{digest[:48]}")
    except TooMany as many:
        raise _too_many(many, "codes") from None
    return fits()


def count_unlock_mail(request: HttpRequest, person: Person) -> None:
    """Count a mailed code for the person and the client's address. Raises `ValidationError` after too many."""
    try:
        throttle.count(throttle.subject("unlock", f"{person.pk} {_address(request)}"))
    except TooMany as many:
        raise _too_many(many, "codes", "Too many") from None


def journal_wrong_code(request: HttpRequest, person: Person) -> None:
    """Journal a sign-in that stopped at the second factor."""
    log.warning("Sign-in failed at the second factor", extra=_person(person))
    _journal(request, person, "sign-in")


def _count_code(subject: str) -> list[int]:
    made = throttle.count(subject)
    try:
        return [*made, *throttle.count_of_day(subject, MAX_CODES_A_DAY)]
    except TooMany:
        throttle.forgive(made)
        raise


def _own_fits(person: Person, things: str, fits: Callable[[], bool], count: Callable[[], list[int]]) -> bool:
    try:
        made = count()
    except TooMany as many:
        log.warning("Confirmation refused: too many attempts", extra=_person(person))
        raise _too_many(many, things) from None
    if right := fits():
        throttle.forgive(made)
    return right


def count_reset(request: HttpRequest, email: str) -> None:
    """Count a password reset for the mailbox and the client's address. Raises `TooMany`."""
    throttle.count(throttle.subject("reset", email.strip().casefold()), f"reset-{_address(request)}")


def _subjects(request: HttpRequest, email: str, person: Person | None) -> list[str]:
    if person and (device := device_of(request, person)):
        return [throttle.subject("device", device.id)]
    return [throttle.subject("account", email.strip().casefold()), f"sign-in-{_address(request)}"]


def _address(request: HttpRequest) -> str:
    return throttle.of_address(client_address(request))


def _is_used_up(subjects: list[str]) -> bool:
    try:
        for subject in subjects:
            throttle.require_room(subject)
    except TooMany:
        return True
    return False


def _journal(request: HttpRequest, person: Person, operation: str) -> None:
    with record(person_id=person.pk, operation=operation, target=person.email) as change:
        change.outcome = Outcome.REFUSED
        change.after = {"address": client_address(request)}


def _person(person: Person | None) -> dict[str, object]:
    return {"person": person.pk if person else None}


def _too_many(many: TooMany, things: str = "passwords", too_many: str = "Too many wrong") -> ValidationError:
    minutes = -(-many.seconds // 60)
    wait = counted(minutes, "minute") if minutes <= MINUTES_SHOWN else counted(-(-minutes // 60), "hour")
    return ValidationError(f"{too_many} {things}. Try again in {wait}.")
