"""Second factors: set up, asked for at sign-in, used once, sealed, and reset."""

import json
import time
from html import unescape
from typing import Any

import pytest
import time_machine
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value
from cryptography.fernet import Fernet
from django.contrib.sessions.models import Session
from django.core import mail as outbox
from django.core.cache import cache
from django.core.exceptions import ValidationError
from django.core.management import call_command
from pytest_django import Settings

from dashboard.journal.models import Entry, Outcome
from dashboard.team import factors, mail
from dashboard.team.links import make_link
from dashboard.team.models import Person
from dashboard.vault.reseal import Resealed, reseal
from tests.markup import parse
from tests.pages import PageClient, htmx
from tests.people import PASSWORD, client_of, confirmed

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.team.urls")]

APP = "/account/sign-in/app/new/"
STEP = "/account/login/factor/"
GATE = "/account/reauthenticate/"
HOSTILE = [
    "",
    "1",
    '"x"',
    "[]",
    "{}",
    "null",
    '{"response": 1}',
    '{"response": {"userHandle": 7}}',
    '{"id": "a", "rawId": "%%%"}',
    "{",
    "[" * 3000,
    "9" * 5000,
]


def code_of(secret: str, *, later: int = 0) -> str:
    return str(format_hotp_value(hotp_value(secret, int(time.time()) // 30 + later)))


def with_app(person: Person) -> str:
    """Set an app up for the person; its secret."""
    secret = factors.new_secret()
    factors.add_app(person, secret, code_of(secret, later=-1))
    return secret


def first_step(person: Person) -> PageClient:
    """A visitor who typed the password."""
    person.set_password(PASSWORD)
    person.save()
    client = PageClient()
    answer = client.post("/account/login/?next=/people/", {"login": person.email, "password": PASSWORD, "next": "/people/"})
    assert answer["Location"].startswith(STEP)
    return client


def is_signed_in(client: PageClient) -> bool:
    return client.get("/people/").status_code == 200


def test_an_app_is_set_up_with_the_code_that_it_shows(owner: Person) -> None:
    client = confirmed(owner)
    page = client.get(APP)
    [picture] = [element for element in parse(page.text).root.all("svg") if element.get("class") == "qr"]
    assert picture.all("path")[0].get("d").startswith("M2,2h1v1h-1z")
    secret = str(page.context["secret"])
    assert all(secret not in str(session.get_decoded()) for session in Session.objects.all()), "sealed in the session, too"
    refused = client.post(APP, {"code": "000000"})
    assert (refused.status_code, secret in refused.text) == (422, True)
    added = client.send(APP, code=f" {code_of(secret)[:3]} {code_of(secret)[3:]}")
    assert "Authenticator app added" in added.text
    assert {"dialog:close", "factors:changed"} <= set(json.loads(added["HX-Trigger"]))
    stored = json.dumps(list(Authenticator.objects.values_list("data", flat=True)))
    assert secret not in stored
    assert [row.wrap().instance.type for row in Authenticator.objects.order_by("pk")] == ["totp", "recovery_codes"]
    assert not any(name in client.session for name in ("authenticator_app", "mfa.totp.secret"))


def test_signing_in_asks_for_the_code_of_the_app(owner: Person) -> None:
    secret = with_app(owner)
    client = first_step(owner)
    assert not is_signed_in(client)
    wrong = client.post(STEP, {"code": "123"})
    assert (wrong.status_code, factors.WRONG_CODE in wrong.text, is_signed_in(client)) == (422, True, False)
    right = client.post(STEP, {"code": code_of(secret)})
    assert (right["Location"], is_signed_in(client)) == ("/people/", True)
    refused, done = Entry.objects.filter(operation="sign-in").order_by("pk")
    assert (refused.outcome, done.outcome) == (Outcome.REFUSED, Outcome.DONE)


def test_a_code_works_once_even_if_the_cache_forgets_it(owner: Person) -> None:
    secret = with_app(owner)
    client, other = first_step(owner), first_step(owner)
    with time_machine.travel(time.time(), tick=False):
        code = code_of(secret)
        assert client.post(STEP, {"code": code}).status_code == 302
        cache.clear()
        assert other.post(STEP, {"code": code}).status_code == 422
        assert other.post(STEP, {"code": code_of(secret, later=-1)}).status_code == 422, "nor one from before"
        assert other.post(STEP, {"code": code_of(secret, later=1)}).status_code == 302, "a clock that is ahead"


def test_a_recovery_code_works_once_in_place_of_the_app(owner: Person) -> None:
    with_app(owner)
    code = factors.codes_of(owner)[3]
    assert first_step(owner).post(STEP, {"code": code}).status_code == 302
    assert first_step(owner).post(STEP, {"code": code}).status_code == 422
    assert code not in factors.codes_of(owner)


def test_ten_wrong_codes_stop_the_right_one(owner: Person) -> None:
    secret = with_app(owner)
    client = first_step(owner)
    for _ in range(10):
        client.post(STEP, {"code": "000000"})
    cache.clear()
    stopped = first_step(owner).post(STEP, {"code": code_of(secret)})
    assert (stopped.status_code, "Too many wrong codes" in stopped.text) == (422, True)


def test_a_link_to_set_a_password_does_not_skip_the_second_factor(owner: Person, visitor: PageClient) -> None:
    secret = with_app(owner)
    form = visitor.get(make_link(owner, "http://testserver"), follow=True).redirect_chain[-1][0]
    answer = visitor.post(form, {"password1": PASSWORD, "password2": PASSWORD})
    assert (answer["Location"], is_signed_in(visitor)) == (STEP, False)
    visitor.post(STEP, {"code": code_of(secret)})
    assert is_signed_in(visitor)


def test_the_page_of_the_second_step_wants_the_first(visitor: PageClient) -> None:
    assert visitor.get(STEP)["Location"] == "/account/login/"
    assert visitor.get(f"{STEP}challenge/")["Location"] == "/account/login/"


def test_recovery_codes_are_shown_after_a_confirmation_only(owner: Person) -> None:
    with_app(owner)
    codes = factors.codes_of(owner)
    assert client_of(owner).get("/account/sign-in/codes/")["Location"].startswith(GATE)
    client = confirmed(owner)
    assert all(code in client.get("/account/sign-in/codes/").text for code in codes)
    assert not any(code in client.get("/account/sign-in/").text for code in codes)
    client.post("/account/sign-in/codes/new/")
    assert not set(codes) & set(factors.codes_of(owner))


@pytest.mark.parametrize(
    "address", [APP, "/account/sign-in/passkeys/new/", "/account/sign-in/passkeys/challenge/", "/account/sign-in/codes/new/"]
)
def test_changing_factors_needs_a_confirmation(owner: Person, address: str) -> None:
    owner.set_password(PASSWORD)
    owner.save()
    assert client_of(owner).get(address)["Location"].startswith(GATE)
    assert client_of(owner).post(address).status_code in (403, 405)


def test_the_factors_of_somebody_else_have_no_address(owner: Person, ada: Person) -> None:
    with_app(ada)
    row = Authenticator.objects.get(user_id=ada.pk, type="totp")
    client = confirmed(owner)
    assert client.post(f"/account/sign-in/factors/{row.pk}/deletion/").status_code == 404
    assert client.get(f"/account/sign-in/passkeys/{row.pk}/name/").status_code == 404
    assert factors.has_factor(ada)


def test_the_recovery_codes_go_with_the_last_factor(owner: Person) -> None:
    with_app(owner)
    client = confirmed(owner)
    row = Authenticator.objects.get(type="totp")
    client.post(f"/account/sign-in/factors/{row.pk}/deletion/")
    assert not Authenticator.objects.exists()
    assert client.get("/account/sign-in/codes/").status_code == 200


def test_the_recovery_codes_stay_with_another_factor(owner: Person) -> None:
    with_app(owner)
    Authenticator.objects.create(user=owner, type="webauthn", data={"name": "Laptop", "credential": {}})
    row = Authenticator.objects.get(type="totp")
    confirmed(owner).post(f"/account/sign-in/factors/{row.pk}/deletion/")
    assert set(Authenticator.objects.values_list("type", flat=True)) == {"webauthn", "recovery_codes"}


def test_a_second_app_is_refused(owner: Person) -> None:
    with_app(owner)
    with pytest.raises(ValidationError, match="already"):
        with_app(owner)
    assert Authenticator.objects.filter(type="totp").count() == 1


def test_every_change_is_in_the_activity_and_mailed(owner: Person, settings: Settings) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    with_app(owner)
    client = confirmed(owner)
    client.post("/account/sign-in/codes/new/")
    client.post(f"/account/sign-in/factors/{Authenticator.objects.get(type='totp').pk}/deletion/")
    mail.wait_for_delivery()
    operations = list(Entry.objects.order_by("pk").values_list("operation", flat=True))
    assert operations == ["authenticator app added", "recovery codes created", "authenticator app deleted"]
    assert len(outbox.outbox) == 3
    assert all(message.to == [owner.email] for message in outbox.outbox)


def test_secrets_of_factors_are_sealed_anew_with_the_newest_key(owner: Person, settings: Settings) -> None:
    old, new = settings.VAULT_KEYS[0], Fernet.generate_key().decode()
    secret, codes = with_app(owner), factors.codes_of(owner)
    settings.VAULT_KEYS = [new, old]
    assert reseal().broken == 0
    settings.VAULT_KEYS = [new]
    assert factors.codes_of(owner) == codes
    assert factors.use_code(owner, code_of(secret)) is not None


def test_factors_whose_key_is_lost_refuse_and_break_no_page(owner: Person, settings: Settings) -> None:
    secret = with_app(owner)
    client = first_step(owner)
    page = confirmed(owner)
    settings.VAULT_KEYS = [Fernet.generate_key().decode()]
    assert client.post(STEP, {"code": code_of(secret)}).status_code == 422
    assert "Can't be read" in page.get("/account/sign-in/").text
    assert page.get("/account/sign-in/codes/").status_code == 200
    assert reseal() == Resealed(done=0, broken=3), "with the key of lookups"


@pytest.mark.parametrize("proof", HOSTILE)
def test_what_no_browser_sends_as_a_passkey_is_refused(owner: Person, visitor: PageClient, proof: str) -> None:
    with_app(owner)
    step, client = first_step(owner), confirmed(owner)
    for asked in (visitor.get("/account/login/passkey/", headers={"Accept": "application/json"}), step.get(f"{STEP}challenge/")):
        assert asked.json().get("request_options", asked.json())["publicKey"]["userVerification"] == "required"
    assert (
        client.get("/account/sign-in/passkeys/challenge/").json()["publicKey"]["authenticatorSelection"]["residentKey"]
        == "required"
    )
    assert visitor.post("/account/login/passkey/", {"credential": proof})["Location"] == "/account/login/"
    assert step.post(STEP, {"credential": proof}).status_code == 422
    assert client.post("/account/sign-in/passkeys/new/", {"name": "x", "credential": proof}).status_code == 422
    assert not is_signed_in(visitor)
    assert not is_signed_in(step)


def test_somebody_without_a_password_confirms_with_a_code(ada: Person) -> None:
    secret = with_app(ada)
    client = client_of(ada)
    asked = client.get("/act/", headers=htmx("dialog"))
    assert "Confirm it's you" in unescape(asked.text)
    assert 'name="password"' not in asked.text
    address = f"{GATE}?next=/act/"
    assert client.post(address, {"code": "000000"}).status_code == 422
    assert client.get("/act/").status_code == 302
    assert client.post(address, {"code": code_of(secret)})["Location"] == "/act/"
    assert client.get("/act/").text == "acted"
    assert list(Entry.objects.filter(operation="code confirmed").order_by("pk").values_list("outcome", flat=True)) == [
        "refused",
        "done",
    ]


def test_a_code_alone_does_not_confirm_for_somebody_with_a_password(owner: Person) -> None:
    secret = with_app(owner)
    owner.set_password(PASSWORD)
    owner.save()
    client = client_of(owner)
    assert client.post(f"{GATE}?next=/act/", {"code": code_of(secret)}).status_code == 403
    assert client.get("/act/").status_code == 302


def test_a_factor_that_was_deleted_ends_its_confirmation(ada: Person) -> None:
    secret = with_app(ada)
    client = client_of(ada)
    client.post(f"{GATE}?next=/act/", {"code": code_of(secret)})
    Authenticator.objects.all().delete()
    assert client.get("/act/").status_code == 302


def test_the_command_resets_the_factors_of_the_last_owner_and_says_so(owner: Person, capsys: Any) -> None:
    secret = with_app(owner)
    client = client_of(owner)
    call_command("link", "--reset-factors", "OLGA@example.org")
    link = capsys.readouterr().out.strip()
    assert not factors.has_factor(owner)
    assert not is_signed_in(client), "sessions end, too"
    visitor = PageClient()
    form = visitor.get(unescape(link).replace("http://localhost:8000", ""), follow=True).redirect_chain[-1][0]
    assert visitor.post(form, {"password1": PASSWORD, "password2": PASSWORD}).status_code == 302
    assert is_signed_in(visitor)
    entry = Entry.objects.get(operation="factors reset")
    assert (entry.target, entry.before) == (owner.email, {"factors": ["authenticator app", "recovery codes"]})
    assert secret
