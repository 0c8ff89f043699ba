"""A mail server that is away, refuses or hangs costs no link and no answer."""

import logging
import smtplib

import pytest
from django.core.mail.backends.base import BaseEmailBackend
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from dashboard.team.mail import wait_for_delivery
from dashboard.team.models import Person
from tests.launch.command import free_port
from tests.people import confirmed


class Refusing(BaseEmailBackend):
    def send_messages(self, _messages: object) -> int:
        raise smtplib.SMTPRecipientsRefused({"new@example.org": (550, b"no such mailbox")})


@pytest.fixture(params=["away", "refusing"])
def broken_mail(request: pytest.FixtureRequest, settings: Settings) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", free_port()
    if request.param == "refusing":
        settings.EMAIL_BACKEND = "tests.team.test_mail_failures.Refusing"


@pytest.mark.usefixtures("broken_mail")
def test_a_mail_that_fails_loses_no_link(owner: Person, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR):
        answer = confirmed(owner).post(reverse("team:new"), {"email": "new@example.org", "name": "", "role": "operator"})
        wait_for_delivery()
    assert answer.status_code == 200
    assert "/account/password/reset/key/" in answer.content.decode()
    assert Person.objects.filter(email="new@example.org").exists()
    assert "Mail not sent" in caplog.text
    assert "/account/password/reset/key/" not in caplog.text


@pytest.mark.usefixtures("broken_mail")
def test_a_reset_whose_mail_fails_is_answered_as_ever(owner: Person, caplog: pytest.LogCaptureFixture) -> None:
    answers = [Client().post("/account/password/reset/", {"email": email}) for email in (owner.email, "nobody@example.org")]
    wait_for_delivery()
    assert [(answer.status_code, answer["Location"]) for answer in answers] == [(302, "/account/password/reset/done/")] * 2
    assert "/key/" not in caplog.text
