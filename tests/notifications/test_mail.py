"""E-mail about notifications, through a real SMTP server."""

import re
import time
from datetime import timedelta
from email.message import EmailMessage

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from dashboard import backends
from dashboard.labels.services import ProjectLabel, set_label
from dashboard.notifications import inbox
from dashboard.notifications.delivery import deliver_next
from dashboard.notifications.mail import unsubscribe_code
from dashboard.notifications.models import Delivery, Notification, Outage, Preference, State
from dashboard.notifications.outbox import notify, tidy, untold
from dashboard.team.models import Person
from tests.launch.command import free_port
from tests.notifications.sinks import Sink
from tests.pages import PageClient


def tell(person: Person, kind: str = "trial", key: str = "1", place: str = "") -> None:
    notify(kind, [person], title="A trial\nhas ended", address="/jobs/", key=key, place=place)


def bodies(mail: EmailMessage) -> list[str]:
    """The text and the HTML."""
    return [part.get_content() for part in mail.iter_parts() if isinstance(part, EmailMessage)]


def says_repeat(mail: EmailMessage) -> bool:
    found = {"You may have received this message before" in body for body in bodies(mail)}
    assert len(found) == 1
    return found.pop()


def due() -> None:
    """As if every pause were over."""
    Outage.objects.update(retry_at=timezone.now())
    Delivery.objects.update(due_at=timezone.now())


def test_a_mail_has_text_and_html_a_link_and_the_project_as_the_team_calls_it(owner: Person, mails: Sink) -> None:
    set_label(owner, "somewhere", ProjectLabel(name="Acme live"), project="somewhere")
    tell(owner, place="somewhere")
    assert deliver_next()
    assert not deliver_next()
    (mail,) = mails.mails
    assert (mail["Subject"], mail["To"], mail["Auto-Submitted"]) == (
        "Acme live: A trial has ended",
        owner.email,
        "auto-generated",
    )
    assert len(bodies(mail)) == 2
    for body in bodies(mail):
        assert "Acme live: A trial has ended" in body
        assert "https://pilothouse.example/jobs/" in body
        assert "Project:" not in body, "storage alone has none"
    delivery = Delivery.objects.get()
    assert mail["Message-ID"] == f"<{delivery.event}@example.org>"
    assert (delivery.state, delivery.is_open, delivery.attempts) == (State.SENT, False, 1)


def test_what_was_not_told_yet_comes_in_the_order_asked(owner: Person) -> None:
    tell(owner, key="7")
    keys = [str(number) for number in range(20, 0, -1)]
    assert untold("trial", keys) == [key for key in keys if key != "7"]


def test_without_a_public_address_mails_lead_to_where_start_listens(owner: Person, mails: Sink, settings: Settings) -> None:
    settings.PUBLIC_URL, settings.START_URL = "", "http://localhost:8123"
    tell(owner)
    assert deliver_next()
    for body in bodies(mails.mails[0]):
        assert "http://localhost:8123/jobs/" in body
        assert "http://localhost:8123/notifications/unsubscribe/" in body


def test_one_click_in_a_mail_program_unsubscribes_from_that_kind_alone(owner: Person, mails: Sink) -> None:
    tell(owner)
    tell(owner, "quiet trial")
    deliver_next()
    (mail,) = mails.mails
    assert mail["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    address = re.fullmatch(
        r"<https://pilothouse\.example(/notifications/unsubscribe/\S+/)>", "".join(mail["List-Unsubscribe"].split())
    )
    assert address
    visitor = Client(enforce_csrf_checks=True)
    assert b"Stop e-mail" in visitor.get(address[1]).content
    assert not Preference.objects.exists(), "scanners open every address in a mail"
    answer = visitor.post(address[1], "List-Unsubscribe=One-Click", content_type="application/x-www-form-urlencoded")
    assert answer.status_code == 200
    assert inbox.mailed_kinds(owner.pk)["trial"] is False
    tell(owner, key="2")
    assert not deliver_next()
    assert inbox.unread_count(owner.pk) == 3, "in the app it still appears"
    assert visitor.post(address[1][:-2] + "x/").status_code == 404


def test_a_code_to_unsubscribe_expires_after_ninety_days(owner: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    address = f"/notifications/unsubscribe/{unsubscribe_code(owner.pk, 'trial')}/"
    made = time.time()
    for days, status in ((89, 200), (91, 404)):
        monkeypatch.setattr(time, "time", lambda then=made + days * 86400: then)
        assert Client().get(address).status_code == status
    assert Client().post(address).status_code == 404
    assert not Preference.objects.exists()


def test_security_notices_are_always_mailed_and_have_no_way_to_unsubscribe(owner: Person, mails: Sink) -> None:
    inbox.choose(owner.pk, {"account trial": False})
    tell(owner, "account trial")
    assert deliver_next()
    assert mails.mails[0]["List-Unsubscribe"] is None
    assert not [body for body in bodies(mails.mails[0]) if "unsubscribe" in body]


def test_an_event_is_told_once_and_a_deactivated_person_gets_nothing(owner: Person, ada: Person, mails: Sink) -> None:
    tell(owner)
    tell(owner)
    tell(ada)
    Person.objects.filter(pk=ada.pk).update(is_active=False)
    ada.refresh_from_db()
    tell(ada, key="2")
    while deliver_next():
        pass
    assert [mail["To"] for mail in mails.mails] == [owner.email]
    assert Notification.objects.count() == 2


def test_a_mail_server_that_is_away_rests_longer_each_time_and_owners_see_it(
    as_owner: PageClient, as_ada: PageClient, owner: Person, mails: Sink, settings: Settings
) -> None:
    port, settings.EMAIL_PORT = settings.EMAIL_PORT, free_port()
    tell(owner)
    tell(owner, key="2")
    assert deliver_next()
    assert not deliver_next(), "the whole channel rests"
    first = Outage.objects.get()
    due()
    assert deliver_next()
    second = Outage.objects.get()
    assert second.failures == 2
    assert second.retry_at - timezone.now() > first.retry_at - first.since
    assert "E-mail has been failing" in as_owner.get("/notifications/").text
    assert "Messages waiting: 2" in " ".join(as_owner.get("/notifications/").text.split())
    assert "failing" not in as_ada.get("/notifications/").text
    settings.EMAIL_PORT = port
    due()
    while deliver_next():
        pass
    assert len(mails.mails) == 2
    assert not Outage.objects.exists()
    assert not says_repeat(mails.mails[0]), "nothing had been sent, so it is no repeat"


def test_a_refused_recipient_stops_nobody_elses_mail(owner: Person, ada: Person, mails: Sink) -> None:
    mails.refusal = "550 no such mailbox"
    tell(owner)
    deliver_next()
    mails.refusal = ""
    tell(ada)
    deliver_next()
    assert [mail["To"] for mail in mails.mails] == [ada.email]
    assert list(Delivery.objects.order_by("pk").values_list("state", "error")) == [
        ("failed", "550 no such mailbox"),
        ("sent", ""),
    ]
    assert not Outage.objects.exists()


def test_an_answer_that_is_cut_off_is_repeated_once_as_such_and_then_unknown(owner: Person, mails: Sink) -> None:
    mails.cuts = True
    tell(owner)
    for _ in range(3):
        due()
        deliver_next()
    first, second = mails.mails
    assert first["Message-ID"] == second["Message-ID"]
    assert [says_repeat(first), says_repeat(second)] == [False, True]
    assert Delivery.objects.get().state == State.UNKNOWN


def test_a_message_that_could_not_be_sent_for_a_day_is_given_up(owner: Person, mails: Sink) -> None:
    tell(owner)
    Notification.objects.update(made_at=timezone.now() - timedelta(days=1, minutes=1))
    tidy()
    assert not deliver_next()
    assert Delivery.objects.get().state == State.FAILED


def test_old_notifications_are_deleted(owner: Person, mails: Sink) -> None:
    tell(owner)
    tell(owner, key="2")
    Notification.objects.filter(key="1").update(made_at=timezone.now() - timedelta(days=91))
    tidy()
    assert list(Notification.objects.values_list("key", flat=True)) == ["2"]


def test_without_a_mail_server_nothing_waits(owner: Person, settings: Settings) -> None:
    settings.EMAIL_BACKEND = backends.DUMMY
    tell(owner)
    assert inbox.unread_count(owner.pk) == 1
    assert not Delivery.objects.exists()
