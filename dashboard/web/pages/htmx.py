"""Typed access to django-htmx's request details."""

from typing import cast
from urllib.parse import urlsplit

from django.http import HttpRequest
from django_htmx.middleware import HtmxDetails

MAIN = "main"


def htmx_of(request: HttpRequest) -> HtmxDetails:
    """Return the details; falsy for a request without htmx."""
    return cast("HtmxDetails", request.htmx)  # type: ignore[attr-defined] # set by django-htmx's middleware


def wants_part(request: HttpRequest) -> bool:
    """Whether the request fills a part of a page.

    False when going back in history, and for a page drawn from last known data, which replaces its main element: both need all.
    """
    details = htmx_of(request)
    return bool(details) and not details.history_restore_request and details.target != MAIN


def page_behind(request: HttpRequest) -> str:
    """Return the page that the form was sent from, or the start page if unknown."""
    if wants_part(request):
        return htmx_of(request).current_url_abs_path or "/"
    referer = urlsplit(request.headers.get("Referer", ""))
    if referer.netloc != request.get_host():
        return "/"
    return f"{referer.path}?{referer.query}" if referer.query else referer.path
