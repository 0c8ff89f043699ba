"""Where a person is signed in: the list, its times and addresses, and ending sessions."""

from datetime import timedelta
from importlib import import_module

import pytest
import time_machine
from allauth.usersessions.models import UserSession
from django.contrib.sessions.models import Session
from django.core import mail as outbox
from django.db import connection
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from dashboard.journal.models import Entry
from dashboard.team import mail
from dashboard.team.models import Person
from dashboard.team.sessions import digest
from dashboard.team.user_sessions import browser_of
from tests.pages import PageClient
from tests.people import PASSWORD, client_of

pytestmark = pytest.mark.django_db

PAGE = "/account/sign-in/"
FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0"
CHROME = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36"
SAFARI = (
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Safari/604.1"
)


@pytest.fixture
def olga(owner: Person) -> Person:
    owner.set_password(PASSWORD)
    owner.save()
    return owner


def signed_in(user_agent: str, address: str) -> PageClient:
    client = PageClient(headers={"User-Agent": user_agent}, REMOTE_ADDR=address)
    assert client.post("/account/login/", {"login": "olga@example.org", "password": PASSWORD}).status_code == 302
    return client


def test_the_list_names_browser_address_and_this_device_first(olga: Person) -> None:
    signed_in(FIREFOX, "203.0.113.5")
    page = signed_in(CHROME, "2001:db8::7").get(PAGE).text
    first, second = page.index("Chrome on Windows"), page.index("Firefox on Linux")
    assert first < page.index("This device") < second
    assert all(address in page for address in ("203.0.113.5", "2001:db8::7"))


@pytest.mark.parametrize(
    ("user_agent", "name"),
    [
        (FIREFOX, "Firefox on Linux"),
        (CHROME, "Chrome on Windows"),
        (f"{CHROME} Edg/142.0", "Edge on Windows"),
        (SAFARI, "Safari on iPhone"),
        ("curl/8.9.1", "curl"),
        ("", "Unknown browser"),
        ("<script>", "Unknown browser"),
    ],
)
def test_browsers_have_the_names_that_people_use(user_agent: str, name: str) -> None:
    assert browser_of(user_agent) == name


def test_a_session_is_seen_again_after_five_minutes_with_its_new_address(olga: Person) -> None:
    client = signed_in(FIREFOX, "203.0.113.5")
    start = timezone.now()
    with time_machine.travel(start + timedelta(minutes=4), tick=False):
        client.get("/people/", REMOTE_ADDR="198.51.100.9")
        assert UserSession.objects.get().ip == "203.0.113.5"
    with time_machine.travel(start + timedelta(minutes=6), tick=False):
        client.get("/people/", REMOTE_ADDR="198.51.100.9")
        row = UserSession.objects.get()
        assert (row.ip, row.last_seen_at) == ("198.51.100.9", timezone.now())


def test_a_confirmation_gives_the_session_a_new_key_and_keeps_its_row(olga: Person) -> None:
    client = signed_in(FIREFOX, "203.0.113.5")
    before = UserSession.objects.get()
    client.post("/account/reauthenticate/?next=/", {"password": PASSWORD})
    after = UserSession.objects.get()
    assert (after.pk, after.session_key) == (before.pk, digest(client.session.session_key))
    assert after.session_key != before.session_key


def test_one_session_can_be_ended_from_another(olga: Person) -> None:
    lost, here = signed_in(SAFARI, "203.0.113.5"), signed_in(FIREFOX, "203.0.113.6")
    row = UserSession.objects.get(ip="203.0.113.5")
    assert here.post(f"{PAGE}devices/{row.pk}/end/").status_code == 303
    assert (lost.get("/people/").status_code, here.get("/people/").status_code) == (302, 200)
    assert "Safari" not in here.get(PAGE).text
    assert Entry.objects.get(operation="session ended").before == {"browser": "Safari on iPhone", "address": "203.0.113.5"}


def test_all_other_sessions_can_be_ended_also_those_without_a_row(olga: Person) -> None:
    lost, here = signed_in(SAFARI, "203.0.113.5"), signed_in(FIREFOX, "203.0.113.6")
    UserSession.objects.filter(ip="203.0.113.5").delete()
    assert here.post(f"{PAGE}devices/end/").status_code == 303
    assert (lost.get("/people/").status_code, here.get("/people/").status_code) == (302, 200)
    assert here.get(PAGE).text.count("Sign out Firefox") == 0


def test_nobody_ends_the_session_of_somebody_else(olga: Person, as_ada: PageClient) -> None:
    client = signed_in(FIREFOX, "203.0.113.5")
    row = UserSession.objects.get(user_id=olga.pk)
    assert as_ada.post(f"{PAGE}devices/{row.pk}/end/").status_code == 404
    assert client.get("/people/").status_code == 200


def test_a_client_without_an_address_signs_in(ada: Person) -> None:
    assert "Unknown" in client_of(ada).get(PAGE, REMOTE_ADDR="").text


def test_a_sign_in_on_a_new_device_is_mailed_and_on_a_known_one_not(olga: Person, settings: Settings) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    client = signed_in(FIREFOX, "203.0.113.5")
    client.post("/account/logout/")
    client.post("/account/login/", {"login": olga.email, "password": PASSWORD})
    mail.wait_for_delivery()
    assert outbox.outbox == [], "the first device, and then a known one"
    signed_in(SAFARI, "198.51.100.9")
    mail.wait_for_delivery()
    [message] = outbox.outbox
    assert "new device: Safari on iPhone, from 198.51.100.9." in message.body


def test_no_table_holds_a_key_that_signs_in(olga: Person) -> None:
    client = signed_in(FIREFOX, "203.0.113.5")
    client.post("/account/reauthenticate/?next=/", {"password": PASSWORD})
    rows = (Session.objects.get(), UserSession.objects.get())
    assert rows[0].session_key == rows[1].session_key
    for row in rows:
        stranger = Client()
        stranger.cookies["pilothouse_session"] = row.session_key
        assert stranger.get("/people/").status_code == 302
    assert client.get("/people/").status_code == 200


def test_the_list_of_sessions_renews_none_of_them(olga: Person, settings: Settings) -> None:
    """A former `SECRET_KEY` signed it; a new key would reach the row and not the browser."""
    other, here = signed_in(SAFARI, "203.0.113.5"), signed_in(FIREFOX, "203.0.113.6")
    settings.SECRET_KEY_FALLBACKS, settings.SECRET_KEY = (
        [settings.SECRET_KEY],
        "another-secret-key-of-fifty-characters-and-some-more",
    )
    here.get(PAGE)
    assert other.get("/people/").status_code == 200


def test_the_upgrade_signs_everybody_out(olga: Person) -> None:
    client = signed_in(FIREFOX, "203.0.113.5")
    for operation in import_module("dashboard.team.migrations.0003_sessions_by_digest").Migration.operations:
        connection.cursor().execute(operation.sql)
    assert (Session.objects.count(), UserSession.objects.count()) == (0, 0)
    assert client.get("/people/").status_code == 302
