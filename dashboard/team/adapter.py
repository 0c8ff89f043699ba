"""How allauth behaves here: nobody signs up by themselves, attempts are counted by us, sign-ins and sign-outs are journaled."""

import logging
from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from dashboard.journal.recorder import record
from dashboard.team import attempts, devices, news, passwords, sessions
from dashboard.team.models import Person
from dashboard.web import notices
from dashboard.web.requests import client_address

log = logging.getLogger(__name__)


class Adapter(DefaultAccountAdapter):  # type: ignore[misc] # allauth carries no types
    def is_open_for_signup(self, request: HttpRequest) -> bool:  # noqa: ARG002 - allauth's signature
        return False

    def get_client_ip(self, request: HttpRequest) -> str:
        return client_address(request)

    def get_password_change_redirect_url(self, request: HttpRequest) -> str:  # noqa: ARG002 - allauth's signature
        return reverse("account:tokens")

    def authenticate(self, request: HttpRequest, **credentials: Any) -> Person | None:
        """Only for signing in: the password of somebody signed in is checked by `attempts.own_password_fits`."""
        check = super().authenticate
        return attempts.sign_in(request, credentials["email"], lambda: check(request, **credentials))

    def login(self, request: HttpRequest, user: Person) -> None:
        told = news.unread(request, user)
        with record(person_id=user.pk, operation="sign-in", target=user.email) as change:
            super().login(request, user)
            sessions.start(request)
            change.after = {"address": client_address(request)}
        log.info("Signed in", extra={"person": user.pk})
        for sentence in told:
            notices.say(request, notices.Notice(sentence, tone="danger"))

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

    def set_password(self, user: Person, password: str) -> None:
        passwords.change(user, password)
