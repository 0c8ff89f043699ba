"""Unlock a locked account: prove something from before the first lock, then choose a new password.

Passwords, factors and connections added since prove nothing and are deleted. A code is mailed to the person and works only in the
session that asked for it. Somebody without a proof starts over, in a session opened by the newest link.
"""

import secrets
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from allauth.socialaccount.models import SocialAccount
from django.contrib.auth import update_session_auth_hash
from django.contrib.auth.hashers import check_password, is_password_usable
from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import HttpRequest
from django.utils import timezone
from django.utils.crypto import constant_time_compare, salted_hmac

from dashboard.journal.models import Entries, Entry
from dashboard.journal.recorder import record
from dashboard.team import factors, hooks, mail, providers
from dashboard.team.access import PersonRequest
from dashboard.team.attempts import count_unlock_mail, mailed_code_fits, own_code_fits, own_password_fits
from dashboard.team.models import Person

WINDOW = timedelta(minutes=15)
PROOF, CODE, LINK = "unlock_proof", "unlock_code", "opened_by_link"
CODE_DIGITS = 8
WRONG_PASSWORD = "This is not your password from before."  # noqa: S105 - a message
WRONG_CODE = "This is not the code of the last mail, or it has expired."
NOT_FROM_BEFORE = "This was added after the account was locked, so it proves nothing."
SAME_PASSWORD = "Choose another password: this one was set with the link."  # noqa: S105 - a message
PROVE_AGAIN = "Prove again that the account is yours. Nothing was changed."


@dataclass(frozen=True, slots=True)
class Ways:
    """How a person can prove that a locked account is theirs."""

    password: bool
    passkey: bool
    code: bool
    provider: bool
    mail: bool

    @property
    def any(self) -> bool:
        return self.password or self.passkey or self.code or self.provider or self.mail


def ways_of(person: Person) -> Ways:
    kinds, account = factors.kinds_of(person, until=person.trusted_until), providers.account_of(person)
    return Ways(
        password=is_password_usable(person.former_password),
        passkey=factors.PASSKEY in kinds,
        code=bool(kinds & {factors.APP, factors.CODES}),
        provider=account is not None and _is_from_before(person, account.date_joined),
        mail=mail.mails(),
    )


def mail_code(request: PersonRequest) -> None:
    """Mail a code to the person. Earlier ones stop working. Raises `ValidationError` after too many."""
    count_unlock_mail(request, request.user)
    code = "".join(secrets.choice("0123456789") for _ in range(CODE_DIGITS))
    request.session[CODE] = {**_stamp(request.user), "digest": _digest(code)}
    mail.unlock_code(request.user, code)


def prove(request: PersonRequest, by: str, given: Any) -> None:
    """Check the proof that was typed or sent. Raises `ValidationError`."""
    operation = "code confirmed" if by == "mailed" else f"{by} confirmed"
    with record(person_id=request.user.pk, operation=operation, target="to unlock the account"):
        _require(request, by, given)
    _mark(request, by)


def prove_by_provider(request: PersonRequest, account: SocialAccount) -> bool:
    """Accept a new sign-in at the provider as a proof. Return False if the connection was made after the lock."""
    if not _is_from_before(request.user, account.date_joined):
        return False
    _mark(request, "provider")
    return True


def is_proved(request: PersonRequest) -> bool:
    return _is_current(request.user, request.session.get(PROOF))


def since(person: Person) -> Entries:
    """Return what was done with the account since it was locked, latest first."""
    return Entry.objects.filter(person=person, started_at__gte=person.trusted_until).order_by("-pk")


def unlock(request: PersonRequest, password: str) -> None:
    """Unlock the account with a new password, and delete everything added since the lock. Raises `ValidationError`."""
    person = request.user
    with record(person_id=person.pk, operation="account unlocked", target=person.email) as change, transaction.atomic():
        person.refresh_from_db(from_queryset=Person.objects.select_for_update())
        require_other(person, password)
        if not is_proved(request):
            raise ValidationError(PROVE_AGAIN)
        change.after = {"by": request.session[PROOF]["by"], "ended": factors.end_since(person, person.trusted_until)}
        _open(person, password)
    _go_on(request)
    mail.tell(person, "Your account was unlocked and has a new password.")


def note_link(request: HttpRequest, person: Person) -> None:
    """Remember that this session was opened by the newest link."""
    request.session[LINK] = {"serial": person.link_serial, **_stamp(person)}


def may_start_over(request: PersonRequest) -> bool:
    """Return whether the newest link opened this session."""
    person, kept = request.user, request.session.get(LINK)
    return bool(person.is_locked and kept and (kept["person"], kept["serial"]) == (person.pk, person.link_serial))


def start_over(request: PersonRequest, password: str) -> None:
    """Delete the account's possessions, unlock it with a new password, and notify all owners. Raises `ValidationError`."""
    person = request.user
    with record(person_id=person.pk, operation="account started over", target=person.email) as change, transaction.atomic():
        person.refresh_from_db(from_queryset=Person.objects.select_for_update())
        require_other(person, password)
        if not may_start_over(request):
            raise ValidationError(PROVE_AGAIN)
        for end in hooks.on_start_over:
            end(person)
        for of in hooks.belongings:
            of(person).delete()
        change.after = {"ended": factors.end_since(person, None)}
        _open(person, password)
    _go_on(request)
    mail.tell(person, "Your account started over with a new password.")
    mail.tell_owners(f"{person} started over: their tokens, links, jobs, access and factors were deleted.")


def require_other(person: Person, password: str) -> None:
    """Raise `ValidationError` for the password set with the link, since somebody else may have chosen it."""
    if person.check_password(password):
        raise ValidationError({"password": SAME_PASSWORD})


def _open(person: Person, password: str) -> None:
    person.unlock()
    person.set_password(password)
    person.save()


def _go_on(request: PersonRequest) -> None:
    """Keep this session; the new password ends all others."""
    for name in (PROOF, CODE, LINK):
        request.session.pop(name, None)
    update_session_auth_hash(request, request.user)


def _require(request: PersonRequest, by: str, given: Any) -> None:
    person = request.user
    match by:
        case "password":
            if not own_password_fits(person, lambda: check_password(given, person.former_password)):
                raise ValidationError(WRONG_PASSWORD)
        case "code":
            if not own_code_fits(person, lambda: _is_trusted(person, factors.use_code(person, given))):
                raise ValidationError(factors.WRONG_CODE)
        case "passkey":
            if not _is_trusted(person, factors.use_passkey(person, given)):
                raise ValidationError(NOT_FROM_BEFORE)
        case _:
            kept = request.session.get(CODE)
            digest = kept["digest"] if kept and _is_current(person, kept) else ""
            if not digest or not mailed_code_fits(digest, lambda: constant_time_compare(_digest(given), digest)):
                raise ValidationError(WRONG_CODE)


def _is_trusted(person: Person, row: Any) -> bool:
    return row is not None and _is_from_before(person, row.created_at)


def _is_from_before(person: Person, moment: Any) -> bool:
    return bool(person.trusted_until and moment <= person.trusted_until)


def _mark(request: PersonRequest, by: str) -> None:
    request.session.cycle_key()
    request.session[PROOF] = {**_stamp(request.user), "by": by}


def _stamp(person: Person) -> dict[str, Any]:
    """Return the person, lock and time of a proof, so that a later lock invalidates it."""
    locked_at = person.locked_at.timestamp() if person.locked_at else 0
    return {"person": person.pk, "locked_at": locked_at, "at": timezone.now().timestamp()}


def _is_current(person: Person, kept: Any) -> bool:
    if not isinstance(kept, dict) or not person.locked_at:
        return False
    age = timezone.now().timestamp() - kept["at"]
    return bool(
        (kept["person"], kept["locked_at"]) == (person.pk, person.locked_at.timestamp()) and 0 <= age < WINDOW.total_seconds()
    )


def _digest(code: str) -> str:
    return salted_hmac("dashboard.team.ceremony", "".join(code.split()), algorithm="sha256").hexdigest()
