"""Where a person is signed in: browser, address, last seen. allauth keeps a row for each session."""

import logging
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import cast

from allauth.account.adapter import get_adapter
from allauth.usersessions.models import UserSession
from django.contrib.auth import get_user, update_session_auth_hash
from django.db import DatabaseError, transaction
from django.db.models import F, QuerySet
from django.http import HttpRequest, HttpResponseBase
from django.utils import timezone

from dashboard.journal.recorder import record
from dashboard.team.access import PersonRequest
from dashboard.team.models import Person
from dashboard.team.sessions import ByRow, SessionStore
from dashboard.web.limits.budgets import note_person

log = logging.getLogger(__name__)

# Browser names by a word of the User-Agent header. Browsers imitate those further down.
BROWSERS = {"Edg": "Edge", "OPR/": "Opera", "Firefox": "Firefox", "Chrom": "Chrome", "Safari": "Safari"}
SYSTEMS = {
    "iPhone": "iPhone",
    "iPad": "iPad",
    "Android": "Android",
    "Windows": "Windows",
    "Mac OS": "macOS",
    "CrOS": "ChromeOS",
    "Linux": "Linux",
}
LONGEST_USER_AGENT = 200
_TOOL = re.compile(r"[\w.-]{1,30}")


@dataclass(frozen=True, slots=True)
class Row:
    """A session in the list."""

    id: int
    browser: str
    address: str
    signed_in_at: datetime
    seen_at: datetime
    is_current: bool


class Seen:
    """Middleware: note the session's person for their budget. Saves its address and time whenever the session is saved.

    That is every five minutes (`sessions.SAVE_INTERVAL`).
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        if request.session.accessed:
            note_person(request)
        if getattr(request.session, "was_seen", False) and request.user.is_authenticated and request.session.session_key:
            _note(request)
        return response


def note(request: HttpRequest) -> None:
    """Store where this session is, under its row: allauth's own way would store its key."""
    if not request.session.session_key:
        request.session.save()
    seen = {
        "user": request.user,
        "ip": get_adapter().get_client_ip(request),
        "user_agent": request.headers.get("User-Agent", "")[:LONGEST_USER_AGENT],
        "last_seen_at": timezone.now(),
    }
    UserSession.objects.update_or_create(session_key=_row(request), defaults=seen)


def _row(request: HttpRequest) -> str:
    return cast("SessionStore", request.session).row


def _note(request: HttpRequest) -> None:
    """Save address and time. The answer is finished, so a failing database (a full disk) must not replace it."""
    try:
        with transaction.atomic():
            note(request)
    except DatabaseError:
        log.exception("The time of a session could not be saved.")


def sessions_of(request: PersonRequest) -> list[Row]:
    """Return the valid sessions, this one first, then by last use."""
    rows = [
        Row(
            id=row.pk,
            browser=browser_of(row.user_agent),
            address="" if row.ip == "::" else row.ip,
            signed_in_at=row.created_at,
            seen_at=row.last_seen_at,
            is_current=row.session_key == _row(request),
        )
        for row in UserSession.objects.filter(user_id=request.user.pk)
        if _is_open(row)
    ]
    return sorted(rows, key=lambda row: (row.is_current, row.seen_at), reverse=True)


def _is_open(row: UserSession) -> bool:
    """Whether the session is still valid; its row is deleted if not."""
    request = HttpRequest()
    request.session = ByRow(row.session_key)
    is_open = get_user(request).is_authenticated
    if not is_open:
        row.delete()
    return is_open


def others_of(request: PersonRequest) -> QuerySet[UserSession]:
    """Return the person's other sessions."""
    found: QuerySet[UserSession] = UserSession.objects.filter(user_id=request.user.pk).exclude(session_key=_row(request))
    return found


def end(person: Person, row: UserSession) -> None:
    """End one session."""
    what = {"browser": browser_of(row.user_agent), "address": row.ip}
    with record(person_id=person.pk, operation="session ended", target=person.email, before=what):
        ByRow(row.session_key).delete()
        row.delete()


def end_others(request: PersonRequest) -> None:
    """End all other sessions, including those without a row."""
    person = request.user
    with record(person_id=person.pk, operation="other sessions ended", target=person.email):
        Person.objects.filter(pk=person.pk).update(session_serial=F("session_serial") + 1)
        person.refresh_from_db(fields=("session_serial",))
        update_session_auth_hash(request, person)


def browser_of(user_agent: str) -> str:
    """Return browser and system as people know them: "Firefox on Linux"."""
    browser = next((name for word, name in BROWSERS.items() if word in user_agent), "")
    system = next((name for word, name in SYSTEMS.items() if word in user_agent), "")
    if browser and system:
        return f"{browser} on {system}"
    tool = _TOOL.match(user_agent)
    return browser or system or (tool[0] if tool else "Unknown browser")
