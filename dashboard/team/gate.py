"""Confirmation before dangerous acts, valid for 15 minutes in the current session.

A person confirms with the password, a passkey, or a new sign-in at the provider; without a password also with a code of the
authenticator app. After a GET the person confirms and continues. A POST after the window is not kept: the person confirms and
sends it again. Signing in with a password or a factor counts for 5 minutes, which use doesn't extend; with a one-time link it
doesn't count.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar
from urllib.parse import parse_qs, urlencode, urlsplit

from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_GET, require_http_methods

from dashboard.journal.recorder import record
from dashboard.team import factors, providers
from dashboard.team.access import PersonRequest, signed_in
from dashboard.team.attempts import own_code_fits, own_password_fits
from dashboard.team.forms import CodeForm, CredentialForm, PasswordForm
from dashboard.team.models import Person
from dashboard.web.http.headers import allow_forms_to
from dashboard.web.input.forms import Form
from dashboard.web.pages.answers import DIALOG, done, is_dialog
from dashboard.web.pages.htmx import page_behind, wants_part
from dashboard.web.pages.places import place_of

WINDOW, AFTER_SIGN_IN = timedelta(minutes=15), timedelta(minutes=5)
MARK = "fresh_sign_in"
READS = ("GET", "HEAD")
CONFIRMED = "Confirmed for 15 minutes. Now try again."

# The form and its field for each way to confirm.
FORMS: dict[str, type[Form]] = {"password": PasswordForm, "passkey": CredentialForm, "code": CodeForm}
FIELDS = {"password": "password", "passkey": "credential", "code": "code"}

P = ParamSpec("P")
R = TypeVar("R", bound=PersonRequest)


@dataclass(frozen=True, slots=True)
class Ways:
    """How a person can confirm."""

    password: bool
    passkey: bool
    code: bool
    provider: bool

    @property
    def any(self) -> bool:
        return self.password or self.passkey or self.code or self.provider


def ways_of(person: Person) -> Ways:
    kinds, has_password = factors.kinds_of(person), person.has_usable_password()
    has_code = bool(kinds & {factors.APP, factors.CODES})
    return Ways(
        password=has_password,
        passkey=factors.PASSKEY in kinds,
        code=has_code and not has_password,
        provider=providers.account_of(person) is not None,
    )


def fresh_sign_in(view: Callable[Concatenate[R, P], HttpResponseBase]) -> Callable[Concatenate[R, P], HttpResponseBase]:
    """Require a confirmation within the last 15 minutes. Each use renews it.

    Apply it below `signed_in` or `with_workspace`. A view posted to from the dialog must also answer GET, because the dialog
    returns to it after the confirmation.
    """

    @wraps(view)
    def inner(request: R, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        if not is_fresh(request):
            return _ask(request)
        if "lasts" not in request.session[MARK]:
            _mark(request, request.session[MARK].get("by", "password"))
        return view(request, *args, **kwargs)

    return inner


def is_fresh(request: PersonRequest) -> bool:
    """Whether the person confirmed within the window, in a way that still exists."""
    mark = request.session.get(MARK)
    if not isinstance(mark, dict) or mark.get("person") != request.user.pk:
        return False
    age = timezone.now().timestamp() - float(mark.get("at", 0))
    return 0 <= age < mark.get("lasts", WINDOW.total_seconds()) and _is_open(request.user, mark.get("by", "password"))


@require_http_methods(["GET", "POST"])
@signed_in
def reauthenticate(request: PersonRequest) -> HttpResponse:
    """Ask for a confirmation, then go to `?next=`; `?open=dialog` stays inside the dialog."""
    way = own_way(request.GET.get("next", ""))
    if request.method in READS:
        return redirect(way) if is_fresh(request) and not wants_part(request) else _show(request)
    by = next((name for name, field in FIELDS.items() if field in request.POST), "password")
    form = FORMS[by](request.POST)
    if not _is_open(request.user, by):
        return _show(request, status=403)
    if not form.is_valid() or not _confirmed(request, by, form, way):
        return _show(request, {by: form}, status=422)
    request.session.cycle_key()
    _mark(request, by)
    if not wants_part(request):
        return redirect(way)
    return redirect(way) if _opens_dialog(request) else done(request, CONFIRMED, changed="sign-in", to=way)


def pass_by_sign_in(request: HttpRequest, person: Person, by: str) -> None:
    """Count a sign-in just made as a confirmation, for a few minutes."""
    lasts = AFTER_SIGN_IN.total_seconds()
    request.session[MARK] = {"person": person.pk, "at": timezone.now().timestamp(), "by": by, "lasts": lasts}


def pass_by_provider(request: PersonRequest) -> None:
    """Count a new sign-in at the provider as a confirmation."""
    request.session.cycle_key()
    _mark(request, "provider")


def own_way(way: str) -> str:
    """Return the next address if it is on our own site, else the start page."""
    return way if way.startswith("/") and url_has_allowed_host_and_scheme(way, allowed_hosts=None) else "/"


def purpose_of(request: HttpRequest, way: str) -> tuple[str, str]:
    """Return what a journal entry names as the reason to confirm: the place and page of the address, else its path."""
    path = urlsplit(way).path
    place = place_of(request, path)
    return (place.ref, place.title) if place else ("", path if path != "/" else "")


@require_GET
@signed_in
def passkey_challenge(request: PersonRequest) -> JsonResponse:
    """Return what the browser needs to prove one of this person's passkeys."""
    return JsonResponse(factors.begin_check(request.user))


def _ask(request: PersonRequest) -> HttpResponse:
    reading, inside = request.method in READS, is_dialog(request)
    way = request.get_full_path() if reading or inside else page_behind(request)
    address = _address(way, inside=inside)
    if reading and not wants_part(request):
        return redirect(address)
    return _show(request, address=address, status=200 if reading else 403)


def _show(request: PersonRequest, bound: dict[str, Form] | None = None, *, address: str = "", status: int = 200) -> HttpResponse:
    inside, ways = wants_part(request), ways_of(request.user)
    sending = request.method not in READS and not bound
    is_password_only = ways.password and not (ways.passkey or ways.provider)
    address, provider = address or request.get_full_path(), providers.provider()
    way = own_way(parse_qs(urlsplit(address).query).get("next", [""])[0])
    context = {
        "title": "Confirm your password" if is_password_only else "Confirm it's you",
        "lead": "Nothing was sent yet. Confirm, then try again." if sending else "",
        "ways": ways,
        "forms": {by: (bound or {}).get(by) or form() for by, form in FORMS.items()},
        "address": address,
        "way": way,
        "provider": provider,
        "back": _back(request),
        "person": request.user,
        "dialog_template": "team/_gate.html",
        "in_dialog": inside,
        "place": None if inside else place_of(request, urlsplit(way).path if "next" in request.GET else ""),
    }
    response = render(request, "dialog/_frame.html" if inside else "dialog/page.html", context, status=status)
    if inside and not is_dialog(request):
        response["HX-Retarget"] = f"#{DIALOG}"
        response["HX-Reswap"] = "innerHTML"
    return allow_forms_to(response, provider.origin) if provider and ways.provider else response


def _is_open(person: Person, by: str) -> bool:
    """Whether the person can confirm this way."""
    if by == "password":
        return person.has_usable_password()
    return bool(getattr(ways_of(person), by))


def _confirmed(request: PersonRequest, by: str, form: Form, way: str) -> bool:
    """Check the typed or sent proof. Each attempt is journaled."""
    place, target = purpose_of(request, way)
    try:
        with record(person_id=request.user.pk, operation=f"{by} confirmed", place=place, target=target):
            _require(request.user, by, form.cleaned_data[FIELDS[by]])
    except ValidationError as refused:
        form.add_error(FIELDS[by], refused)
        return False
    return True


def _require(person: Person, by: str, given: Any) -> None:
    """Raise `ValidationError` for a wrong password, code or passkey, or too many attempts."""
    if by == "passkey":
        factors.use_passkey(person, given)
    elif by == "code":
        if not own_code_fits(person, lambda: factors.use_code(person, given) is not None):
            raise ValidationError(factors.WRONG_CODE)
    elif not own_password_fits(person, lambda: person.check_password(given)):
        raise ValidationError("This is not your password.")


def _mark(request: PersonRequest, by: str) -> None:
    request.session[MARK] = {"person": request.user.pk, "at": timezone.now().timestamp(), "by": by}


def _address(way: str, *, inside: bool) -> str:
    query = {"next": way, **({"open": DIALOG} if inside else {})}
    return f"{reverse('account_reauthenticate')}?{urlencode(query)}"


def _opens_dialog(request: PersonRequest) -> bool:
    return request.GET.get("open") == DIALOG


def _back(request: PersonRequest) -> str:
    """Return the address for the cancel link."""
    page = page_behind(request)
    return "/" if urlsplit(page).path == reverse("account_reauthenticate") else page
