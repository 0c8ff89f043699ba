"""A locked account is closed as a whole: every address but a few leads to unlocking it, and nothing is changed or sent.

A new address is included automatically; one that stays open has to be named here.
"""

from urllib.parse import urlencode

import pytest
from pytest_django import Settings

from dashboard.team.models import Person, Role
from tests.features.test_every_address import OPEN_TO_EVERYBODY, VERBS, service, stored
from tests.features.test_leaks import QUERY, TYPED, addresses, freshly_signed_in, values
from tests.interfaces import servers
from tests.pages import PageClient, htmx
from tests.people import client_of
from tests.plugins.exhaustive import Part, in_parts

__all__ = ["service", "values"]

pytestmark = pytest.mark.one_database

LOCK = "/account/lock/"
# The second step of signing in is for those who are not signed in yet.
STAYS_OPEN = {
    *("account:tokens", "account:lock", "account:lock_mail", "account:lock_password", "account:start_over"),
    *("account_passkey_challenge", "account_logout"),
    *("mfa_authenticate", "mfa_challenge", "mfa_login_webauthn"),
}


@pytest.fixture
def locked(owner: Person) -> Person:
    """Has tokens, links and all else; then another owner's link set the password."""
    owner.lock(Person.objects.create(email="otto@example.org", name="Otto", role=Role.OWNER))
    owner.save()
    return owner


@in_parts
def test_every_address_but_a_few_leads_to_unlocking_and_changes_nothing(
    values: dict[str, str], locked: Person, service: servers.Server, part: Part
) -> None:
    client = freshly_signed_in(locked)
    before = stored()
    for name, path in part.of(addresses(values)):
        if OPEN_TO_EVERYBODY.fullmatch(name) or name in STAYS_OPEN:
            continue
        for verb in VERBS:
            typed = urlencode(TYPED)
            answer = client.generic(verb, f"{path}?{urlencode(QUERY)}", typed, content_type="application/x-www-form-urlencoded")
            assert (answer.status_code, answer.get("Location")) == (302, LOCK), f"{verb} {name} ({path})"
            answer = client.generic(verb, path, typed, headers=htmx("dialog"))
            assert answer.get("HX-Redirect") == LOCK, f"{verb} {name} ({path})"
    assert stored() == before
    assert service.requests == []


def test_what_stays_open_shows_every_other_control_as_locked(locked: Person, service: servers.Server) -> None:
    client = client_of(locked)
    page = client.get("/account/")
    assert page.status_code == 200
    assert 'data-tip="Your account is locked."' in page.text
    for closed in ("/account/name/", "/account/password/change/", "/account/sign-in/", "/organizations/", "/people/"):
        assert f'"{closed}"' not in page.text, closed
    assert f'href="{LOCK}"' in page.text
    assert 'action="/account/logout/"' in page.text


def test_parts_of_the_frame_stay_as_they_are_on_pages_that_stay_open(locked: Person, service: servers.Server) -> None:
    client = client_of(locked)
    for page, status in (("/account/", 204), (LOCK, 204), ("/organizations/", 200)):
        assert client.get("/jobs/tray/", headers=htmx("job-tray", f"http://testserver{page}")).status_code == status, page


def test_public_pages_open_as_for_anybody(locked: Person, values: dict[str, str], service: servers.Server) -> None:
    client = client_of(locked)
    for name, path in addresses(values):
        if OPEN_TO_EVERYBODY.fullmatch(name):
            answer = client.get(path, QUERY)
            assert answer.get("Location") != LOCK, name


def test_unlocking_comes_before_a_required_second_factor(locked: Person, settings: Settings) -> None:
    settings.MFA_REQUIRED = ["owner"]
    client = client_of(locked)
    assert client.get("/")["Location"] == LOCK
    assert client.get(LOCK).status_code == 200
    locked.unlock()
    locked.save()
    assert client.get("/")["Location"] == "/account/sign-in/"


def test_a_stranger_is_led_to_the_sign_in_not_to_unlocking(db: None) -> None:
    assert PageClient().get(LOCK)["Location"].startswith("/account/login/")
