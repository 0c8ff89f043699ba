"""A confirmation at an OpenID Connect provider, and the end of the connection."""

import re
import time
from collections.abc import Iterator
from urllib.parse import parse_qs, urlsplit

import pytest
from allauth.socialaccount.models import SocialAccount
from django.core.management import call_command

from dashboard.journal.models import Entry
from dashboard.notifications.models import Notification
from dashboard.team.models import Person
from tests.pages import PageClient, htmx
from tests.people import client_of
from tests.team.oidc_provider import Provider
from tests.team.test_single_sign_on import BEGIN, CALLBACK, LOGIN, ada, led_to, provider, sign_in, signed_in
from tests.team.urls import ACTS

__all__ = ["ada", "provider"]

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.team.urls")]

GATE = "/account/reauthenticate/"


@pytest.fixture(autouse=True)
def no_acts() -> Iterator[None]:
    ACTS.clear()
    yield
    ACTS.clear()


def test_at_the_gate_it_signs_in_anew_and_goes_on(visitor: PageClient, provider: Provider, ada: Person) -> None:
    sign_in(visitor, provider)
    asked = visitor.get("/act/?a=b")["Location"]
    page = visitor.get(asked)
    assert "Confirm with Example ID" in page.text
    assert f"form-action 'self' {provider.issuer}" in page["Content-Security-Policy"].split("; ")
    key = visitor.session.session_key
    assert sign_in(visitor, provider, "/act/?a=b") == "/act/?a=b"
    assert (provider.asked[-1]["max_age"], provider.asked[-1]["prompt"]) == ("0", "login")
    assert visitor.get("/act/?a=b").text == "acted"
    assert visitor.session.session_key != key
    assert Entry.objects.get(operation="provider confirmed").target == "/act/"


def test_in_the_dialog_the_script_leads_to_the_provider(visitor: PageClient, provider: Provider, ada: Person) -> None:
    sign_in(visitor, provider)
    asked = visitor.get("/act/?a=b", headers=htmx("dialog"))
    assert '<input type="hidden" name="next" value="/act/?a=b">' in asked.text
    answer = visitor.post(BEGIN, {"next": "/act/?a=b"}, headers=htmx(""))
    assert answer["HX-Redirect"].startswith(f"{provider.issuer}/authorize?")


def test_somebody_without_password_and_factor_confirms_there(provider: Provider, ada: Person) -> None:
    client = PageClient()
    sign_in(client, provider)
    ada.set_unusable_password()
    ada.save()
    client = client_of(ada)
    page = client.get(client.get("/act/")["Location"]).text
    assert "Confirm with Example ID" in page
    assert 'name="password"' not in page
    sign_in(client, provider, "/act/")
    assert client.get("/act/").text == "acted"


@pytest.mark.parametrize("lies", [{}, {"auth_time": None}, {"auth_time": "now"}, {"auth_time": 9_999_999_999}], ids=str)
def test_a_provider_that_asks_nobody_confirms_nothing(
    visitor: PageClient, provider: Provider, ada: Person, lies: dict[str, object]
) -> None:
    sign_in(visitor, provider)
    address = led_to(visitor, "/act/")
    provider.lies = lies or {"auth_time": int(time.time()) - 3600}
    back = urlsplit(provider.sign_in(address))
    assert visitor.get(f"{back.path}?{back.query}")["Location"] == "/act/"
    assert visitor.get("/act/")["Location"].startswith(GATE), "where it is asked again"
    assert ACTS == []
    assert Entry.objects.get(operation="provider confirmed").outcome == "refused"
    assert "so nothing was confirmed" in visitor.get("/journal/").text


def test_another_account_there_confirms_nothing(visitor: PageClient, provider: Provider, ada: Person, owner: Person) -> None:
    sign_in(visitor, provider)
    for account in ({"sub": "subject-2"}, {"sub": "subject-3", "email": owner.email}):
        provider.account |= account
        assert sign_in(visitor, provider, "/act/") == "/act/"
        assert signed_in(visitor) == ada.pk
        assert visitor.get("/act/").status_code == 302
    assert SocialAccount.objects.count() == 1


def test_a_confirmation_that_was_begun_is_no_sign_in(visitor: PageClient, provider: Provider, ada: Person) -> None:
    sign_in(visitor, provider)
    back = urlsplit(provider.sign_in(led_to(visitor, "/act/")))
    states = visitor.session["socialaccount_states"]
    visitor.post("/account/logout/")
    session = visitor.session
    session["socialaccount_states"] = states
    session.save()
    visitor.cookies["pilothouse_session"] = session.session_key or ""
    assert visitor.get(f"{back.path}?{back.query}")["Location"] == LOGIN
    assert signed_in(visitor) is None


def test_a_reset_also_ends_the_connection(
    visitor: PageClient, provider: Provider, owner: Person, capsys: pytest.CaptureFixture[str]
) -> None:
    provider.account["email"] = owner.email
    sign_in(visitor, provider)
    call_command("link", "--reset-factors", owner.email)
    assert not SocialAccount.objects.exists()
    assert visitor.get("/journal/").status_code == 302
    assert Entry.objects.get(operation="factors reset").before == {"factors": ["sign-in provider"]}
    way = re.sub(r"^https?://[^/]+", "", capsys.readouterr().out.strip())
    assert visitor.get(way, follow=True).status_code == 200
    provider.account["sub"] = "a new account after the old one was lost"
    sign_in(visitor, provider)
    assert signed_in(visitor) == owner.pk


def test_the_account_shows_the_connection_and_ends_it(provider: Provider, ada: Person) -> None:
    client = client_of(ada)
    page = "/account/sign-in/"
    assert "Connected when you first sign in there as ada@example.org" in client.get(page).text
    assert client.get(f"{page}provider/disconnection/")["Location"].startswith(GATE)
    client = PageClient()
    sign_in(client, provider)
    assert "Disconnect</a>" in client.get(page).text
    sign_in(client, provider, "/act/")
    assert "connects your account again" in client.get(f"{page}provider/disconnection/").text
    assert client.post(f"{page}provider/disconnection/")["Location"] == page
    assert not SocialAccount.objects.exists()
    assert Notification.objects.filter(person=ada, title__contains="no longer connected with Example ID").count() == 1
    # The way that confirmed is gone, and so is what it confirmed.
    assert client.get("/act/").status_code == 302


def test_the_only_way_to_sign_in_stays(provider: Provider, ada: Person, as_owner: PageClient) -> None:
    sign_in(PageClient(), provider)
    ada.set_unusable_password()
    ada.save()
    assert "No password yet" not in as_owner.part("/people/", "people").text.split("ada@example.org")[1].split("</tr>")[0]
    client = client_of(ada)
    sign_in(client, provider, "/act/")
    answer = client.post("/account/sign-in/provider/disconnection/")
    assert answer.status_code == 422
    assert "Set a password or add a passkey first." in answer.text
    assert SocialAccount.objects.exists()
    assert Entry.objects.get(operation="provider disconnected").outcome == "refused"


@pytest.mark.parametrize("ahead", [-55, 55])
def test_a_clock_that_is_a_minute_off_confirms(visitor: PageClient, provider: Provider, ada: Person, ahead: int) -> None:
    provider.ahead = ahead
    sign_in(visitor, provider)
    assert sign_in(visitor, provider, "/act/") == "/act/"
    assert visitor.get("/act/").text == "acted"


def test_a_confirmation_that_was_cancelled_there_is_asked_for_again(visitor: PageClient, provider: Provider, ada: Person) -> None:
    sign_in(visitor, provider)
    state = parse_qs(urlsplit(led_to(visitor, "/act/?a=b")).query)["state"][0]
    assert visitor.get(f"{CALLBACK}?error=access_denied&state={state}")["Location"] == "/act/?a=b"
    asked = visitor.get(visitor.get("/act/?a=b")["Location"])
    assert "The sign-in was cancelled at the provider." in asked.text
    assert "Confirm with Example ID" in asked.text
    assert ACTS == []
