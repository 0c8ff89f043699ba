"""Notices about an account: in the app and by mail, never in a team's channel."""

from collections.abc import Iterator

import pytest
from pytest_django import Settings

from dashboard.notifications.delivery import deliver_next
from dashboard.notifications.models import Notification
from dashboard.team import services
from dashboard.team.models import Person, Role
from tests.notifications.conftest import mails
from tests.notifications.sinks import Sink, receiver
from tests.pages import PageClient
from tests.people import PASSWORD

__all__ = ["mails"]


@pytest.fixture
def posts(settings: Settings) -> Iterator[Sink]:
    with receiver() as sink:
        settings.NOTIFY_URLS = [f"json://127.0.0.1:{sink.port}/"]
        yield sink


def deliver() -> None:
    while deliver_next():
        pass


def test_a_new_role_is_told_to_the_person_alone(owner: Person, ada: Person, as_ada: PageClient, mails: Sink, posts: Sink) -> None:
    services.change_role(owner, ada, Role.OWNER)
    services.change_role(owner, ada, Role.OWNER)
    deliver()
    sentence = "Olga Owner changed your role to Owner."
    assert list(Notification.objects.values_list("person", "kind", "title")) == [(ada.pk, "account", sentence)] * 2
    assert sentence in as_ada.get("/notifications/").text
    assert [(mail["To"], mail["Subject"]) for mail in mails.mails] == [(ada.email, sentence)] * 2
    text = mails.mails[0].get_body(("plain",))
    assert text
    assert "contact an owner of your team" in text.get_content()
    assert "/unsubscribe/" not in text.get_content()
    assert posts.posts == []


def test_a_deactivated_person_is_still_told_so(owner: Person, ada: Person, mails: Sink) -> None:
    services.deactivate(owner, ada)
    deliver()
    assert [(mail["To"], mail["Subject"]) for mail in mails.mails] == [(ada.email, "Olga Owner deactivated your account.")]


def test_a_sign_in_on_a_new_device_is_told(owner: Person, mails: Sink, posts: Sink) -> None:
    owner.set_password(PASSWORD)
    owner.save()
    for _ in range(2):
        PageClient().post("/account/login/", {"login": owner.email, "password": PASSWORD})
    deliver()
    (row,) = Notification.objects.filter(person=owner)
    assert row.title.startswith("Somebody signed in to your account on a new device: ")
    assert [mail["Subject"] for mail in mails.mails] == [row.title]
    assert posts.posts == []
