"""Sign-in and confirmation at the team's OpenID Connect provider.

allauth speaks the protocol, with state and PKCE; the nonce is ours. A verified e-mail address connects a person with the
provider's account once; afterwards only issuer and `sub` count. allauth's own matching by e-mail stays off, as it deletes
passwords.
"""

import logging
import re
import secrets
import time
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from typing import Any, cast
from urllib.parse import quote_plus, urlsplit

from allauth.core.exceptions import ImmediateHttpResponse
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from allauth.socialaccount.models import SocialApp, SocialLogin
from allauth.socialaccount.providers.oauth2.client import OAuth2Error
from allauth.socialaccount.providers.oauth2.views import OAuth2CallbackView
from allauth.socialaccount.providers.openid_connect.provider import OpenIDConnectProvider
from allauth.socialaccount.providers.openid_connect.views import OpenIDConnectOAuth2Adapter
from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_GET, require_POST
from django_htmx.http import HttpResponseClientRedirect

from dashboard.interfaces.transport.sessions import trusted
from dashboard.journal.models import Outcome
from dashboard.journal.recorder import record
from dashboard.team import ceremony, gate, providers
from dashboard.team.access import PersonRequest
from dashboard.team.models import Person
from dashboard.web.http.requests import public_address
from dashboard.web.limits.slots import PATIENCE_SECONDS, Full, slots
from dashboard.web.pages import notices
from dashboard.web.pages.htmx import htmx_of
from dashboard.web.process.database import give_back

log = logging.getLogger(__name__)

SCOPE = ["openid", "email"]
# How a client authenticates at the token endpoint.
POST, BASIC = "client_secret_post", "client_secret_basic"
OUT_OF_ORDER = ("server_error", "temporarily_unavailable")
_AN_ERROR = re.compile("[a-z_]{1,40}")
ENDPOINTS = ("authorization_endpoint", "token_endpoint", "jwks_uri")
# For a confirmation: demand a new sign-in there, whatever session exists.
ANEW = {"prompt": "login", "max_age": "0"}
# Allowed difference between the provider's clock and ours.
SKEW_SECONDS = 60
FAILURES = (OSError, OAuth2Error)  # requests' failures are OSErrors

UNREACHABLE = "The sign-in provider can't be used at the moment. Try again later."
FAILED = "The sign-in provider's answer can't be used. Try again."
CANCELLED = "The sign-in was cancelled at the provider."
UNKNOWN = "Nobody on the team has the verified e-mail address of this account. Ask an owner to add you."
NOT_YOURS = "This account of the provider isn't connected with yours, so nothing was confirmed."
NOT_FRESH = "The provider didn't ask you to sign in anew, so nothing was confirmed."


class _IssuerError(OAuth2Error):  # type: ignore[misc] # allauth carries no types
    """OIDC_ISSUER doesn't match the provider that answers."""


@contextmanager
def _reading() -> Iterator[None]:
    """Turn errors from unexpected answers into `OAuth2Error`: allauth fails in many ways on them."""
    try:
        yield
    except (ValueError, KeyError, TypeError, AttributeError) as failure:
        raise OAuth2Error(f"The provider's answer raised {type(failure).__name__}.") from failure


class _Protocol(OpenIDConnectOAuth2Adapter):  # type: ignore[misc] # allauth carries no types
    basic_auth = False  # decided in `get_access_token_data`

    @property
    def openid_config(self) -> dict[str, Any]:
        """The provider's published configuration. Must name the issuer that is set, and endpoints as safe as that."""
        with _reading():
            found: dict[str, Any] = super().openid_config
            issuer, schemes = found["issuer"].rstrip("/"), {urlsplit(found[name]).scheme for name in ENDPOINTS}
        if issuer != settings.OIDC_ISSUER or schemes != {urlsplit(settings.OIDC_ISSUER).scheme}:
            raise _IssuerError("The provider names another issuer than OIDC_ISSUER, or endpoints that are not as safe.")
        return found

    def get_callback_url(self, request: HttpRequest, app: SocialApp) -> str:  # noqa: ARG002 - allauth's signature
        return public_address(request, reverse("account_oidc_callback"))

    def get_access_token_data(
        self,
        request: HttpRequest,
        app: SocialApp,
        client: Any,
        pkce_code_verifier: str | None = None,
    ) -> dict[str, Any]:
        """Exchange the code. If the provider rejects one listed authentication method, try the other."""
        self.did_fetch_access_token = True
        code = {
            "grant_type": "authorization_code",
            "code": request.GET["code"],
            "redirect_uri": client.callback_url,
            "code_verifier": pkce_code_verifier,
        }
        with _reading():
            # The default if there is no list: OpenID Connect Discovery 1.0, section 3.
            listed = self.openid_config.get("token_endpoint_auth_methods_supported") or [BASIC]
            found: dict[str, Any] = {}
            for method in (method for method in (POST, BASIC) if method in listed):
                found = self._exchange(app, code, method)
                if found.get("error") != "invalid_client":
                    break
            if "access_token" not in found:
                raise OAuth2Error("The provider gave no token.")
        return found

    def _exchange(self, app: SocialApp, code: dict[str, Any], method: str) -> dict[str, Any]:
        pair = (app.client_id, app.secret)
        form = {**code, "client_id": pair[0], "client_secret": pair[1]} if method == POST else code
        # Both are form-encoded within the header: RFC 6749, section 2.3.1.
        basic = b64encode(":".join(quote_plus(text) for text in pair).encode()).decode()
        with Adapter(self.request).get_requests_session() as session:
            answer = session.post(
                self.access_token_url, data=form, headers={"Authorization": f"Basic {basic}"} if method == BASIC else {}
            )
        if answer.status_code >= HTTPStatus.INTERNAL_SERVER_ERROR:
            answer.raise_for_status()
        found: dict[str, Any] = answer.json()
        return found

    def parse_token(self, data: Any) -> Any:
        with _reading():
            return super().parse_token(data)

    def complete_login(self, request: HttpRequest, app: SocialApp, token: Any, **kwargs: Any) -> SocialLogin:
        """Merge the ID token's claims with those of the userinfo endpoint, which must be about the same account."""
        with _reading():
            claims = self._decode_id_token(app, kwargs["response"]["id_token"])
            more = self._fetch_user_info(token.token) if self.openid_config.get("userinfo_endpoint") else {}
            # A token for several audiences names the client that asked: OpenID Connect Core 1.0, section 3.1.3.7.
            if claims.get("azp", app.client_id) != app.client_id:
                raise OAuth2Error("The provider's token was made for another client.")
            if claims["sub"] != more.get("sub", None if more else claims["sub"]):
                raise OAuth2Error("The provider's answers are about different people.")
            login = self.get_provider().sociallogin_from_response(request, {"id_token": {"sub": claims["sub"]}})
        login.account.extra_data = {}
        login.claims = {**more, **claims}
        return login


class _Provider(OpenIDConnectProvider):  # type: ignore[misc] # allauth carries no types
    oauth2_adapter_class = _Protocol
    pkce_enabled_default = True


class Adapter(DefaultSocialAccountAdapter):  # type: ignore[misc] # allauth carries no types
    def get_provider(self, request: HttpRequest, provider: str, client_id: str | None = None) -> _Provider:  # noqa: ARG002 - allauth's signature
        app = SocialApp(provider="openid_connect", provider_id=providers.provider_id(), name=settings.OIDC_LABEL)
        app.client_id, app.secret = settings.OIDC_CLIENT_ID, settings.OIDC_CLIENT_SECRET
        app.settings = {"server_url": settings.OIDC_ISSUER, "scope": SCOPE}
        return _Provider(request, app=app)

    def get_requests_session(self) -> Any:
        session = super().get_requests_session()
        session.verify = trusted()
        give_back()
        return session

    def pre_social_login(self, request: HttpRequest, sociallogin: SocialLogin) -> None:
        # A sign-in that awaits its second step is kept in the session. Keep the provider's access token out of it.
        sociallogin.token = None
        asked = sociallogin.state.get("data") or {}
        if not asked.get("nonce") or sociallogin.claims.get("nonce") != asked["nonce"]:
            log.warning("Sign-in at the provider failed: another nonce")
            _refuse(request, FAILED, way=sociallogin.state.get("next") or "")
        if sociallogin.state.get("process") == "redirect":
            _confirm(request, sociallogin, asked_at=asked["at"])
        elif not sociallogin.is_existing:
            _connect(request, sociallogin)

    def on_authentication_error(self, request: HttpRequest, provider: Any, **facts: Any) -> None:  # noqa: ARG002 - allauth's signature
        failure, state = facts.get("exception"), (facts.get("extra_context") or {}).get("state") or {}
        error = request.GET.get("error", "") if state and not failure else ""
        said = error if _AN_ERROR.fullmatch(error) else "no usable answer"
        log.warning("Sign-in at the provider failed: %s", type(failure).__name__ if failure else said)
        sentence = UNREACHABLE if isinstance(failure, OSError) or error in OUT_OF_ORDER else FAILED
        _refuse(request, CANCELLED if error == "access_denied" else sentence, way=state.get("next") or "")


@login_not_required
@require_POST
def begin(request: HttpRequest) -> HttpResponse:
    """Redirect to the provider. Somebody signed in confirms a dangerous act by a new sign-in there."""
    way, confirms = gate.own_way(request.POST.get("next", "")), request.user.is_authenticated
    asked = {"at": time.time(), "nonce": secrets.token_urlsafe(32)}
    params = {"nonce": asked["nonce"], **(ANEW if confirms else {})}
    provider, process = _provider(request), "redirect" if confirms else "login"
    try:
        with _slot():
            there = provider.redirect(request, process, next_url=way, data=asked, auth_params=params)["Location"]
    except FAILURES as failure:
        log.warning("The sign-in provider can't be used: %s", type(failure).__name__)
        notices.say(request, notices.Notice(UNREACHABLE, tone="danger"))
        there = way if confirms else reverse("account_login")
    # The browser treats a redirect as part of sending the form, and the policy allows only the issuer's origin for that. A script
    # may go on to wherever the provider leads.
    return HttpResponseClientRedirect(there) if htmx_of(request) else redirect(there)


@login_not_required
@require_GET
def callback(request: HttpRequest) -> HttpResponse:
    """Handle the return from the provider."""
    provider = _provider(request)
    try:
        # RFC 9207: the provider may name itself, so that another's answer isn't taken for its own.
        if request.GET.get("iss", settings.OIDC_ISSUER).rstrip("/") != settings.OIDC_ISSUER:
            raise _IssuerError("Another issuer answered.")
        with _slot():
            answer = OAuth2CallbackView.adapter_view(provider.get_oauth2_adapter(request))(request)
    except FAILURES as failure:
        log.warning("The sign-in provider's answer can't be used: %s", type(failure).__name__)
        notices.say(request, notices.Notice(FAILED, tone="danger"))
        return redirect("/" if request.user.is_authenticated else "account_login")
    return cast("HttpResponse", answer)


def trouble() -> str:
    """Return what is wrong with the provider's configuration, worded to follow its name; empty if nothing is."""
    try:
        _Protocol(HttpRequest(), providers.provider_id()).openid_config  # noqa: B018 - a property that fetches
    except _IssuerError:
        return "names another issuer, or endpoints that are not as safe"
    except FAILURES:
        return "doesn't describe itself as OpenID Connect Discovery says"
    return ""


@contextmanager
def _slot() -> Iterator[None]:
    """Limit requests that wait for the provider to a quarter of the threads. Raises `ConnectionError` beyond that."""
    try:
        with slots().hold({"provider": settings.WEB_THREADS // 4}, object(), patience=PATIENCE_SECONDS):
            yield
    except Full:
        raise ConnectionError("Too many requests wait for the provider.") from None


def _provider(request: HttpRequest) -> _Provider:
    if not settings.OIDC_ISSUER:
        raise Http404("No provider is set up.")
    return Adapter(request).get_provider(request, "")


def _connect(request: HttpRequest, login: SocialLogin) -> None:
    """Connect the provider's account, once, with the person whose verified address it has."""
    email = login.claims.get("email") if login.claims.get("email_verified") is True else None
    is_address = isinstance(email, str) and email != "" and email.isprintable()
    person = Person.objects.filter(email__iexact=email).first() if is_address else None
    if person is None:
        log.warning("Sign-in refused: the provider's account belongs to nobody on the team")
        _refuse(request, UNKNOWN)
    elif not person.is_active:
        raise ImmediateHttpResponse(redirect("account_inactive"))
    else:
        try:
            login.account, login.user = providers.connect(person, login.account.uid), person
        except ValidationError as refused:
            log.warning("Sign-in refused: another account of the provider", extra={"person": person.pk})
            _refuse(request, str(refused.message))


def _confirm(request: HttpRequest, login: SocialLogin, *, asked_at: float) -> None:
    """Confirm the person, if the provider signed in the same account after we asked."""
    way, signed_in_at = gate.own_way(login.state.get("next") or ""), login.claims.get("auth_time")
    if not request.user.is_authenticated:
        raise ImmediateHttpResponse(redirect("account_login"))
    asking = cast("PersonRequest", request)
    is_own = login.is_existing and login.user.pk == request.user.pk
    is_new = isinstance(signed_in_at, int | float) and asked_at - SKEW_SECONDS <= signed_in_at <= time.time() + SKEW_SECONDS
    place, target = gate.purpose_of(request, way)
    with record(person_id=request.user.pk, operation="provider confirmed", place=place, target=target) as change:
        if not (is_own and is_new):
            change.outcome = Outcome.REFUSED
    if not (is_own and is_new):
        _refuse(request, NOT_FRESH if is_own else NOT_YOURS, way=way)
    if not asking.user.is_locked:
        gate.pass_by_provider(asking)
    elif not ceremony.prove_by_provider(asking, login.account):
        _refuse(request, ceremony.NOT_FROM_BEFORE, way=way)
    raise ImmediateHttpResponse(redirect(way))


def _refuse(request: HttpRequest, sentence: str, *, way: str = "") -> None:
    """Show why, and redirect: to the sign-in or, if signed in, to the page that asked, which asks again."""
    notices.say(request, notices.Notice(sentence, tone="danger"))
    raise ImmediateHttpResponse(redirect(gate.own_way(way) if request.user.is_authenticated else "account_login"))
