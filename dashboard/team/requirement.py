"""Roles that may not work without a second factor (`MFA_REQUIRED`)."""

from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django_htmx.http import HttpResponseClientRedirect

from dashboard.team import factors, hooks
from dashboard.team.models import Role
from dashboard.web.htmx import htmx_of

# Beside `hooks.factor_pages`: confirming, leaving, and how pages look.
OPEN = frozenset(
    (  # noqa: SIM905 - a list of eight
        "account_reauthenticate account_passkey_challenge account_oidc account_oidc_callback account_logout"
        " web:theme web:brand_sheet web:brand_logo"
    ).split()
)


class SecondFactorRequired:
    """Middleware: lead people whose role needs a second factor to adding one, and nowhere else."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self.get_response(request)

    def process_view(self, request: HttpRequest, *_: Any) -> HttpResponse | None:
        if not settings.MFA_REQUIRED or not request.user.is_authenticated:
            return None
        name = request.resolver_match.view_name if request.resolver_match else ""
        if name in OPEN or name in hooks.factor_pages or not factors.is_required(request.user):
            return None
        return None if factors.has_factor(request.user) else _lead(request)


def _lead(request: HttpRequest) -> HttpResponse:
    page, htmx = reverse(hooks.factor_pages[0]), htmx_of(request)
    if not htmx:
        return redirect(page)
    # Parts of the frame refresh on the page itself, too: they stay as they are.
    return HttpResponse(status=204) if htmx.current_url_abs_path == page else HttpResponseClientRedirect(page)


def check_roles(app_configs: object, **_: Any) -> list[CheckMessage]:  # noqa: ARG001 - the signature of Django's checks
    """Refuse a misspelt role, which would require nothing."""
    unknown = sorted(set(settings.MFA_REQUIRED) - set(Role.values))
    if not unknown:
        return []
    return [Error(f"MFA_REQUIRED names no role: {', '.join(unknown)}. Roles are {', '.join(Role.values)}.", id="team.E001")]
