"""Absolute addresses come from PUBLIC_URL, whatever a client says."""

from pathlib import Path

import pytest
from django.core.mail import EmailMessage
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from dashboard.team.mail import wait_for_delivery
from dashboard.team.models import Person
from tests.people import confirmed

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def public(settings: Settings) -> None:
    """As behind a proxy that passes every host on."""
    settings.PUBLIC_URL = "https://pilot.example"
    settings.ALLOWED_HOSTS = ["*"]


@pytest.mark.parametrize("forged", ["Host", "X-Forwarded-Host"])
def test_the_reset_mail_leads_to_the_public_address_whatever_host_was_asked(
    owner: Person, mailoutbox: list[EmailMessage], forged: str
) -> None:
    answer = Client().post("/account/password/reset/", {"email": owner.email}, headers={forged: "evil.example"})
    assert answer.status_code == 302
    wait_for_delivery()
    (mail,) = mailoutbox
    assert "https://pilot.example/account/password/reset/key/" in str(mail.body)
    assert "evil.example" not in str(mail.body)
    assert "evil.example" not in answer["Location"]


def test_a_link_for_somebody_leads_there_too(owner: Person) -> None:
    new = {"email": "new@example.org", "name": "", "role": "operator"}
    page = confirmed(owner).post(reverse("team:new"), new, headers={"Host": "evil.example"}).content.decode()
    assert "https://pilot.example/account/password/reset/key/" in page
    assert "evil.example" not in page


def test_one_function_makes_absolute_addresses() -> None:
    sources = {path: path.read_text() for path in (ROOT / "dashboard").rglob("*.py") if "sandbox" not in path.parts}
    found = {str(path.relative_to(ROOT)) for path, text in sources.items() if "build_absolute_uri" in text}
    assert found == {"dashboard/web/http/requests.py"}
