"""Adapt allauth: no sign-up, our own throttle, journaled sign-ins and sign-outs."""

import logging
from collections.abc import Mapping, Sequence
from datetime import timedelta
from ipaddress import ip_address
from typing import Any, ClassVar

from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.internal.flows.login import get_authentication_records
from django.conf import settings
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from dashboard.journal.models import Entry, Outcome
from dashboard.journal.recorder import record
from dashboard.team import attempts, ceremony, devices, factors, gate, mail, passwords, providers, sessions, user_sessions
from dashboard.team.models import Person, Role
from dashboard.web.http.requests import client_address
from dashboard.web.pages import notices
from dashboard.web.pages.navigation import named_page

log = logging.getLogger(__name__)

MESSAGE_MAX_AGE = timedelta(days=30)
LINK_USED = "link used"
OTHERS_ACTS = ("link made", "role changed", "person deactivated", "person reactivated")


class Adapter(DefaultAccountAdapter):  # type: ignore[misc] # allauth carries no types
    error_messages: ClassVar[dict[str, Any]] = {
        **DefaultAccountAdapter.error_messages,
        "email_password_mismatch": "Wrong e-mail address or password.",
    }

    def is_open_for_signup(self, request: HttpRequest) -> bool:  # noqa: ARG002 - allauth's signature
        return False

    def get_client_ip(self, request: HttpRequest) -> str:
        """Return the client's address; "::" for one that can't be stored, such as a Unix socket's."""
        try:
            return str(ip_address(client_address(request)))
        except ValueError:
            return "::"

    def get_password_change_redirect_url(self, request: HttpRequest) -> str:  # noqa: ARG002 - allauth's signature
        return named_page("tokens")

    def authenticate(self, request: HttpRequest, **credentials: Any) -> Person | None:
        """Check a sign-in. For people already signed in, `attempts.own_password_fits` checks the password."""
        check = super().authenticate
        return attempts.sign_in(request, credentials["email"], lambda: check(request, **credentials))

    def login(self, request: HttpRequest, user: Person) -> None:
        messages = _account_messages(request, user)
        proofs = get_authentication_records(request, user)
        is_new_device = user.last_login is not None and devices.device_of(request, user) is None
        with record(person_id=user.pk, operation="sign-in", target=user.email) as change:
            super().login(request, user)
            sessions.start(request)
            user_sessions.note(request)
            _note_proofs(request, user, proofs)
            change.after = {"address": client_address(request)}
        log.info("Signed in", extra={"person": user.pk})
        if is_new_device:
            browser = user_sessions.browser_of(request.headers.get("User-Agent", ""))
            mail.tell(user, f"Somebody signed in to your account on a new device: {browser}, from {client_address(request)}.")
        if messages:
            # One notice: a page shows three, so the most important one might be the fourth.
            notices.say(request, notices.Notice(" ".join(messages), tone="danger"))

    def post_login(self, request: HttpRequest, user: Person, **facts: Any) -> HttpResponse:
        response: HttpResponse = super().post_login(request, user, **facts)
        devices.remember(request, response, user)
        return response

    def logout(self, request: HttpRequest) -> None:
        person = request.user
        if isinstance(person, Person):
            with record(person_id=person.pk, operation="sign-out", target=person.email):
                super().logout(request)
            log.info("Signed out", extra={"person": person.pk})
            if providers.account_of(person):
                sentence = f"You are signed out here. Your session at {settings.OIDC_LABEL} stays."
                notices.say(request, notices.Notice(sentence, tone="info"))

    def set_password(self, user: Person, password: str) -> None:
        passwords.change(user, password)


def _note_proofs(request: HttpRequest, person: Person, proofs: Sequence[Mapping[str, Any]]) -> None:
    """Remember how the session was opened: by a one-time link, or in a way that also counts as a confirmation."""
    methods = {proof["method"] for proof in proofs}
    if "password_reset" in methods:
        ceremony.note_link(request, person)
    elif "password" in methods and not person.is_locked:
        gate.pass_by_sign_in(request, person, "password")
    elif "mfa" in methods and not person.is_locked:
        is_passkey = any(proof.get("type") == factors.PASSKEY for proof in proofs)
        gate.pass_by_sign_in(request, person, "passkey" if is_passkey else "code")


def _account_messages(request: HttpRequest, person: Person) -> list[str]:
    """Return what others did to the account since the last sign-in on this device, or in 30 days.

    Call it before the sign-in. Sign-ins on other devices don't count, as somebody else may have made them.
    """
    if person.last_login is None:
        return []
    device = devices.device_of(request, person)
    since = device.seen_at if device else timezone.now() - MESSAGE_MAX_AGE
    others = Q(operation__in=OTHERS_ACTS) & ~Q(person=person)
    links = Q(operation=LINK_USED, person=person) & ~Q(after__made_by="")
    found = Entry.objects.filter(others | links, target=person.email, outcome=Outcome.DONE, started_at__gt=since)
    return list(dict.fromkeys(_sentence(entry) for entry in found.select_related("person").order_by("pk")))


def _sentence(entry: Entry) -> str:
    day, by, after = f"{entry.started_at:%-d %b %Y}", entry.person, entry.after or {}
    match entry.operation:
        case "link used":
            return f"Your password was set with a link that {after['made_by']} made ({day})."
        case "link made":
            return f"{by} made a link to set your password ({day})."
        case "role changed":
            return f"{by} changed your role to {Role(after['role']).label} ({day})."
        case "person deactivated":
            return f"{by} deactivated your account ({day})."
        case _:
            return f"{by} reactivated your account ({day})."
