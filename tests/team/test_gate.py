"""The gate before dangerous acts: a fresh sign-in, fifteen minutes, this session only."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from urllib.parse import parse_qs, urlsplit

import pytest
import time_machine
from django.contrib.sessions.models import Session
from pytest_django import Settings

from dashboard.journal.models import Entry, Outcome
from dashboard.team.gate import MARK
from dashboard.team.models import Person
from dashboard.team.sessions import digest
from tests.pages import PageClient, htmx
from tests.people import PASSWORD, client_of
from tests.team.urls import ACTS

WINDOW = timedelta(minutes=15)

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.team.urls")]

GATE = "/account/reauthenticate/"
START = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)
PAGE = "http://testserver/journal/?q=a"


@pytest.fixture(autouse=True)
def no_acts() -> Iterator[None]:
    ACTS.clear()
    yield
    ACTS.clear()


@pytest.fixture
def olga(owner: Person) -> PageClient:
    owner.set_password(PASSWORD)
    owner.save()
    return client_of(owner)


def confirm(client: PageClient, password: str = PASSWORD, way: str = "/act/") -> int:
    return int(client.post(f"{GATE}?next={way}", {"password": password}).status_code)


def test_a_session_that_is_only_signed_in_does_not_pass(olga: PageClient) -> None:
    assert olga.get("/act/").status_code == 302
    assert olga.post("/act/").status_code == 403
    assert olga.post("/act/", headers=htmx("dialog")).status_code == 403
    assert olga.get("/act/", headers=htmx("dialog")).status_code == 200
    assert ACTS == []


def test_a_page_asks_first_and_goes_on_afterwards(olga: PageClient) -> None:
    asked = olga.get("/act/?a=b&c=d")
    where = urlsplit(asked["Location"])
    assert (where.path, parse_qs(where.query)) == (GATE, {"next": ["/act/?a=b&c=d"]})
    page = olga.get(asked["Location"])
    assert "Confirm your password" in page.text
    answer = olga.post(asked["Location"], {"password": PASSWORD})
    assert answer["Location"] == "/act/?a=b&c=d"
    assert olga.get(answer["Location"]).text == "acted"


def test_a_dialog_asks_in_the_dialog_and_goes_on_there(olga: PageClient) -> None:
    asked = olga.get("/act/?a=b", headers=htmx("dialog"))
    assert "HX-Retarget" not in asked.headers
    address = f"{GATE}?next=%2Fact%2F%3Fa%3Db&amp;open=dialog"
    assert f'hx-post="{address}"' in asked.text
    answer = olga.post(address.replace("&amp;", "&"), {"password": PASSWORD}, headers=htmx("dialog"))
    assert (answer.status_code, answer["Location"]) == (302, "/act/?a=b")
    assert "HX-Redirect" not in answer.headers


def test_a_post_is_answered_with_a_dialog_and_kept_nowhere(olga: PageClient) -> None:
    asked = olga.post("/act/", {"what": "a secret that was typed"}, headers=htmx("some-row", PAGE))
    assert (asked.status_code, asked["HX-Retarget"], asked["HX-Reswap"]) == (403, "#dialog", "innerHTML")
    assert "Nothing was sent yet" in asked.text
    assert "a secret that was typed" not in asked.text
    assert all("a secret that was typed" not in str(session.get_decoded()) for session in Session.objects.all())
    answer = olga.post(f"{GATE}?next=/journal/", {"password": PASSWORD}, headers=htmx("dialog"))
    assert {"dialog:close", "sign-in:changed"} == set(json.loads(answer["HX-Trigger"]))
    assert "Now try again" in answer.text
    assert ACTS == []
    olga.post("/act/", {"what": "again"}, headers=htmx("some-row"))
    assert ACTS == ["POST again"]


def test_a_post_from_a_dialog_goes_back_to_its_question(olga: PageClient) -> None:
    asked = olga.post("/act/?id=7", {"what": "x"}, headers=htmx("dialog"))
    assert "HX-Retarget" not in asked.headers
    assert "next=%2Fact%2F%3Fid%3D7&amp;open=dialog" in asked.text


@pytest.mark.parametrize(
    ("referer", "way"),
    [("http://testserver/journal/?q=a", "%2Fjournal%2F%3Fq%3Da"), ("https://elsewhere.example/x", "%2F"), ("", "%2F")],
)
def test_a_post_without_script_gets_a_page_that_leads_back(olga: PageClient, referer: str, way: str) -> None:
    asked = olga.post("/act/", {"what": "x"}, headers={"Referer": referer} if referer else {})
    assert asked.status_code == 403
    assert f"{GATE}?next={way}" in asked.text
    assert 'hx-post="/account/reauthenticate' not in asked.text


def test_it_counts_for_fifteen_minutes_from_the_last_act(olga: PageClient) -> None:
    with time_machine.travel(START, tick=False) as clock:
        assert confirm(olga) == 302
        for _ in range(3):
            clock.shift(WINDOW - timedelta(seconds=1))
            assert olga.get("/act/").status_code == 200
        clock.shift(WINDOW)
        assert olga.get("/act/").status_code == 302
        assert len(ACTS) == 3


def test_a_clock_that_was_set_back_opens_nothing(olga: PageClient) -> None:
    with time_machine.travel(START, tick=False) as clock:
        confirm(olga)
        clock.shift(-60)
        assert olga.get("/act/").status_code == 302


def test_another_session_of_the_same_person_does_not_pass(olga: PageClient, owner: Person) -> None:
    confirm(olga)
    assert client_of(owner).get("/act/").status_code == 302
    assert olga.get("/act/").status_code == 200


def test_the_mark_of_somebody_else_opens_nothing(olga: PageClient, ada: Person) -> None:
    confirm(olga)
    session = olga.session
    session[MARK] = {**session[MARK], "person": ada.pk}
    session.save()
    assert olga.get("/act/").status_code == 302


def test_the_session_gets_a_new_key(olga: PageClient) -> None:
    before = olga.session.session_key
    confirm(olga)
    assert olga.session.session_key != before
    assert not Session.objects.filter(session_key=digest(before)).exists()


def test_signing_out_ends_it(olga: PageClient) -> None:
    confirm(olga)
    olga.post("/account/logout/")
    olga.force_login(Person.objects.get(email="olga@example.org"))
    assert olga.get("/act/").status_code == 302


def test_a_wrong_password_opens_nothing_and_is_journaled(olga: PageClient) -> None:
    answer = olga.post(f"{GATE}?next=/act/", {"password": "not this one"})
    assert answer.status_code == 422
    assert "This is not your password." in answer.text
    assert "not this one" not in answer.text
    assert olga.get("/act/").status_code == 302
    assert confirm(olga) == 302
    refused, done = Entry.objects.filter(operation="password confirmed").order_by("pk")
    assert (refused.outcome, done.outcome) == (Outcome.REFUSED, Outcome.DONE)
    assert (done.target, done.before, done.after) == ("/act/", None, None)


def test_an_entry_names_the_page_and_project_that_somebody_confirmed_for(olga: PageClient, settings: Settings) -> None:
    settings.MANAGEMENT_URL = "http://127.0.0.1:9"
    assert confirm(olga, way="/projects/ktmvqhzwrbnxpgaydcle/encryption/key/") == 302
    assert confirm(olga, way="/") == 302
    key, start = Entry.objects.filter(operation="password confirmed").order_by("pk")
    assert (key.place, key.target) == ("ktmvqhzwrbnxpgaydcle", "Root key")
    assert (start.place, start.target) == ("", "")


def test_an_empty_password_is_asked_for(olga: PageClient) -> None:
    answer = olga.post(f"{GATE}?next=/act/", {"password": ""}, headers=htmx("dialog"))
    assert answer.status_code == 422
    assert "Enter your password." in answer.text
    assert not Entry.objects.exists()


def test_wrong_passwords_are_throttled_also_before_the_right_one(olga: PageClient) -> None:
    for _ in range(10):
        assert confirm(olga, "wrong") == 422
    answer = olga.post(f"{GATE}?next=/act/", {"password": PASSWORD})
    assert answer.status_code == 422
    assert "Too many" in answer.text
    assert olga.get("/act/").status_code == 302


def test_somebody_without_a_password_is_refused(as_ada: PageClient) -> None:
    asked = as_ada.get("/act/", follow=True)
    assert "Your account has no password" in asked.text
    assert 'name="password"' not in asked.text
    assert as_ada.post("/act/", headers=htmx("row")).status_code == 403
    assert confirm(as_ada, "") == 403
    assert ACTS == []


def test_somebody_without_a_password_can_not_give_oneself_one(as_ada: PageClient, ada: Person) -> None:
    new = "another long pass phrase"
    as_ada.post("/account/password/set/", {"password1": new, "password2": new})
    as_ada.post("/account/password/change/", {"oldpassword": "", "password1": new, "password2": new})
    ada.refresh_from_db()
    assert not ada.has_usable_password()


def test_a_password_that_was_taken_away_ends_it(olga: PageClient, owner: Person) -> None:
    confirm(olga)
    owner.set_unusable_password()
    owner.save()
    assert olga.get("/act/").status_code == 302
    assert ACTS == []


@pytest.mark.parametrize("way", ["//evil.example/", "https://evil.example/", "/\\evil.example", "javascript:alert(1)", ""])
def test_it_never_leads_off_this_site(olga: PageClient, way: str) -> None:
    answer = olga.post(GATE, {"password": PASSWORD}, query_params={"next": way})
    assert answer["Location"] == "/"


def test_who_was_asked_already_goes_on(olga: PageClient) -> None:
    confirm(olga)
    assert olga.get(f"{GATE}?next=/act/")["Location"] == "/act/"


def test_it_wants_a_sign_in(visitor: PageClient) -> None:
    assert visitor.get("/act/")["Location"].startswith("/account/login/")
    assert visitor.post(GATE, {"password": PASSWORD})["Location"].startswith("/account/login/")


def test_it_takes_no_other_verb(olga: PageClient) -> None:
    assert olga.put(GATE).status_code == 405
    assert olga.delete("/act/").status_code == 405
