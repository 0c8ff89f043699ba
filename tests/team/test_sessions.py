"""Sessions end after twelve hours without use, and after fourteen days at the latest."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from django.contrib.sessions.models import Session

from dashboard.team.models import Person
from tests.pages import PageClient
from tests.people import PASSWORD

PAGE = "/people/"


@pytest.fixture
def clock() -> Iterator[time_machine.Traveller]:
    with time_machine.travel(datetime(2026, 11, 1, 8, tzinfo=UTC), tick=False) as found:
        yield found


@pytest.fixture(params=["", "on"], ids=["until the browser is closed", "kept on this device"])
def client(request: pytest.FixtureRequest, owner: Person, clock: time_machine.Traveller) -> PageClient:
    owner.set_password(PASSWORD)
    owner.save()
    found = PageClient()
    found.post("/account/login/", {"login": owner.email, "password": PASSWORD, "remember": request.param})
    return found


def test_a_session_ends_after_twelve_hours_without_use(client: PageClient, clock: time_machine.Traveller) -> None:
    clock.shift(timedelta(hours=11, minutes=59))
    assert client.get(PAGE).status_code == 200
    clock.shift(timedelta(hours=12, seconds=1))
    assert client.get(PAGE).status_code == 302


def test_a_session_in_use_ends_after_fourteen_days(client: PageClient, clock: time_machine.Traveller) -> None:
    for _ in range(14 * 3 - 1):
        clock.shift(timedelta(hours=8))
        assert client.get(PAGE).status_code == 200
    clock.shift(timedelta(hours=8, seconds=1))
    assert client.get(PAGE).status_code == 302


def test_whatever_saves_a_session_does_not_lengthen_it(client: PageClient, clock: time_machine.Traveller) -> None:
    """A saved session, a longer expiry that some code asks for, and a confirmed password (which changes its key)."""
    for _ in range(14 * 3 - 1):
        clock.shift(timedelta(hours=8))
        client.post("/account/reauthenticate/?next=/", {"password": PASSWORD})
        session = client.session
        session.set_expiry(timedelta(days=90))
        session["something"] = "else"
        session.save()
    clock.shift(timedelta(hours=8, seconds=1))
    assert client.get(PAGE).status_code == 302


def test_the_cookie_ends_with_the_session(client: PageClient, clock: time_machine.Traveller) -> None:
    cookie = client.cookies["pilothouse_session"]
    assert cookie["max-age"] in ("", 12 * 3600)


def test_the_row_has_the_same_end_so_that_old_ones_are_cleared(client: PageClient, clock: time_machine.Traveller) -> None:
    assert Session.objects.get().expire_date == datetime.now(UTC) + timedelta(hours=12)


def test_a_page_in_a_row_of_requests_saves_the_session_once(
    client: PageClient, clock: time_machine.Traveller, django_assert_num_queries: object
) -> None:
    before = Session.objects.get().session_data
    client.get(PAGE)
    assert Session.objects.get().session_data == before
    clock.shift(timedelta(minutes=6))
    client.get(PAGE)
    assert Session.objects.get().session_data != before


def test_the_account_page_says_when_the_session_ends(client: PageClient, clock: time_machine.Traveller) -> None:
    text = client.get("/account/").text
    assert "12 hours without use" in text
    assert "2026-11-15" in text
