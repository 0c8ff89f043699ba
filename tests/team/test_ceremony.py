"""A locked account is unlocked by one ceremony: a proof from before the lock, then a new password; all since then ends."""

import re
from datetime import timedelta

import pytest
import time_machine
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from django.core.mail import EmailMessage
from django.utils import timezone

from dashboard.journal.models import Entry
from dashboard.team import ceremony, factors, mail
from dashboard.team.models import Person
from dashboard.team.providers import provider_id
from tests.pages import PageClient
from tests.people import PASSWORD, client_of
from tests.team.oidc_provider import Provider
from tests.team.test_factors import code_of, with_app
from tests.team.test_single_sign_on import provider, sign_in

__all__ = ["provider"]

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.team.urls")]

LOCK, CHOOSE, MAIL = "/account/lock/", "/account/lock/password/", "/account/lock/mail/"
CHOSEN, NEW = "a pass phrase chosen by somebody else", "seven green bicycles at noon"


def lock(person: Person, maker: Person) -> None:
    """As a link of the maker does that sets the password."""
    person.refresh_from_db()
    person.lock(maker)
    person.set_password(CHOSEN)
    person.save()


@pytest.fixture
def victim(ada: Person, owner: Person) -> Person:
    """Ada's account, locked by the owner's link."""
    ada.set_password(PASSWORD)
    ada.save()
    lock(ada, owner)
    return ada


def choose(client: PageClient, password: str = NEW) -> bool:
    """Choose the new password; whether that unlocked the account."""
    answer = client.post(CHOOSE, {"password": password, "again": password})
    return bool(answer.status_code == 303)


def signs_in(person: Person, password: str) -> bool:
    return bool(PageClient().post("/account/login/", {"login": person.email, "password": password}).status_code == 302)


def mailed_code(outbox: list[EmailMessage]) -> str:
    mail.wait_for_delivery()
    found = re.search(r"^\d{8}$", str(outbox[-1].body), re.MULTILINE)
    assert found
    return found[0]


def test_the_old_password_and_a_new_one_unlock_and_end_all_else(owner: Person, victim: Person) -> None:
    intruder, person = client_of(victim), client_of(victim)
    assert person.post(LOCK, {"password": PASSWORD})["Location"] == LOCK
    assert person.get("/people/")["Location"] == LOCK, "the proof alone opens nothing"
    assert choose(person)
    assert person.get("/people/").status_code == 200
    assert intruder.get("/people/")["Location"].startswith("/account/login/")
    assert not signs_in(victim, CHOSEN)
    assert not signs_in(victim, PASSWORD)
    assert signs_in(victim, NEW)
    assert Entry.objects.get(operation="account unlocked").after == {"by": "password", "ended": []}
    victim.refresh_from_db()
    assert (victim.is_locked, victim.trusted_until, victim.former_password) == (False, None, "")


def test_nothing_unlocks_without_a_proof(victim: Person) -> None:
    client = client_of(victim)
    assert not choose(client)
    assert client.post(LOCK, {"password": CHOSEN}).status_code == 422
    assert not choose(client)


def test_the_password_of_the_link_can_not_be_chosen_again(victim: Person) -> None:
    client = client_of(victim)
    client.post(LOCK, {"password": PASSWORD})
    refused = client.post(CHOOSE, {"password": CHOSEN, "again": CHOSEN})
    assert (refused.status_code, "this one was set with the link" in refused.text) == (422, True)
    assert "Enter the same password twice." in client.post(CHOOSE, {"password": NEW, "again": PASSWORD}).text
    assert "too short" in client.post(CHOOSE, {"password": "short", "again": "short"}).text


def test_the_first_password_still_proves_after_a_second_link_and_an_old_proof_does_not(owner: Person, victim: Person) -> None:
    client = client_of(victim)
    client.post(LOCK, {"password": PASSWORD})
    lock(victim, owner)
    session = client.session.load()
    client = client_of(victim)
    kept = client.session
    kept[ceremony.PROOF] = session[ceremony.PROOF]
    kept.save()
    assert not choose(client)
    assert client.post(LOCK, {"password": CHOSEN}).status_code == 422
    client.post(LOCK, {"password": PASSWORD})
    assert choose(client)


def test_a_proof_lasts_a_quarter_of_an_hour(victim: Person) -> None:
    client = client_of(victim)
    client.post(LOCK, {"password": PASSWORD})
    with time_machine.travel(timezone.now() + timedelta(minutes=16), tick=False):
        assert not choose(client)


def test_a_factor_from_before_proves_and_stays(ada: Person, owner: Person) -> None:
    secret = with_app(ada)
    lock(ada, owner)
    client = client_of(ada)
    assert client.post(LOCK, {"code": code_of(secret)})["Location"] == LOCK
    assert choose(client)
    assert factors.has_factor(ada)


def test_a_factor_since_proves_nothing_and_ends(victim: Person) -> None:
    secret = with_app(victim)
    client = client_of(victim)
    assert 'name="code"' not in client.get(LOCK).text
    assert client.post(LOCK, {"code": code_of(secret)}).status_code == 422
    SocialAccount.objects.create(user=victim, provider="oidc-any", uid="intruder")
    client.post(LOCK, {"password": PASSWORD})
    assert choose(client)
    assert not Authenticator.objects.filter(user=victim).exists()
    assert not SocialAccount.objects.filter(user=victim).exists()


def test_a_code_from_the_own_mailbox_proves_in_the_session_that_asked(victim: Person, mailoutbox: list[EmailMessage]) -> None:
    intruder, person = client_of(victim), client_of(victim)
    intruder.post(MAIL)
    code = mailed_code(mailoutbox)
    assert mailoutbox[-1].to == [victim.email]
    assert code not in intruder.get(LOCK).text
    assert person.post(LOCK, {"mailed": code}).status_code == 422
    person.post(MAIL)
    assert person.post(LOCK, {"mailed": code}).status_code == 422, "it was mailed for another session"
    assert person.post(LOCK, {"mailed": mailed_code(mailoutbox)})["Location"] == LOCK
    assert choose(person)


def test_a_code_mailed_before_a_later_link_proves_nothing(owner: Person, victim: Person, mailoutbox: list[EmailMessage]) -> None:
    client = client_of(victim)
    client.post(MAIL)
    kept = client.session[ceremony.CODE]
    lock(victim, owner)
    client = client_of(victim)
    session = client.session
    session[ceremony.CODE] = kept
    session.save()
    assert client.post(LOCK, {"mailed": mailed_code(mailoutbox)}).status_code == 422


def test_a_mailed_code_stands_ten_guesses(victim: Person, mailoutbox: list[EmailMessage]) -> None:
    client = client_of(victim)
    client.post(MAIL)
    code = mailed_code(mailoutbox)
    for _ in range(10):
        client.post(LOCK, {"mailed": "00000000" if code != "00000000" else "1"})
    refused = client.post(LOCK, {"mailed": code})
    assert (refused.status_code, "Too many wrong codes" in refused.text) == (422, True)


def test_a_connection_from_before_proves_and_one_since_does_not(ada: Person, owner: Person, provider: Provider) -> None:
    client = PageClient()
    sign_in(client, provider)
    lock(ada, owner)
    client = client_of(ada)
    assert "Confirm with Example ID" in client.get(LOCK).text
    SocialAccount.objects.update(date_joined=timezone.now())
    assert sign_in(client, provider, LOCK) == LOCK
    assert "so it proves nothing" in client.get(LOCK).text
    assert not choose(client)
    SocialAccount.objects.update(date_joined=ada.joined_at)
    sign_in(client, provider, LOCK)
    assert choose(client)


def test_a_locked_account_is_not_connected_with_a_provider(victim: Person, provider: Provider) -> None:
    client = PageClient()
    assert sign_in(client, provider) == "/account/login/"
    assert "This account is locked" in client.get("/account/login/").text
    assert not SocialAccount.objects.filter(provider=provider_id()).exists()


def test_what_happened_since_is_listed_to_who_proved(victim: Person) -> None:
    PageClient().post("/account/login/", {"login": victim.email, "password": "wrong"})
    client = client_of(victim)
    assert "Tried to sign in" not in client.get(LOCK).text
    client.post(LOCK, {"password": PASSWORD})
    page = client.get(LOCK)
    assert "Since the lock" in page.text
    assert "Tried to sign in · Refused" in page.text


def test_the_person_is_told(victim: Person, mailoutbox: list[EmailMessage]) -> None:
    client = client_of(victim)
    client.post(LOCK, {"password": PASSWORD})
    choose(client)
    mail.wait_for_delivery()
    assert "Your account was unlocked and has a new password." in mailoutbox[-1].body
