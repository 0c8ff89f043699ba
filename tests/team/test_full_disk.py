"""A full disk is named where it stops somebody."""

import pytest
from django.test import Client
from django.urls import reverse

from dashboard.team.models import Person
from tests.disk import full_disk


@pytest.mark.django_db
def test_a_full_disk_is_named_at_sign_in() -> None:
    somebody = Person.objects.create(email="full@example.org")
    somebody.set_password("a long enough password")
    somebody.save()
    browser = Client(raise_request_exception=False)
    address = reverse("account_login")
    browser.get(address)
    with full_disk():
        answer = browser.post(address, {"login": "full@example.org", "password": "a long enough password"})
    assert answer.status_code == 503
    assert "Disk full" in answer.text


def test_a_full_disk_is_named_when_a_session_can_not_be_saved(owner: Person) -> None:
    browser = Client(raise_request_exception=False)
    browser.force_login(owner)
    session = browser.session
    session["changed"] = "so that the next answer saves it"
    session.save()
    with full_disk():
        answer = browser.post(reverse("account_logout"))
    assert answer.status_code == 503
    assert "Disk full" in answer.text
