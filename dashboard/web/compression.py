"""Text answers travel compressed, except those that reveal a secret."""

from collections.abc import Container
from functools import cache
from typing import cast

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.middleware.gzip import GZipMiddleware
from django.urls import get_resolver

TEXT = ("text/", "application/json", "application/javascript", "image/svg+xml")


class Compression(GZipMiddleware):
    """Middleware: gzip for whole answers of text. A stream keeps its length, and goes out as it comes.

    The length of a compressed page tells something of a secret in it to whoever can put text beside that (BREACH). So answers to
    a POST, which may show what was just made, and the views that the root URLconf names in `REVEALING` are left as they are;
    the others get a few random bytes (`max_random_bytes`).
    """

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        kind = response.headers.get("Content-Type", "")
        match = request.resolver_match
        reveals = request.method != "GET" or (match is not None and match.view_name in _revealing())
        if response.streaming or reveals or not kind.startswith(TEXT):
            return response
        return super().process_response(request, response)


@cache
def _revealing() -> Container[str]:
    return cast("Container[str]", getattr(get_resolver().urlconf_module, "REVEALING", ()))
