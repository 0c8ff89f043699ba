"""Security headers of every answer; the content policy comes from django-csp's settings."""

import re
import secrets
from collections.abc import Callable
from typing import TypeVar

from csp.constants import HEADER
from csp.middleware import CSPMiddleware
from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.cache import patch_vary_headers

from dashboard.web.http.logs import lines_of
from dashboard.web.http.requests import client_address

R = TypeVar("R", bound=HttpResponseBase)

# The format of nginx's `$request_id` and those of other proxies.
_REQUEST_ID = re.compile(r"[A-Za-z0-9-]{8,64}")

PERMISSIONS = ", ".join(f"{name}=()" for name in ("camera", "geolocation", "microphone", "payment", "usb", "browsing-topics"))


def allow_forms_to(response: R, origin: str) -> R:
    """Allow this page's forms to lead to another site."""
    response.__dict__["_csp_update"] = {"form-action": [origin]}
    return response


class ContentPolicy(CSPMiddleware):
    """Middleware: add the content policy to answers that don't set their own."""

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        return response if HEADER in response.headers else super().process_response(request, response)


class Policy:
    """Outermost middleware: adds the request id and cross-origin isolation, forbids caching."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        request.request_id = _request_id(request)  # type: ignore[attr-defined] # shown in error cards
        request.client_address = client_address(request)  # type: ignore[attr-defined] # for log lines
        with lines_of(request):
            response = self.get_response(request)
        headers = response.headers
        headers["X-Request-ID"] = request.request_id  # type: ignore[attr-defined] # set above
        headers.setdefault("Cross-Origin-Resource-Policy", "same-origin")
        # Scripts tell our answers from those of proxies by it.
        headers.setdefault("Cross-Origin-Embedder-Policy", "require-corp")
        if headers.get("Content-Type", "").startswith("text/html"):
            headers.setdefault("Permissions-Policy", PERMISSIONS)
        if "Cache-Control" not in headers:
            # Static files set their own policy; everything else is personal.
            headers["Cache-Control"] = "no-store"
            patch_vary_headers(response, ("Cookie", "HX-Request", "HX-Target"))
        return response


def _request_id(request: HttpRequest) -> str:
    """Return the id that our proxy gave the request, else a new one."""
    given = request.headers.get("X-Request-ID", "") if settings.TRUSTED_PROXIES else ""
    return given if _REQUEST_ID.fullmatch(given) else secrets.token_hex(6)
