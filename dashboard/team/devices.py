"""Devices on which a person signed in before, known by a long-lived signed cookie.

Wrong passwords from such a device are counted apart, so that strangers can't lock its owner out. The cookie opens nothing.
"""

import secrets
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from django.conf import settings
from django.core import signing
from django.http import HttpRequest, HttpResponseBase
from django.utils import timezone

from dashboard.team.models import Person

LIFE = timedelta(days=400)  # no browser keeps a cookie for longer
SALT = "dashboard.team.device"


@dataclass(frozen=True, slots=True)
class Device:
    """`seen_at` is when the person last signed in on it."""

    id: str
    seen_at: datetime


def device_of(request: HttpRequest, person: Person) -> Device | None:
    """The device this request comes from, if this person signed in on it before."""
    try:
        found = signing.loads(request.COOKIES.get(settings.DEVICE_COOKIE_NAME, ""), salt=SALT, max_age=LIFE)
    except signing.BadSignature:
        return None
    if found["person"] != person.pk:
        return None
    return Device(found["id"], datetime.fromtimestamp(found["at"], UTC))


def remember(request: HttpRequest, response: HttpResponseBase, person: Person) -> None:
    """Set the cookie after a sign-in; a device keeps its id."""
    known = device_of(request, person)
    value = {"person": person.pk, "id": known.id if known else secrets.token_hex(16), "at": timezone.now().timestamp()}
    response.set_cookie(
        settings.DEVICE_COOKIE_NAME,
        signing.dumps(value, salt=SALT),
        max_age=LIFE,
        secure=settings.HTTPS,
        httponly=True,
        samesite="Lax",
    )
