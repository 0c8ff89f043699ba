"""How allauth behaves here: nobody signs up by themselves, messages are ours, addresses of clients can't be forged."""

from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from django.conf import settings
from django.http import HttpRequest
from django.urls import reverse

from dashboard.web.requests import client_address

DUMMY = "django.core.mail.backends.dummy.EmailBackend"


class Adapter(DefaultAccountAdapter):  # type: ignore[misc] # allauth carries no types
    def is_open_for_signup(self, request: HttpRequest) -> bool:  # noqa: ARG002 - allauth's signature
        return False

    def get_client_ip(self, request: HttpRequest) -> str:
        return client_address(request)

    def get_password_change_redirect_url(self, request: HttpRequest) -> str:  # noqa: ARG002 - allauth's signature
        return reverse("account:tokens")

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        if mails():
            super().send_mail(template_prefix, email, context)


def mails() -> bool:
    """Is there a way to send mail?"""
    return bool(settings.EMAIL_BACKEND != DUMMY)
