"""Roles that may not work without a second factor: led to adding one, and nowhere else."""

import pytest
from allauth.mfa.models import Authenticator
from pytest_django import Settings

from dashboard.team import factors
from dashboard.team.locked import While, is_open
from dashboard.team.models import Person
from tests.pages import htmx
from tests.people import client_of, confirmed
from tests.rights import views
from tests.team.test_factors import code_of, with_app

pytestmark = pytest.mark.django_db

PAGE = "/account/sign-in/"


@pytest.fixture(autouse=True)
def required(settings: Settings) -> None:
    settings.MFA_REQUIRED = ["owner"]


def test_an_owner_is_led_to_adding_a_factor_until_there_is_one(owner: Person) -> None:
    client = confirmed(owner)
    for address in ("/", "/people/", "/account/", "/links/", "/account/name/", "/account/sign-in/devices/end/"):
        assert client.get(address)["Location"] == PAGE, address
        assert client.post(address)["Location"] == PAGE, address
    assert "Your role needs a second factor" in client.get(PAGE).text
    secret = client.get(f"{PAGE}app/new/").context["secret"]
    client.post(f"{PAGE}app/new/", {"code": code_of(secret)})
    assert client.get("/people/").status_code == 200
    assert "Your role needs" not in client.get(PAGE).text


def test_parts_of_a_page_lead_there_once_and_then_stay_as_they_are(owner: Person) -> None:
    client = client_of(owner)
    elsewhere = client.get("/jobs/tray/", headers=htmx("job-tray", "http://testserver/team/"))
    assert elsewhere["HX-Redirect"] == PAGE
    assert client.get("/jobs/tray/", headers=htmx("job-tray", f"http://testserver{PAGE}")).status_code == 204


def test_other_roles_work_without(ada: Person) -> None:
    assert client_of(ada).get("/people/").status_code == 200


def test_the_last_factor_of_such_a_role_stays(owner: Person) -> None:
    with_app(owner)
    client = confirmed(owner)
    row = Authenticator.objects.get(type="totp")
    refused = client.post(f"{PAGE}factors/{row.pk}/deletion/")
    assert (refused.status_code, factors.NEEDED in refused.text) == (422, True)
    assert factors.has_factor(owner)


def test_leaving_and_confirming_stay_open(owner: Person) -> None:
    client = client_of(owner)
    assert client.get("/account/reauthenticate/?next=/account/sign-in/app/new/").status_code == 200
    assert client.post("/account/logout/")["Location"] == "/account/login/"


def test_nothing_else_stays_open_of_what_needs_a_sign_in() -> None:
    assert {name for name, view in views() if getattr(view, "login_required", True) and is_open(view, While.WITHOUT_FACTOR)} == {
        *("account_reauthenticate", "account_passkey_challenge"),
        *(f"account:{name}" for name in ("sign_in", "app_new", "passkey_new", "passkey_challenge", "codes")),
    }


def test_what_needs_no_sign_in_stays_open(owner: Person) -> None:
    assert client_of(owner).get("/l/0123456789abcdefghijkl").status_code == 404
