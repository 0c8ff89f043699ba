"""Roles that may not work without a second factor (`MFA_REQUIRED`)."""

from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBase

from dashboard.team import factors
from dashboard.team.locked import While, is_open, lead
from dashboard.web.pages.navigation import named_page


class SecondFactorRequired:
    """Middleware: redirect people whose role needs a second factor to adding one. Other pages are closed to them."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self.get_response(request)

    def process_view(self, request: HttpRequest, view: Callable[..., Any], *_: Any) -> HttpResponse | None:
        if not settings.MFA_REQUIRED or is_open(view, While.WITHOUT_FACTOR):
            return None
        # A locked account must be unlocked first (`locked.AccountLocked`).
        if not request.user.is_authenticated or request.user.is_locked or not factors.is_required(request.user):
            return None
        if factors.has_factor(request.user):
            return None
        page = named_page("factors")
        return lead(request, page, stays=lambda path: path == page)
