"""Roles that may not work without a second factor (`MFA_REQUIRED`)."""

from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.urls import reverse

from dashboard.team import factors, hooks
from dashboard.team.locked import lead

# Open in addition to `hooks.factor_pages`: confirming, signing out, and the pages' style.
OPEN = frozenset(
    (  # noqa: SIM905 - a list of eight
        "account_reauthenticate account_passkey_challenge account_oidc account_oidc_callback account_logout"
        " web:theme web:brand_sheet web:brand_logo"
    ).split()
)


class SecondFactorRequired:
    """Middleware: redirect people whose role needs a second factor to adding one. Other pages are closed to them."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self.get_response(request)

    def process_view(self, request: HttpRequest, *_: Any) -> HttpResponse | None:
        # A locked account must be unlocked first (`locked.AccountLocked`).
        if not settings.MFA_REQUIRED or not request.user.is_authenticated or request.user.is_locked:
            return None
        name = request.resolver_match.view_name if request.resolver_match else ""
        if name in OPEN or name in hooks.factor_pages or not factors.is_required(request.user):
            return None
        if factors.has_factor(request.user):
            return None
        page = reverse(hooks.factor_pages[0])
        return lead(request, page, stays=lambda path: path == page)
