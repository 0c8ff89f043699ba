"""The team's channels, through a real HTTP receiver."""

import logging
import re
import subprocess
import sys
from collections.abc import Iterator

import pytest
from apprise import Apprise
from django.utils import timezone
from pytest_django import Settings

from dashboard.labels.services import ProjectLabel, set_label
from dashboard.launch.rules import problems
from dashboard.notifications import addresses, channels
from dashboard.notifications.delivery import deliver_next
from dashboard.notifications.models import Delivery, Outage, State
from dashboard.notifications.outbox import notify, tidy
from dashboard.team.models import Person
from tests.environment import ROOT
from tests.launch.command import free_port
from tests.notifications.sinks import Sink, receiver
from tests.notifications.test_mail import due
from tests.pages import PageClient

SECRET = "s3cr3t-t0ken-of-the-channel"
# These show a message on the machine itself, write it to its log, or need a device beside it.
LOCAL = {"dbus", "glib", "gnome", "kde", "qt", "macosx", "windows", "syslog", "blink1"}


@pytest.fixture
def team(settings: Settings) -> Iterator[Sink]:
    """A receiver, configured as the only channel."""
    with receiver() as sink:
        settings.NOTIFY_URLS = [f"json://127.0.0.1:{sink.port}/hooks/{SECRET}"]
        settings.PUBLIC_URL = "https://pilothouse.example"
        yield sink


def tell(person: Person, kind: str = "trial", key: str = "1") -> None:
    title = "Ann Sender sent invoices/march.pdf"
    notify(kind, [person], title=title, address="/storage/somewhere/photos/?path=invoices/", key=key, place="somewhere")


def deliver() -> None:
    due()
    while deliver_next():
        pass


def test_a_channel_is_told_the_project_what_happened_to_what_and_where_it_is(owner: Person, ada: Person, team: Sink) -> None:
    set_label(owner, "somewhere", ProjectLabel(name="Acme live"), project="somewhere")
    tell(owner)
    tell(ada)
    deliver()
    (post,) = team.posts
    assert post["title"] == "Acme live: Ann Sender sent invoices/march.pdf"
    event = Delivery.objects.get(channel__in=channels.ids()).event
    address = "https://pilothouse.example/storage/somewhere/photos/?path=invoices/"
    assert post["message"] == f"{address}\nTrial · Event {event}"


def test_without_a_public_address_a_message_leads_to_where_start_listens(owner: Person, team: Sink, settings: Settings) -> None:
    settings.PUBLIC_URL, settings.START_URL = "", "http://localhost:8123"
    tell(owner)
    deliver()
    assert team.posts[0]["message"].startswith("http://localhost:8123/storage/somewhere/photos/?path=invoices/\n")


def test_notices_about_an_account_never_reach_a_channel(owner: Person, team: Sink) -> None:
    tell(owner, "account trial")
    deliver()
    assert team.posts == []


def test_each_address_is_answered_for_alone_and_owners_see_the_one_that_fails(
    as_owner: PageClient, owner: Person, team: Sink, settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    settings.NOTIFY_URLS = [*settings.NOTIFY_URLS, f"json://user:{SECRET}@localhost:{free_port()}/{SECRET}"]
    tell(owner)
    deliver()
    assert len(team.posts) == 1
    text = as_owner.get("/notifications/").text
    assert "json://localhost has been failing" in text
    assert "127.0.0.1" not in text
    deliver()
    outage = Outage.objects.get()
    assert (outage.failures, len(team.posts)) == (2, 1)
    assert outage.retry_at > timezone.now()
    assert SECRET not in text + caplog.text
    assert not [row for row in Delivery.objects.values_list("error", "channel") if SECRET in "".join(row)]
    settings.NOTIFY_URLS = settings.NOTIFY_URLS[:1]
    tidy()
    assert not Outage.objects.exists(), "a channel that was taken out of the settings fails no more"


def test_what_a_channel_did_not_accept_is_sent_again_with_the_same_event_as_a_possible_repeat(owner: Person, team: Sink) -> None:
    tell(owner)
    team.refusal = "503"
    deliver()
    deliver()
    team.refusal = ""
    deliver()
    assert len({re.findall("Event (.*)", post["message"])[0] for post in team.posts}) == 1
    assert ["received this message before" in post["message"] for post in team.posts] == [False, True, True]
    assert set(Delivery.objects.filter(channel__in=channels.ids()).values_list("state", flat=True)) == {State.SENT}


def test_a_message_to_a_channel_that_was_removed_is_given_up(owner: Person, team: Sink, settings: Settings) -> None:
    tell(owner)
    settings.NOTIFY_URLS = []
    deliver()
    assert team.posts == []
    message = Delivery.objects.exclude(channel="email").get()
    assert (message.state, message.error) == (State.FAILED, "The address is no longer configured.")


def test_an_address_that_its_service_takes_for_invalid_is_shown_as_failing(
    as_owner: PageClient, owner: Person, settings: Settings
) -> None:
    settings.NOTIFY_URLS = [f"slack://{SECRET}"]
    tell(owner)
    deliver()
    text = as_owner.get("/notifications/").text
    assert "slack has been failing" in text
    assert "not valid" in text
    assert SECRET not in text


def test_the_web_never_loads_apprise() -> None:
    code = (
        "import sys, django; django.setup();"
        "from dashboard.wsgi import application; from django.urls import get_resolver; get_resolver().url_patterns;"
        "assert 'apprise' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)


@pytest.mark.parametrize(
    ("value", "is_fine"),
    [
        ("jsons://hooks.example/x", True),
        (f"slack://T1JJ3T3L2/A1BRTD4JD/{SECRET}, json://hooks.example:8080/x?a=1,2 ntfys://ntfy.sh/topic", True),
        *((f"{scheme}://localhost", False) for scheme in sorted(LOCAL)),
        ("file:///etc/passwd", False),
        ("mailto://user:password@example.org", False),
        ("https://hooks.example/x", False),
        ("hooks.example", False),
        ("jsons://", False),
        ("jsons://hooks.example/x?verify=no", False),
    ],
)
def test_a_start_refuses_channels_that_send_nothing_over_the_network(value: str, *, is_fine: bool) -> None:
    found = [problem for problem in problems({"NOTIFY_URLS": value}) if problem.startswith("NOTIFY_URLS ")]
    assert (found == []) is is_fine
    assert SECRET not in "".join(found)


def test_every_supported_scheme_is_one_of_apprise_and_none_is_local() -> None:
    details = Apprise().details(show_disabled=True)["schemas"]
    known = {scheme for one in details for scheme in (*(one["protocols"] or ()), *(one["secure_protocols"] or ()))}
    assert known - LOCAL >= addresses.SCHEMES
    assert addresses.WITH_HOST <= addresses.SCHEMES
    assert {"slack", "discord", "jsons"} <= addresses.SCHEMES


def test_addresses_are_split_at_commas_and_spaces_between_them_only() -> None:
    assert addresses.split("json://a/x?b=1,2,slack://A/B/C\n xml://c ,") == ["json://a/x?b=1,2", "slack://A/B/C", "xml://c"]
    assert [addresses.shown(one) for one in addresses.split("json://u:p@Host:1/x slack://T1/A1/B1")] == ["json://host", "slack"]
