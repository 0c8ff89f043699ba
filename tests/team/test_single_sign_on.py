"""Sign-in and confirmation at an OpenID Connect provider, against a real one."""

import io
import logging
from collections.abc import Iterator
from urllib.parse import parse_qs, urlsplit

import pytest
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP
from allauth.socialaccount.models import SocialAccount
from django.contrib.sessions.models import Session
from pytest_django import Settings

from dashboard.journal.models import Entry
from dashboard.notifications.models import Notification
from dashboard.team import factors
from dashboard.team.models import Person, Role
from dashboard.team.single_sign_on import _slot
from dashboard.web.http.logs import JsonFormatter
from tests.pages import PageClient
from tests.people import PASSWORD
from tests.team.oidc_provider import BASIC, CLIENT_ID, CLIENT_SECRET, POST, Provider

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.team.urls")]

LOGIN, BEGIN, CALLBACK, GATE = (
    "/account/login/",
    "/account/login/oidc/",
    "/account/login/oidc/callback/",
    "/account/reauthenticate/",
)
PATIENT, IMPATIENT = 30, 0.3  # seconds, for a busy machine and for a provider that stands still
UNUSABLE = "The sign-in provider&#x27;s answer can&#x27;t be used. Try again."
DOWN = "The sign-in provider can&#x27;t be used at the moment. Try again later."


@pytest.fixture
def provider(settings: Settings) -> Iterator[Provider]:
    with Provider().running() as running:
        settings.OIDC_ISSUER, settings.OIDC_LABEL = running.issuer, "Example ID"
        settings.OIDC_CLIENT_ID, settings.OIDC_CLIENT_SECRET = CLIENT_ID, CLIENT_SECRET
        settings.SOCIALACCOUNT_REQUESTS_TIMEOUT = PATIENT
        yield running


@pytest.fixture
def ada(ada: Person) -> Person:
    ada.set_password(PASSWORD)
    ada.save()
    return ada


@pytest.fixture
def lines() -> Iterator[io.StringIO]:
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonFormatter())
    logging.getLogger().addHandler(handler)
    yield stream
    logging.getLogger().removeHandler(handler)


def led_to(client: PageClient, way: str = "") -> str:
    answer = client.post(BEGIN, {"next": way})
    assert answer.status_code == 302
    return str(answer["Location"])


def sign_in(client: PageClient, provider: Provider, way: str = "") -> str:
    """Sign in at the provider; where Pilothouse leads then."""
    back = urlsplit(provider.sign_in(led_to(client, way)))
    assert back.path == CALLBACK
    answer = client.get(f"{back.path}?{back.query}")
    assert answer.status_code == 302
    return str(answer["Location"])


def signed_in(client: PageClient) -> int | None:
    found = client.session.get("_auth_user_id")
    return int(found) if found else None


def refused(client: PageClient, provider: Provider, sentence: str) -> None:
    """The sign-in ends on the page of sign-ins, with one sentence."""
    assert sign_in(client, provider) == LOGIN
    assert signed_in(client) is None
    assert sentence in client.get(LOGIN).text


def test_without_a_provider_there_is_no_button_and_no_address(visitor: PageClient) -> None:
    page = visitor.get(LOGIN)
    assert "login/oidc" not in page.text
    assert "form-action 'self'" in page["Content-Security-Policy"].split("; ")
    assert visitor.post(BEGIN).status_code == visitor.get(CALLBACK).status_code == 404


def test_the_page_of_sign_ins_offers_it_and_allows_the_way_there(visitor: PageClient, provider: Provider) -> None:
    page = visitor.get(f"{LOGIN}?next=/journal/")
    assert "Sign in with Example ID" in page.text
    assert f"form-action 'self' {provider.issuer}" in page["Content-Security-Policy"].split("; ")
    assert provider.issuer not in visitor.get("/account/password/reset/")["Content-Security-Policy"]
    asked = parse_qs(urlsplit(led_to(visitor)).query)
    assert asked["redirect_uri"] == [f"http://testserver{CALLBACK}"]
    assert "max_age" not in asked
    assert visitor.get(BEGIN).status_code == 405


def test_the_first_sign_in_connects_by_the_verified_address_and_keeps_the_password(
    visitor: PageClient, provider: Provider, ada: Person
) -> None:
    provider.account["email"] = "Ada@Example.ORG"
    assert sign_in(visitor, provider, "/journal/?q=a") == "/journal/?q=a"
    assert signed_in(visitor) == ada.pk
    ada.refresh_from_db()
    assert ada.check_password(PASSWORD)
    account = SocialAccount.objects.get()
    assert (account.user_id, account.uid, account.extra_data) == (ada.pk, "subject-1", {})
    assert [entry.operation for entry in Entry.objects.order_by("pk")] == ["provider connected", "sign-in"]
    assert "was connected with Example ID" in Notification.objects.get(person=ada).title
    other = PageClient()
    other.post(LOGIN, {"login": ada.email, "password": PASSWORD})
    assert signed_in(other) == ada.pk


def test_a_sign_in_on_a_new_device_is_told_and_has_the_rules_of_sessions(provider: Provider, ada: Person) -> None:
    sign_in(PageClient(), provider)
    again = PageClient()
    sign_in(again, provider)
    assert Notification.objects.filter(person=ada, title__contains="on a new device").count() == 1
    assert {"session_started", "session_seen"} <= set(again.session.keys())
    assert SocialAccount.objects.count() == 1


def test_afterwards_only_the_subject_counts(visitor: PageClient, provider: Provider, ada: Person, owner: Person) -> None:
    sign_in(PageClient(), provider)
    provider.account["email"] = owner.email
    sign_in(visitor, provider)
    assert signed_in(visitor) == ada.pk


def test_another_subject_with_the_same_address_is_refused(visitor: PageClient, provider: Provider, ada: Person) -> None:
    sign_in(PageClient(), provider)
    provider.account["sub"] = "subject-2"
    refused(visitor, provider, "This person is connected with another account there.")
    assert SocialAccount.objects.get().uid == "subject-1"
    assert Entry.objects.filter(operation="provider connected", outcome="refused").count() == 1


def test_an_account_of_another_issuer_is_another_account(visitor: PageClient, provider: Provider, ada: Person) -> None:
    SocialAccount.objects.create(user_id=ada.pk, provider="oidc-of-another-issuer", uid="subject-1")
    provider.account["email"] = "nobody@example.org"
    refused(visitor, provider, "Nobody on the team has the verified e-mail address of this account.")


@pytest.mark.parametrize(
    "claims",
    [
        {"email_verified": False},
        {"email_verified": "true"},
        {"email_verified": None},
        {"email": "nobody@example.org"},
        {"email": None},
        {"email": ["ada@example.org"]},
        {"email": "ada@example.org\x00"},
        {"email": "ada@example.org\n"},
        {"email": "\x7fada@example.org"},
    ],
)
def test_an_unverified_or_unknown_address_is_refused(
    visitor: PageClient, provider: Provider, ada: Person, claims: dict[str, object]
) -> None:
    provider.account.update(claims)
    refused(visitor, provider, "Nobody on the team has the verified e-mail address of this account.")
    assert not SocialAccount.objects.exists()
    assert Person.objects.count() == 1


def test_a_deactivated_person_is_refused_before_and_after_the_connection(provider: Provider, ada: Person) -> None:
    Person.objects.update(is_active=False)
    early, late = PageClient(), PageClient()
    assert sign_in(early, provider) == "/account/inactive/"
    assert not SocialAccount.objects.exists()
    Person.objects.update(is_active=True)
    sign_in(PageClient(), provider)
    Person.objects.update(is_active=False)
    assert sign_in(late, provider) == "/account/inactive/"
    assert signed_in(early) is signed_in(late) is None


def test_what_the_provider_says_of_groups_and_roles_gives_no_role(visitor: PageClient, provider: Provider, ada: Person) -> None:
    Person.objects.update(role=Role.VIEWER)
    provider.account |= {"groups": ["owner", "admin"], "roles": ["owner"], "role": "owner"}
    sign_in(visitor, provider)
    ada.refresh_from_db()
    assert ada.role == Role.VIEWER


def test_it_still_asks_for_the_second_factor_and_keeps_no_token_of_the_provider(
    visitor: PageClient, provider: Provider, ada: Person
) -> None:
    TOTP.activate(ada, factors.new_secret())
    RecoveryCodes.activate(ada)
    assert sign_in(visitor, provider, "/journal/") == "/account/login/factor/"
    assert signed_in(visitor) is None
    kept = str([session.get_decoded() for session in Session.objects.all()])
    assert not [one for one in provider.given if one in kept]
    answer = visitor.post("/account/login/factor/", {"code": factors.codes_of(ada)[0]})
    assert answer["Location"] == "/journal/"
    assert signed_in(visitor) == ada.pk


def test_a_required_factor_is_required_here_as_well(
    visitor: PageClient, provider: Provider, ada: Person, settings: Settings
) -> None:
    settings.MFA_REQUIRED = [Role.ADMINISTRATOR]
    sign_in(visitor, provider)
    assert visitor.get("/journal/")["Location"] == "/account/sign-in/"


@pytest.mark.parametrize("way", ["https://evil.example/", "//evil.example/", "javascript:alert(1)", "/\\evil.example"])
def test_an_address_of_another_site_is_not_gone_on_to(visitor: PageClient, provider: Provider, ada: Person, way: str) -> None:
    assert sign_in(visitor, provider, way) == "/"


@pytest.mark.parametrize(
    "lies",
    [
        {"iss": "https://evil.example"},
        {"aud": "another-client"},
        {"exp": 1_700_000_000},
        {"nonce": "forged"},
        {"nonce": None},
        {"azp": "another-client"},
        {"sub": None},
        {"sub": "somebody else"},
    ],
    ids=str,
)
def test_a_token_of_another_issuer_audience_time_nonce_or_subject_is_refused(
    visitor: PageClient, provider: Provider, ada: Person, lies: dict[str, object]
) -> None:
    provider.lies = lies
    refused(visitor, provider, UNUSABLE)
    assert not SocialAccount.objects.exists()


def test_a_provider_that_describes_another_issuer_or_an_unsafe_endpoint_is_not_used(
    visitor: PageClient, provider: Provider, settings: Settings
) -> None:
    for described in ({"issuer": "https://evil.example"}, {"token_endpoint": "ftp://127.0.0.1/token"}, {"jwks_uri": ""}):
        provider.described = described
        assert led_to(visitor) == LOGIN
        assert DOWN in visitor.get(LOGIN).text
    settings.OIDC_ISSUER = "http://127.0.0.1:9"
    assert led_to(visitor) == LOGIN
    assert DOWN in visitor.get(LOGIN).text


@pytest.mark.parametrize("listed", [[POST, BASIC], [BASIC], [POST], None], ids=str)
@pytest.mark.parametrize("taken", [POST, BASIC])
def test_the_client_proves_itself_as_the_provider_takes_it(
    visitor: PageClient, provider: Provider, ada: Person, taken: str, listed: list[str] | None
) -> None:
    provider.takes, provider.described = (taken,), {"token_endpoint_auth_methods_supported": listed}
    if taken in (listed or [BASIC]):
        assert sign_in(visitor, provider) == "/"
        assert signed_in(visitor) == ada.pk
    else:
        refused(visitor, provider, UNUSABLE)


def test_an_address_that_is_told_at_the_userinfo_endpoint_alone_is_enough(
    visitor: PageClient, provider: Provider, ada: Person
) -> None:
    provider.is_thin = True
    sign_in(visitor, provider)
    assert signed_in(visitor) == ada.pk


@pytest.mark.parametrize("path", ["/realms/team", "/realms/team/", "/"])
def test_an_issuer_may_have_a_path_and_a_slash_at_its_end(
    visitor: PageClient, ada: Person, settings: Settings, path: str
) -> None:
    with Provider(path).running() as running:
        settings.OIDC_ISSUER, settings.OIDC_CLIENT_ID, settings.OIDC_CLIENT_SECRET = running.base, CLIENT_ID, CLIENT_SECRET
        running.answers = {"iss": running.issuer}
        sign_in(visitor, running)
    assert signed_in(visitor) == ada.pk


def test_an_answer_in_the_name_of_another_issuer_is_refused(visitor: PageClient, provider: Provider, ada: Person) -> None:
    provider.answers = {"iss": "https://evil.example"}
    refused(visitor, provider, UNUSABLE)


@pytest.mark.parametrize(
    ("error", "sentence"),
    [("temporarily_unavailable", DOWN), ("server_error", DOWN), ("login_required", UNUSABLE), ("<b>", UNUSABLE)],
)
def test_an_error_of_the_provider_is_told_and_logged(
    visitor: PageClient, provider: Provider, lines: io.StringIO, error: str, sentence: str
) -> None:
    state = parse_qs(urlsplit(led_to(visitor)).query)["state"][0]
    assert visitor.get(CALLBACK, {"error": error, "state": state, "error_description": "said there"})["Location"] == LOGIN
    assert sentence in visitor.get(LOGIN).text
    assert (f"failed: {error}" in lines.getvalue(), "said there" in lines.getvalue()) == (
        error.islower() and "<" not in error,
        False,
    )


def test_signing_out_says_that_the_session_at_the_provider_stays(visitor: PageClient, provider: Provider, ada: Person) -> None:
    sign_in(visitor, provider)
    visitor.post("/account/logout/")
    assert "You are signed out here. Your session at Example ID stays." in visitor.get(LOGIN).text
    visitor.post(LOGIN, {"login": ada.email, "password": PASSWORD})
    SocialAccount.objects.all().delete()
    visitor.post("/account/logout/")
    assert "stays" not in visitor.get(LOGIN).text


def test_a_state_is_of_one_session_and_works_once(visitor: PageClient, provider: Provider, ada: Person) -> None:
    back = urlsplit(provider.sign_in(led_to(PageClient())))
    forged = visitor.get(f"{back.path}?{back.query}")
    assert (forged["Location"], signed_in(visitor)) == (LOGIN, None)
    assert UNUSABLE in visitor.get(LOGIN).text
    own = urlsplit(provider.sign_in(led_to(visitor)))
    assert visitor.get(f"{own.path}?{own.query}")["Location"] == "/"
    visitor.logout()
    assert visitor.get(f"{own.path}?{own.query}")["Location"] == LOGIN
    assert signed_in(visitor) is None
    for query in ("", "?code=a", "?state=b", "?code=a&state=b"):
        assert visitor.get(f"{CALLBACK}{query}")["Location"] == LOGIN


def test_a_sign_in_that_was_cancelled_there_says_so(visitor: PageClient, provider: Provider) -> None:
    state = parse_qs(urlsplit(led_to(visitor)).query)["state"][0]
    assert visitor.get(f"{CALLBACK}?error=access_denied&state={state}")["Location"] == LOGIN
    assert "The sign-in was cancelled at the provider." in visitor.get(LOGIN).text


@pytest.mark.parametrize("fault", ["html", "cut", "slow", 500, 302])
def test_an_answer_that_is_cut_late_or_no_answer_ends_in_one_sentence(
    visitor: PageClient, provider: Provider, ada: Person, settings: Settings, fault: str | int
) -> None:
    late = IMPATIENT if fault == "slow" else PATIENT
    settings.SOCIALACCOUNT_REQUESTS_TIMEOUT = late
    provider.faults = {"/.well-known/openid-configuration": fault}
    assert led_to(visitor) == LOGIN
    assert DOWN in visitor.get(LOGIN).text
    for endpoint in ("/token", "/userinfo", "/.well-known/openid-configuration"):
        settings.SOCIALACCOUNT_REQUESTS_TIMEOUT, provider.faults = PATIENT, {}
        back = urlsplit(provider.sign_in(led_to(visitor)))
        settings.SOCIALACCOUNT_REQUESTS_TIMEOUT, provider.faults = late, {endpoint: fault}
        assert visitor.get(f"{back.path}?{back.query}")["Location"] == LOGIN, endpoint
        text = visitor.get(LOGIN).text
        assert (UNUSABLE in text) != (DOWN in text), endpoint
    assert signed_in(visitor) is None


def test_a_hanging_provider_holds_a_quarter_of_the_threads(visitor: PageClient, provider: Provider, settings: Settings) -> None:
    settings.WEB_THREADS = 4
    back = provider.sign_in(led_to(visitor))
    with _slot():
        assert led_to(visitor) == LOGIN
        assert DOWN in visitor.get(LOGIN).text
        assert visitor.get(back.removeprefix("http://testserver"))["Location"] == LOGIN
    assert led_to(visitor).startswith(f"{provider.issuer}/authorize?")


def test_nothing_secret_is_logged(visitor: PageClient, provider: Provider, ada: Person, lines: io.StringIO) -> None:
    sign_in(visitor, provider)
    broken = PageClient()
    for fault in ("html", "cut", 500):
        provider.faults = {}
        back = urlsplit(provider.sign_in(led_to(broken)))
        provider.faults = {"/token": fault}
        broken.get(f"{back.path}?{back.query}")
    logging.getLogger("dashboard").warning("At %s?%s", CALLBACK, back.query)
    text = lines.getvalue()
    assert "Signed in" in text
    assert f"{CALLBACK}?code=•••&state=•••" in text
    states = [asked["state"] for asked in provider.asked]
    assert not [secret for secret in (CLIENT_SECRET, *provider.given, *states) if secret in text]
