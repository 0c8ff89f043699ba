"""Compress text answers, except those that reveal a secret."""

from collections.abc import Container
from typing import cast

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.middleware.gzip import GZipMiddleware
from django.urls import get_resolver

TEXT = ("text/", "application/json", "application/javascript", "image/svg+xml")


class Compression(GZipMiddleware):
    """Middleware: gzip complete text answers. Streams keep their length.

    The length of a compressed page can leak a secret next to text that an attacker chose (BREACH). So answers to a POST, which
    may show a new secret, and the views in the root URLconf's `REVEALING` stay uncompressed; the others get random padding
    (`max_random_bytes`).
    """

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        kind = response.headers.get("Content-Type", "")
        if response.streaming or request.method != "GET" or reveals(request) or not kind.startswith(TEXT):
            return response
        return super().process_response(request, response)


def reveals(request: HttpRequest) -> bool:
    """Whether the answer may show a secret."""
    match = request.resolver_match
    return match is not None and match.view_name in _revealing()


def _revealing() -> Container[str]:
    return cast("Container[str]", getattr(get_resolver().urlconf_module, "REVEALING", ()))
