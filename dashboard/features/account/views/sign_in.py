"""The page "Sign-in": passkeys, authenticator app, recovery codes, devices."""

from allauth.mfa.models import Authenticator
from django.core.exceptions import ValidationError
from django.http import HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.views.decorators.http import require_GET, require_http_methods

from dashboard.team import factors, providers, user_sessions
from dashboard.team.access import PersonRequest, signed_in
from dashboard.team.forms import AppForm, NewPasskeyForm, PasskeyNameForm
from dashboard.team.gate import fresh_sign_in
from dashboard.team.locked import While, stays_open
from dashboard.vault.seals import CannotOpen, Sealed
from dashboard.web.pages.answers import dialog, done, page, submit
from dashboard.web.pages.confirm import confirm

HOME = "account:sign_in"
# Session key of the sealed secret of an app that is being set up.
PENDING = "authenticator_app"


@stays_open(While.WITHOUT_FACTOR)
@require_GET
@signed_in
def index(request: PersonRequest) -> HttpResponse:
    context = {
        "factors": factors.factors_of(request.user),
        "provider": providers.provider(),
        "connection": providers.account_of(request.user),
        "sessions": user_sessions.sessions_of(request),
    }
    parts = {"factors": "account/_factors.html", "devices": "account/_devices.html"}
    return page(request, "account/sign_in.html", context, parts=parts)


@stays_open(While.WITHOUT_FACTOR)
@require_http_methods(["GET", "POST"])
@signed_in
@fresh_sign_in
def app_new(request: PersonRequest) -> HttpResponse:
    """Show the secret of a new authenticator app, and check the code that the app shows."""
    if factors.factors_of(request.user).app:
        return redirect(HOME)
    secret, form = _pending(request), AppForm(request.POST or None)
    return submit(
        request,
        form,
        "account/_app.html",
        perform=lambda: factors.add_app(request.user, secret, form.cleaned_data["code"]),
        then=lambda _: _added(request, "Authenticator app added."),
        context={
            "title": "Set up an authenticator app",
            "back": reverse(HOME),
            "picture": factors.picture_of(request.user, secret),
            "secret": secret,
        },
    )


@stays_open(While.WITHOUT_FACTOR)
@require_http_methods(["GET", "POST"])
@signed_in
@fresh_sign_in
def passkey_new(request: PersonRequest) -> HttpResponse:
    form = NewPasskeyForm(request.POST or None)
    return submit(
        request,
        form,
        "account/_passkey.html",
        perform=lambda: _add_passkey(request, form),
        then=lambda _: _added(request, "Passkey added."),
        context={"title": "Add passkey", "back": reverse(HOME)},
    )


@stays_open(While.WITHOUT_FACTOR)
@require_GET
@signed_in
@fresh_sign_in
def passkey_challenge(request: PersonRequest) -> JsonResponse:
    """Return what the browser needs to create a passkey."""
    return JsonResponse(factors.begin_passkey(request.user))


@require_http_methods(["GET", "POST"])
@signed_in
def passkey_name(request: PersonRequest, factor_id: int) -> HttpResponse:
    row = _own(request, factor_id, factors.PASSKEY)
    form = PasskeyNameForm(request.POST or None, initial={"name": row.wrap().name})
    return submit(
        request,
        form,
        perform=lambda: factors.rename(request.user, row, form.cleaned_data["name"]),
        then=lambda _: done(request, "Passkey renamed.", changed="factors", to=reverse(HOME)),
        context={"title": "Rename passkey", "button": "Change name", "back": reverse(HOME)},
    )


@require_http_methods(["GET", "POST"])
@signed_in
@fresh_sign_in
def factor_deletion(request: PersonRequest, factor_id: int) -> HttpResponse:
    row = _own(request, factor_id, factors.APP, factors.PASSKEY)
    what = f"passkey “{row.wrap().name}”" if row.type == factors.PASSKEY else "authenticator app"
    return confirm(
        request,
        title=f"Delete the {what}",
        button="Delete passkey" if row.type == factors.PASSKEY else "Delete app",
        consequences=[
            "You can no longer sign in with it.",
            "With the last passkey or app, the recovery codes are deleted, too.",
        ],
        perform=lambda: factors.delete(request.user, row),
        then=lambda _: done(request, f"{what[:1].upper()}{what[1:]} deleted.", changed="factors", to=reverse(HOME)),
        back=reverse(HOME),
    )


@require_http_methods(["GET", "POST"])
@signed_in
@fresh_sign_in
def disconnection(request: PersonRequest) -> HttpResponse:
    provider = providers.provider()
    if provider is None or providers.account_of(request.user) is None:
        return redirect(HOME)
    return confirm(
        request,
        title=f"Disconnect {provider.label}",
        button="Disconnect",
        consequences=[
            "You can no longer sign in or confirm with this account there.",
            f"The next sign-in there with the verified address {request.user.email} connects your account again.",
        ],
        perform=lambda: providers.disconnect(request.user),
        then=lambda _: done(request, "Disconnected.", changed="factors", to=reverse(HOME)),
        back=reverse(HOME),
    )


@stays_open(While.WITHOUT_FACTOR)
@require_GET
@signed_in
@fresh_sign_in
def codes(request: PersonRequest) -> HttpResponse:
    try:
        shown = factors.codes_of(request.user)
    except CannotOpen:
        shown = []
    return dialog(request, "account/_codes.html", {"title": "Recovery codes", "codes": shown, "back": reverse(HOME)})


@require_http_methods(["GET", "POST"])
@signed_in
@fresh_sign_in
def codes_new(request: PersonRequest) -> HttpResponse:
    if not factors.has_factor(request.user):
        return redirect(HOME)
    return confirm(
        request,
        title="Create new recovery codes",
        button="Create codes",
        consequences=["The current codes stop working."],
        perform=lambda: factors.renew_codes(request.user),
        then=lambda _: _added(request, "New recovery codes created."),
        back=reverse(HOME),
        danger=False,
    )


@require_http_methods(["GET", "POST"])
@signed_in
def device_end(request: PersonRequest, session_id: int) -> HttpResponse:
    row = get_object_or_404(user_sessions.others_of(request), pk=session_id)
    browser = user_sessions.browser_of(row.user_agent)
    return confirm(
        request,
        title=f"Sign out {browser}",
        button="Sign out",
        consequences=["It has to sign in again to use your account."],
        perform=lambda: user_sessions.end(request.user, row),
        then=lambda _: done(request, f"{browser} signed out.", changed="devices", to=reverse(HOME)),
        back=reverse(HOME),
        danger=False,
    )


@require_http_methods(["GET", "POST"])
@signed_in
def devices_end(request: PersonRequest) -> HttpResponse:
    return confirm(
        request,
        title="Sign out other devices",
        button="Sign out others",
        consequences=["Every session but this one ends."],
        perform=lambda: user_sessions.end_others(request),
        then=lambda _: done(request, "Other devices signed out.", changed="devices", to=reverse(HOME)),
        back=reverse(HOME),
        danger=False,
    )


def _pending(request: PersonRequest) -> str:
    """Return the secret that this session is setting up. Makes a new one unless the form was sent."""
    if request.method == "POST" and (kept := request.session.get(PENDING)):
        try:
            return Sealed(kept).open(owner=request.user.pk, purpose=PENDING)
        except CannotOpen:
            pass
    secret = factors.new_secret()
    request.session[PENDING] = Sealed.seal(secret, owner=request.user.pk, purpose=PENDING).stored()
    return secret


def _add_passkey(request: PersonRequest, form: NewPasskeyForm) -> None:
    try:
        factors.add_passkey(request.user, form.cleaned_data["name"], form.cleaned_data["credential"])
    except ValidationError as refused:
        raise ValidationError({"credential": refused.messages}) from None


def _added(request: PersonRequest, message: str) -> HttpResponse:
    """Report success, and lead to the recovery codes, which should be kept elsewhere."""
    request.session.pop(PENDING, None)
    link = ("Show recovery codes", reverse("account:codes"))
    return done(request, f"{message} Store your recovery codes in a safe place.", changed="factors", to=reverse(HOME), link=link)


def _own(request: PersonRequest, factor_id: int, *kinds: str) -> Authenticator:
    return get_object_or_404(Authenticator, pk=factor_id, user_id=request.user.pk, type__in=kinds)
