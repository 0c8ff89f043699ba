"""Known devices of a person, recognised by a long-lived signed cookie.

Wrong passwords from a known device are counted separately, so that others can't lock its owner out. The cookie grants no access.
"""

import secrets
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from django.conf import settings
from django.core import signing
from django.http import HttpRequest, HttpResponseBase
from django.utils import timezone

from dashboard.team.models import Person

LIFETIME = timedelta(days=400)  # Browsers keep a cookie no longer.
SALT = "dashboard.team.device"


@dataclass(frozen=True, slots=True)
class Device:
    """A known device; `seen_at` is the last sign-in on it."""

    id: str
    seen_at: datetime


def device_of(request: HttpRequest, person: Person) -> Device | None:
    """Return the request's device if this person signed in on it before."""
    try:
        found = signing.loads(request.COOKIES.get(settings.DEVICE_COOKIE_NAME, ""), salt=SALT, max_age=LIFETIME)
    except signing.BadSignature:
        return None
    if found["person"] != person.pk:
        return None
    return Device(found["id"], datetime.fromtimestamp(found["at"], UTC))


def remember(request: HttpRequest, response: HttpResponseBase, person: Person) -> None:
    """Set the device cookie after a sign-in; a known device keeps its id."""
    known = device_of(request, person)
    value = {"person": person.pk, "id": known.id if known else secrets.token_hex(16), "at": timezone.now().timestamp()}
    response.set_cookie(
        settings.DEVICE_COOKIE_NAME,
        signing.dumps(value, salt=SALT),
        max_age=LIFETIME,
        secure=settings.HTTPS,
        httponly=True,
        samesite="Lax",
    )
