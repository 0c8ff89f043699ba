import re
from typing import Any

import pytest
from django.contrib.auth.hashers import make_password
from django.contrib.sessions.models import Session
from django.core.mail import EmailMessage
from django.core.management import CommandError, call_command
from django.test import override_settings
from pytest_django import Settings

from dashboard.settings import PASSWORD_HASHERS
from dashboard.team import mail
from dashboard.team.links import make_link
from dashboard.team.models import Person, Role
from dashboard.team.services import deactivate, first_owner, reactivate, sign_out_everywhere
from dashboard.team.sessions import digest
from tests.pages import PageClient
from tests.people import PASSWORD, client_of, confirmed

WRONG = "not the pass phrase at all"


@pytest.fixture
def olga(owner: Person) -> Person:
    owner.set_password(PASSWORD)
    owner.save()
    return owner


def sign_in(client: PageClient, email: str = "olga@example.org", password: str = PASSWORD) -> Any:
    return client.post("/account/login/", {"login": email, "password": password})


def test_the_right_password_signs_in_and_leads_on(visitor: PageClient, olga: Person) -> None:
    response = visitor.post(
        "/account/login/?next=/people/", {"login": "olga@example.org", "password": PASSWORD, "next": "/people/"}
    )
    assert response.status_code == 302
    assert response["Location"] == "/people/"
    assert visitor.get("/people/").status_code == 200


def test_the_address_may_be_typed_in_any_case(visitor: PageClient, olga: Person) -> None:
    assert sign_in(visitor, email="Olga@Example.ORG").status_code == 302


@pytest.mark.parametrize(
    "next_", ["//evil.example/", "https://evil.example/", "/\\evil.example", "https:evil.example", "\t//evil.example"]
)
def test_it_never_leads_off_this_site(visitor: PageClient, olga: Person, next_: str) -> None:
    response = visitor.post("/account/login/", {"login": "olga@example.org", "password": PASSWORD, "next": next_})
    assert response["Location"] == "/"


def test_an_unknown_person_and_a_wrong_password_get_the_same_answer(visitor: PageClient, olga: Person) -> None:
    unknown = sign_in(visitor, email="nobody@example.org").content.decode()
    wrong = sign_in(PageClient(), password=WRONG).content.decode()
    assert "Wrong e-mail" in unknown
    assert "Wrong e-mail" in wrong


@pytest.mark.parametrize(
    "typed", [{}, {"login": "olga@example.org"}, {"login": "no address", "password": "x"}, {"password": PASSWORD}]
)
def test_bad_input_is_refused_with_a_sentence(visitor: PageClient, olga: Person, typed: dict[str, str]) -> None:
    response = visitor.post("/account/login/", typed)
    assert response.status_code == 422
    assert 'class="field__error' in response.text


def test_too_many_tries_are_stopped_also_with_the_right_password(visitor: PageClient, olga: Person) -> None:
    for _ in range(10):
        sign_in(visitor, password=WRONG)
    stopped = sign_in(PageClient())
    assert b"Too many" in stopped.content
    assert "_auth_user_id" not in stopped.client.session


def test_too_many_requests_get_a_plain_page(visitor: PageClient, db: None) -> None:
    for _ in range(21):
        response = visitor.post("/account/password/reset/key/1-x/")
    assert response.status_code == 429
    assert b"Too many tries" in response.content


def test_signing_out_ends_the_session(visitor: PageClient, olga: Person) -> None:
    sign_in(visitor)
    assert visitor.get("/account/logout/").status_code == 200
    left = visitor.post("/account/logout/")
    assert left.status_code == 302
    assert left["Clear-Site-Data"] == '"cache", "storage"'
    assert left.cookies["pilothouse_accepted"].value == "all"
    assert visitor.get("/people/").status_code == 302


@pytest.mark.parametrize("path", ["signup/", "email/", "login/code/", "confirm-email/", "password/reset/confirm/"])
def test_what_is_off_has_no_address(visitor: PageClient, db: None, path: str) -> None:
    assert visitor.get(f"/account/{path}").status_code == 404


def test_no_page_for_the_signed_out_links_to_something_that_is_off(visitor: PageClient, olga: Person) -> None:
    for path in ("/account/login/", "/account/inactive/", "/account/password/reset/", "/account/password/reset/done/"):
        for href in re.findall(r'href="(/[^"]*)"', visitor.get(path).content.decode()):
            if not href.startswith("/static/"):
                assert visitor.get(href).status_code in {200, 302}, href


def test_the_link_sets_a_password_once_and_signs_in(visitor: PageClient, db: None) -> None:
    person = first_owner("first@example.org")
    link = make_link(person, "http://testserver")
    response = visitor.get(link, follow=True)
    form_address = response.redirect_chain[-1][0]
    assert b"Choose a password" in response.content
    response = visitor.post(form_address, {"password1": PASSWORD, "password2": PASSWORD})
    assert response.status_code == 302
    assert visitor.get("/people/").status_code == 200
    again = PageClient().get(link)
    assert b"no longer works" in again.content
    person.refresh_from_db()
    assert person.check_password(PASSWORD)


@pytest.mark.parametrize(
    ("first", "second", "sentence"),
    [
        ("short", "short", b"at least 12"),
        ("password1234", "password1234", b"too easy to guess"),
        ("123456789012", "123456789012", b"too easy to guess"),
        ("aaaaaaaaaaaaaaa", "aaaaaaaaaaaaaaa", b"too easy to guess"),
        ("passwordpassword", "passwordpassword", b"too easy to guess"),
        ("pilothouse123", "pilothouse123", "Leave out “pilothouse”".encode()),
        ("many Pilothouse otters row", "many Pilothouse otters row", "Leave out “pilothouse”".encode()),
        ("seven kind OLGA otters row", "seven kind OLGA otters row", "Leave out “olga”".encode()),
        ("seven kind owners row", "seven kind owners row", "Leave out “owner”".encode()),
        (PASSWORD, PASSWORD + "x", b"same password"),
    ],
)
def test_a_weak_or_mistyped_password_is_refused_with_a_sentence(
    visitor: PageClient, owner: Person, first: str, second: str, sentence: bytes
) -> None:
    address = visitor.get(make_link(owner, ""), follow=True).redirect_chain[-1][0]
    response = visitor.post(address, {"password1": first, "password2": second})
    assert response.status_code == 422
    assert sentence in response.content


def test_a_newer_link_ends_the_older_one(visitor: PageClient, owner: Person) -> None:
    older, newer = make_link(owner, ""), make_link(owner, "")
    assert b"no longer works" in visitor.get(older).content
    assert visitor.get(newer).status_code == 302


def test_a_link_ends_with_its_time(visitor: PageClient, owner: Person, settings: Settings) -> None:
    link = make_link(owner, "")
    settings.PASSWORD_RESET_TIMEOUT = -1
    assert b"no longer works" in visitor.get(link).content


def test_a_link_of_somebody_deactivated_does_not_work_also_once_they_are_back(
    visitor: PageClient, owner: Person, ada: Person
) -> None:
    link = make_link(ada, "")
    deactivate(owner, ada)
    assert b"no longer works" in visitor.get(link).content
    reactivate(owner, ada)
    assert b"no longer works" in visitor.get(link).content


def test_the_first_owner_is_made_once(db: None) -> None:
    first = first_owner("first@example.org")
    assert first.role == Role.OWNER
    assert first_owner("other@example.org") == first
    assert Person.objects.count() == 1


def test_a_command_makes_a_link(visitor: PageClient, owner: Person, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("link", "OLGA@example.org", address="http://testserver")
    assert visitor.get(capsys.readouterr().out.strip()).status_code == 302
    with pytest.raises(CommandError, match="Nobody"):
        call_command("link", "nobody@example.org")
    Person.objects.filter(pk=owner.pk).update(is_active=False)
    with pytest.raises(CommandError, match="deactivated"):
        call_command("link", owner.email)


def test_somebody_deactivated_is_out_at_once_and_stays_out_after_coming_back(owner: Person, ada: Person) -> None:
    client = client_of(ada)
    assert client.get("/people/").status_code == 200
    deactivate(owner, ada)
    assert client.get("/people/").status_code == 302
    Person.objects.filter(pk=ada.pk).update(is_active=True)
    assert client.get("/people/").status_code == 302


def test_somebody_deactivated_cannot_sign_in(visitor: PageClient, olga: Person) -> None:
    Person.objects.filter(pk=olga.pk).update(is_active=False)
    response = sign_in(visitor)
    assert "_auth_user_id" not in visitor.session
    assert response.status_code in {200, 302}


def test_signing_out_everywhere_ends_every_session(ada: Person) -> None:
    one, other = client_of(ada), client_of(ada)
    sign_out_everywhere(ada)
    assert one.get("/people/").status_code == 302
    assert other.get("/people/").status_code == 302


def test_a_new_password_ends_the_other_sessions(olga: Person) -> None:
    here, elsewhere = client_of(olga), client_of(olga)
    new = PASSWORD + " and more"
    response = here.post("/account/password/change/", {"oldpassword": PASSWORD, "password1": new, "password2": new})
    assert response.status_code == 302
    assert here.get("/people/").status_code == 200
    assert elsewhere.get("/people/").status_code == 302


def test_changing_the_password_wants_the_current_one(olga: Person) -> None:
    new = PASSWORD + " and more"
    response = client_of(olga).post("/account/password/change/", {"oldpassword": WRONG, "password1": new, "password2": new})
    assert b"current password" in response.content
    olga.refresh_from_db()
    assert olga.check_password(PASSWORD)


def test_the_session_gets_a_new_key_at_sign_in(visitor: PageClient, olga: Person) -> None:
    visitor.get("/account/login/")
    before = visitor.session.session_key
    sign_in(visitor)
    assert visitor.session.session_key != before
    assert Session.objects.filter(session_key=digest(visitor.session.session_key)).exists()


def test_without_mail_the_page_says_whom_to_ask(visitor: PageClient, olga: Person, settings: Settings) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.dummy.EmailBackend"
    text = visitor.get("/account/password/reset/").content.decode()
    assert "Ask a team owner" in text
    assert "<form" not in text.split("<main")[1].split("</main>")[0]


def test_with_mail_a_link_is_sent_and_strangers_get_none(
    visitor: PageClient, olga: Person, mailoutbox: list[EmailMessage]
) -> None:
    for email in ("olga@example.org", "stranger@example.org"):
        assert visitor.post("/account/password/reset/", {"email": email}).status_code == 302
    mail.wait_for_delivery()
    (sent,) = mailoutbox
    assert sent.to == ["olga@example.org"]
    link = next(word for word in sent.body.split() if "/key/" in word)
    assert visitor.get(link).status_code == 302


@override_settings(PUBLIC_URL="https://pilot.example")
def test_the_link_begins_with_the_public_address(owner: Person, ada: Person) -> None:
    text = confirmed(owner).post(f"/team/{ada.pk}/link/").content.decode()
    assert "https://pilot.example/account/password/reset/key/" in text


def test_outside_of_tests_a_password_is_dear_to_guess(settings: Settings) -> None:
    settings.PASSWORD_HASHERS = PASSWORD_HASHERS
    assert re.match(r"scrypt\$16384\$\w{22,}\$8\$5\$", make_password(PASSWORD))
