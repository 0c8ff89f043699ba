"""URLs of the allauth views that Pilothouse uses: no sign-up, no second address, no codes by mail."""

from collections.abc import Callable
from functools import wraps
from http import HTTPStatus

from allauth.account import views
from allauth.mfa.base.views import authenticate
from allauth.mfa.webauthn.views import login_webauthn
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.template.response import TemplateResponse
from django.urls import path, re_path

from dashboard.team import providers, single_sign_on
from dashboard.team.gate import passkey_challenge, reauthenticate
from dashboard.team.locked import While, stays_open
from dashboard.team.views import factor_challenge, password_reset
from dashboard.web.http.headers import allow_forms_to
from dashboard.web.input.kept_text import forget_all

View = Callable[..., HttpResponseBase]


def _with_form_status(view: View) -> View:
    """Answer 422 when the form has errors."""

    @wraps(view)
    def answer(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponseBase:
        response = view(request, *args, **kwargs)
        context = getattr(response, "context_data", None) or {}
        has_errors = any(form.errors for form in (context.get("form"), context.get("webauthn_form")) if form is not None)
        if request.method == "POST" and response.status_code == HTTPStatus.OK and has_errors:
            response.status_code = HTTPStatus.UNPROCESSABLE_ENTITY
        return response

    return answer


def _with_provider(view: View) -> View:
    """Offer the sign-in at the team's provider, and let the page's policy allow the redirect there."""

    @wraps(view)
    def answer(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponseBase:
        response, provider = view(request, *args, **kwargs), providers.provider()
        if provider and isinstance(response, TemplateResponse):
            response.context_data = {**(response.context_data or {}), "provider": provider}
            allow_forms_to(response, provider.origin)
        return response

    return answer


def _forget_after(view: View) -> View:
    """Clear the browser's data for this site after signing out."""

    @wraps(view)
    def answer(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponseBase:
        response = view(request, *args, **kwargs)
        if request.method == "POST":
            forget_all(response)
        return response

    return answer


urlpatterns = [
    path("login/", _with_provider(_with_form_status(views.login)), name="account_login"),
    path("login/oidc/", single_sign_on.begin, name="account_oidc"),
    path("login/oidc/callback/", single_sign_on.callback, name="account_oidc_callback"),
    path("login/passkey/", login_webauthn, name="mfa_login_webauthn"),
    path("login/factor/", _with_form_status(authenticate), name="mfa_authenticate"),
    path("login/factor/challenge/", factor_challenge, name="mfa_challenge"),
    path("logout/", _forget_after(views.logout), name="account_logout"),
    path("inactive/", views.account_inactive, name="account_inactive"),
    path("reauthenticate/", stays_open(While.WITHOUT_FACTOR)(reauthenticate), name="account_reauthenticate"),
    path("reauthenticate/passkey/", stays_open(*While)(passkey_challenge), name="account_passkey_challenge"),
    path("password/change/", _with_form_status(views.password_change), name="account_change_password"),
    # Setting a password with just a session would bypass the gate. A mailed link or an owner's link is needed.
    path("password/set/", password_reset, name="account_set_password"),
    path("password/reset/", password_reset, name="account_reset_password"),
    path("password/reset/done/", views.password_reset_done, name="account_reset_password_done"),
    re_path(
        r"^password/reset/key/(?P<uidb36>[0-9A-Za-z]+)-(?P<key>[0-9A-Za-z-]+)/$",
        _with_form_status(views.password_reset_from_key),
        name="account_reset_password_from_key",
    ),
    path("password/reset/key/done/", views.password_reset_from_key_done, name="account_reset_password_from_key_done"),
]
