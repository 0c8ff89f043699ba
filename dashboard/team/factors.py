"""Second factors of a person: authenticator app, recovery codes and passkeys. allauth stores them; we journal and notify."""

import re
import secrets
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import qrcode
from allauth.mfa.adapter import get_adapter
from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import (
    TOTP,
    format_hotp_value,
    generate_totp_secret,
    hotp_value,
    yield_hotp_counters_from_time,
)
from allauth.mfa.webauthn.internal import auth as webauthn
from allauth.socialaccount.models import SocialAccount
from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import F

from dashboard.journal.recorder import record
from dashboard.team import mail
from dashboard.team.models import Person
from dashboard.vault.seals import CannotOpen

APP, CODES, PASSKEY = Authenticator.Type.TOTP, Authenticator.Type.RECOVERY_CODES, Authenticator.Type.WEBAUTHN
NAMES = {APP: "authenticator app", CODES: "recovery codes", PASSKEY: "passkey"}
NEEDED = "Your role needs a second factor. Add another one first."
WRONG_CODE = "This code is wrong or was used already."
WRONG_PASSKEY = "This passkey didn't work. Try again."
_SPACES = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Passkey:
    """A passkey in the list."""

    id: int
    name: str
    added_at: datetime
    last_used_at: datetime | None


@dataclass(frozen=True, slots=True)
class Factors:
    """A person's factors. `codes_left` is None if there are no recovery codes, or they can't be unsealed."""

    app: Authenticator | None
    passkeys: list[Passkey]
    codes: Authenticator | None
    codes_left: int | None
    is_required: bool

    @property
    def any(self) -> bool:
        return bool(self.app or self.passkeys)


@dataclass(frozen=True, slots=True)
class Picture:
    """A square of dots: the length of a side, and the path of an SVG."""

    size: int
    path: str


def factors_of(person: Person) -> Factors:
    rows = {kind: [row for row in _rows(person) if row.type == kind] for kind in NAMES}
    codes = next(iter(rows[CODES]), None)
    return Factors(
        app=next(iter(rows[APP]), None),
        passkeys=[Passkey(row.pk, row.wrap().name, row.created_at, row.last_used_at) for row in rows[PASSKEY]],
        codes=codes,
        codes_left=len(_unused(codes)) if codes and _opens(codes) else None,
        is_required=is_required(person),
    )


def is_required(person: Person) -> bool:
    """Whether the person's role requires a second factor (`MFA_REQUIRED`)."""
    return person.role in settings.MFA_REQUIRED


def has_factor(person: Person) -> bool:
    return bool(_rows(person).filter(type__in=(APP, PASSKEY)).exists())


def kinds_of(person: Person, *, until: datetime | None = None) -> set[str]:
    """Return the kinds of a person's factors, now or at a past moment."""
    rows = _rows(person).filter(created_at__lte=until) if until else _rows(person)
    return set(rows.values_list("type", flat=True))


def new_secret() -> str:
    """Return a secret for an authenticator app to be set up."""
    return str(generate_totp_secret())


def picture_of(person: Person, secret: str) -> Picture:
    """Return the QR code of a secret."""
    code = qrcode.QRCode(border=2)
    code.add_data(get_adapter().build_totp_url(person, secret))
    rows = code.get_matrix()
    path = "".join(f"M{x},{y}h1v1h-1z" for y, row in enumerate(rows) for x, is_dark in enumerate(row) if is_dark)
    return Picture(len(rows), path)


def add_app(person: Person, secret: str, code: str) -> None:
    """Add the authenticator app that shows `code` now. Raises `ValidationError`."""
    counter = _counter_of(secret, _SPACES.sub("", code), after=0)
    if counter is None:
        raise ValidationError({"code": "This is not the code that the app shows now."})
    with record(person_id=person.pk, operation="authenticator app added", target=person.email), transaction.atomic():
        _lock(person)
        if _rows(person).filter(type=APP).exists():
            raise ValidationError({"code": "You have an authenticator app already. Delete it first."})
        row = TOTP.activate(person, secret).instance
        _use_counter(row, counter)
        RecoveryCodes.activate(person)
    mail.tell(person, "An authenticator app was added to your account.")


def begin_passkey(person: Person) -> dict[str, Any]:
    """Return what the browser needs to create a passkey. The challenge is kept in the session."""
    return dict(webauthn.begin_registration(person, passwordless=True))


def begin_check(person: Person | None) -> dict[str, Any]:
    """Return what the browser needs to prove one of the person's passkeys."""
    return dict(webauthn.begin_authentication(person))


def add_passkey(person: Person, name: str, credential: Any) -> None:
    """Add the passkey that the browser made. Raises `ValidationError`."""
    try:
        webauthn.parse_registration_response(credential)
        webauthn.complete_registration(credential)
    except (ValidationError, ValueError, TypeError, KeyError, AttributeError):
        # Browsers send nothing malformed. Anything else raises many kinds of errors inside the library.
        raise ValidationError(WRONG_PASSKEY) from None
    with record(person_id=person.pk, operation="passkey added", target=person.email) as change, transaction.atomic():
        _lock(person)
        webauthn.WebAuthn.add(person, name, credential)
        RecoveryCodes.activate(person)
        change.after = {"name": name}
    mail.tell(person, f"The passkey “{name}” was added to your account.")


def rename(person: Person, row: Authenticator, name: str) -> None:
    before = {"name": row.data["name"]}
    with record(person_id=person.pk, operation="passkey renamed", target=person.email, before=before) as change:
        row.data["name"] = name
        row.save(update_fields=("data",))
        change.after = {"name": name}


def delete(person: Person, row: Authenticator) -> None:
    """Delete an app or a passkey, and with the last one the recovery codes. Raises `ValidationError` if the role needs it."""
    kind, name = NAMES[row.type], row.data.get("name", "")
    with record(person_id=person.pk, operation=f"{kind} deleted", target=person.email) as change, transaction.atomic():
        _lock(person)
        others = _rows(person).filter(type__in=(APP, PASSKEY)).exclude(pk=row.pk)
        if is_required(person) and not others.exists():
            raise ValidationError(NEEDED)
        if not others.exists():
            _rows(person).filter(type=CODES).delete()
        row.delete()
        change.before = {"name": name} if name else None
    what = f"The passkey “{name}”" if name else "The authenticator app"
    mail.tell(person, f"{what} was deleted from your account.")


def codes_of(person: Person) -> list[str]:
    """Return the unused recovery codes. Raises `CannotOpen`."""
    row = _rows(person).filter(type=CODES).first()
    return _unused(row) if row else []


def renew_codes(person: Person) -> None:
    """Replace the recovery codes."""
    with record(person_id=person.pk, operation="recovery codes created", target=person.email), transaction.atomic():
        _lock(person)
        _rows(person).filter(type=CODES).delete()
        RecoveryCodes.activate(person)
    mail.tell(person, "New recovery codes were created for your account. The old ones no longer work.")


def reset(person: Person) -> None:
    """Delete all factors and the connection with a sign-in provider, and end all sessions (`manage.py link --reset-factors`)."""
    with record(person_id=person.pk, operation="factors reset", target=person.email) as change, transaction.atomic():
        change.before = {"factors": end_since(person, None)}
        Person.objects.filter(pk=person.pk).update(session_serial=F("session_serial") + 1)
    mail.tell(person, "Your ways to sign in were reset by somebody with access to the server.")


def end_since(person: Person, moment: datetime | None) -> list[str]:
    """Delete the factors and connections added since a moment, or all. Return their names."""
    rows, accounts = _rows(person), SocialAccount.objects.filter(user_id=person.pk)
    if moment:
        rows, accounts = rows.filter(created_at__gt=moment), accounts.filter(date_joined__gt=moment)
    names = [*(NAMES[row.type] for row in rows), *("sign-in provider" for _ in accounts)]
    rows.delete()
    accounts.delete()
    return names


def use_code(person: Person, typed: str) -> Authenticator | None:
    """Use up a code of the app or a recovery code. Return its factor if it was right, else None."""
    return next((row for row in _rows(person).exclude(type=PASSKEY) if _fits(row, _SPACES.sub("", typed))), None)


def use_passkey(person: Person, credential: Any) -> Authenticator:
    """Check the browser's answer to `begin_check`. Raises `ValidationError`."""
    try:
        webauthn.parse_authentication_response(credential)
        found: Authenticator = webauthn.complete_authentication(person, credential)
    except (ValidationError, ValueError, TypeError, KeyError, AttributeError):
        raise ValidationError(WRONG_PASSKEY) from None  # as in `add_passkey`
    found.record_usage()
    return found


def _rows(person: Person) -> Any:
    return Authenticator.objects.filter(user_id=person.pk).order_by("pk")


def _lock(person: Person) -> None:
    """Make concurrent changes of a person's factors wait for one another."""
    Person.objects.select_for_update().get(pk=person.pk)


def _fits(row: Authenticator, code: str) -> bool:
    try:
        if row.type == CODES:
            return bool(row.wrap().validate_code(code))
        counter = _counter_of(get_adapter().decrypt(row.data["secret"]), code, after=row.data.get("counter", 0))
        return counter is not None and _use_counter(row, counter)
    except CannotOpen:
        return False


def _counter_of(secret: str, code: str, *, after: int) -> int | None:
    """Return the counter of the app's code, which changes every 30 seconds; accepts the previous and the next code too."""
    for counter in yield_hotp_counters_from_time():
        shown = format_hotp_value(hotp_value(secret, counter))
        if counter > after and secrets.compare_digest(shown.encode(), code.encode()):
            return int(counter)
    return None


def _use_counter(row: Authenticator, counter: int) -> bool:
    """Use up a code and all earlier ones. allauth remembers used codes in the cache, which can be flooded."""
    now = {**row.data, "counter": counter}
    return bool(Authenticator.objects.filter(pk=row.pk, data=row.data).update(data=now))


def _unused(row: Authenticator) -> list[str]:
    return list(row.wrap().get_unused_codes())


def _opens(row: Authenticator) -> bool:
    try:
        return bool(row.wrap().generate_codes())
    except CannotOpen:
        return False
