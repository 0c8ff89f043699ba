"""Password confirmation for dangerous acts, valid for 15 minutes in the current session.

A GET asks for the password, then continues. A POST after the window is not kept: the person confirms and sends it again.
Signing in does not count, so an unattended session is not enough.
"""

from collections.abc import Callable
from datetime import timedelta
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar
from urllib.parse import urlencode, urlsplit

from django.core.exceptions import ValidationError
from django.http import HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_http_methods

from dashboard.journal.recorder import record
from dashboard.team.access import PersonRequest, signed_in
from dashboard.team.attempts import own_password_fits
from dashboard.team.forms import PasswordForm
from dashboard.web.answers import DIALOG, done, is_dialog
from dashboard.web.htmx import wants_part
from dashboard.web.places import place_of

WINDOW = timedelta(minutes=15)
MARK = "fresh_sign_in"
READS = ("GET", "HEAD")
CONFIRMED = "Confirmed for 15 minutes. Now try again."

P = ParamSpec("P")
R = TypeVar("R", bound=PersonRequest)


def fresh_sign_in(view: Callable[Concatenate[R, P], HttpResponseBase]) -> Callable[Concatenate[R, P], HttpResponseBase]:
    """Require a password confirmation within the last 15 minutes; each use renews it.

    Apply below `signed_in` or `with_workspace`. A view posted to from the dialog must also answer GET, because the dialog
    returns to it after the confirmation.
    """

    @wraps(view)
    def inner(request: R, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        if not is_fresh(request):
            return _ask(request)
        _mark(request)
        return view(request, *args, **kwargs)

    return inner


def is_fresh(request: PersonRequest) -> bool:
    """Return whether the password was confirmed within the window."""
    mark = request.session.get(MARK)
    if not isinstance(mark, dict) or mark.get("person") != request.user.pk or not request.user.has_usable_password():
        return False
    age = timezone.now().timestamp() - float(mark.get("at", 0))
    return 0 <= age < WINDOW.total_seconds()


@require_http_methods(["GET", "POST"])
@signed_in
def reauthenticate(request: PersonRequest) -> HttpResponse:
    """Ask for the password, then go to `?next=`; `?open=dialog` stays inside the dialog."""
    way = _way(request)
    if request.method in READS:
        return redirect(way) if is_fresh(request) and not wants_part(request) else _show(request, PasswordForm())
    form = PasswordForm(request.POST)
    if not request.user.has_usable_password():
        return _show(request, form, status=403)
    if not form.is_valid() or not _confirmed(request, form, way):
        return _show(request, form, status=422)
    request.session.cycle_key()
    _mark(request)
    if not wants_part(request):
        return redirect(way)
    return redirect(way) if _opens_dialog(request) else done(request, CONFIRMED, changed="sign-in", to=way)


def _ask(request: PersonRequest) -> HttpResponse:
    reading, inside = request.method in READS, is_dialog(request)
    way = request.get_full_path() if reading or inside else _page_behind(request)
    address = _address(way, inside=inside)
    if reading and not wants_part(request):
        return redirect(address)
    return _show(request, PasswordForm(), address=address, status=200 if reading else 403)


def _show(request: PersonRequest, form: PasswordForm, *, address: str = "", status: int = 200) -> HttpResponse:
    inside = wants_part(request)
    sending = request.method not in READS and not form.is_bound
    context = {
        "title": "Confirm your password",
        "lead": "Nothing was sent yet. Confirm, then try again." if sending else "This step needs your password.",
        "form": form,
        "address": address or request.get_full_path(),
        "back": _back(request),
        "may": request.user.has_usable_password(),
        "person": request.user,
        "dialog_template": "team/_gate.html",
        "in_dialog": inside,
        "place": None if inside else place_of(request, urlsplit(_way(request)).path if "next" in request.GET else ""),
    }
    response = render(request, "dialog/_frame.html" if inside else "dialog/page.html", context, status=status)
    if inside and not is_dialog(request):
        response["HX-Retarget"] = f"#{DIALOG}"
        response["HX-Reswap"] = "innerHTML"
    return response


def _confirmed(request: PersonRequest, form: PasswordForm, way: str) -> bool:
    """Check the password; each attempt is journaled."""
    try:
        with record(person_id=request.user.pk, operation="password confirmed", target=urlsplit(way).path):
            _require_password(request, form.cleaned_data["password"])
    except ValidationError as refused:
        form.add_error("password", refused)
        return False
    return True


def _require_password(request: PersonRequest, password: str) -> None:
    """Raise `ValidationError` for a wrong password or too many attempts."""
    if not own_password_fits(request.user, lambda: request.user.check_password(password)):
        raise ValidationError("This is not your password.")


def _mark(request: PersonRequest) -> None:
    request.session[MARK] = {"person": request.user.pk, "at": timezone.now().timestamp()}


def _address(way: str, *, inside: bool) -> str:
    query = {"next": way, **({"open": DIALOG} if inside else {})}
    return f"{reverse('account_reauthenticate')}?{urlencode(query)}"


def _way(request: PersonRequest) -> str:
    """Return the next address, which is always on our own site."""
    way = request.GET.get("next", "")
    return way if way.startswith("/") and url_has_allowed_host_and_scheme(way, allowed_hosts=None) else "/"


def _opens_dialog(request: PersonRequest) -> bool:
    return request.GET.get("open") == DIALOG


def _back(request: PersonRequest) -> str:
    """Return the address of the cancel link."""
    page = _page_behind(request)
    return "/" if urlsplit(page).path == reverse("account_reauthenticate") else page


def _page_behind(request: PersonRequest) -> str:
    """Return the page that the form was sent from; the start page if unknown."""
    if wants_part(request):
        return request.htmx.current_url_abs_path or "/"
    referer = urlsplit(request.headers.get("Referer", ""))
    if referer.netloc != request.get_host():
        return "/"
    return f"{referer.path}?{referer.query}" if referer.query else referer.path
