"""Locked accounts: somebody else's link set the password, so we can't tell who uses the account.

Until it is unlocked only these addresses answer, whatever the role: those that need no sign-in, and views that `stays_open`
marks. New addresses are closed by default. The same holds for roles that must still add a second factor (`requirement`).
"""

from collections.abc import Callable
from enum import Enum
from typing import Any, TypeVar
from urllib.parse import urlsplit

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.urls import Resolver404, ResolverMatch, resolve
from django_htmx.http import HttpResponseClientRedirect

from dashboard.team import hooks
from dashboard.web.pages.htmx import htmx_of
from dashboard.web.pages.navigation import named_page

V = TypeVar("V", bound=Callable[..., Any])

REASON = "Your account is locked."


class While(Enum):
    """What closes most addresses to a person who is signed in."""

    LOCKED = "the account is locked"
    WITHOUT_FACTOR = "the role needs a second factor, and there is none"


class AccountLocked:
    """Middleware: redirect people whose account is locked to the page that unlocks it."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self.get_response(request)

    def process_view(self, request: HttpRequest, view: Callable[..., Any], *_: Any) -> HttpResponse | None:
        # Check this first, as public pages must not depend on a session.
        if is_open(view, While.LOCKED) or not _is_locked(request):
            return None
        return lead(request, named_page("unlock"), stays=_is_open_at)


def stays_open(*conditions: While) -> Callable[[V], V]:
    """Keep a view's address open under these conditions."""

    def mark(view: V) -> V:
        view.__dict__["stays_open"] = conditions
        return view

    return mark


def is_open(view: Callable[..., Any], condition: While) -> bool:
    """Whether a view answers under this condition. Those that need no sign-in always do: they must not depend on a session."""
    return condition in getattr(view, "stays_open", ()) or not getattr(view, "login_required", True)


def lead(request: HttpRequest, page: str, *, stays: Callable[[str], bool]) -> HttpResponse:
    """Redirect to a page. On pages that `stays` names, requests that refresh parts of the frame change nothing (204)."""
    htmx = htmx_of(request)
    if not htmx:
        return redirect(page)
    here = urlsplit(htmx.current_url_abs_path or "").path
    return HttpResponse(status=204) if stays(here) else HttpResponseClientRedirect(page)


def refusals(request: HttpRequest) -> hooks.Refuse | None:
    """Return the check that refuses addresses to a person whose account is locked; None for others."""
    return _refuse if _is_locked(request) else None


def _refuse(match: ResolverMatch, _query: str | None) -> str:
    return "" if is_open(match.func, While.LOCKED) else REASON


def _is_locked(request: HttpRequest) -> bool:
    return request.user.is_authenticated and request.user.is_locked


def _is_open_at(path: str) -> bool:
    try:
        return is_open(resolve(path).func, While.LOCKED)
    except Resolver404:
        return False
