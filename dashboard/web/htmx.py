"""Typed access to django-htmx's request details."""

from typing import cast

from django.http import HttpRequest
from django_htmx.middleware import HtmxDetails

MAIN = "main"


def htmx_of(request: HttpRequest) -> HtmxDetails:
    """Return the details; falsy for an ordinary request."""
    return cast("HtmxDetails", request.htmx)  # type: ignore[attr-defined] # set by django-htmx's middleware


def wants_part(request: HttpRequest) -> bool:
    """Whether a part of the page is to be filled.

    The whole page is asked for again by going back in history, and by a page drawn from last known data, which takes its main.
    """
    details = htmx_of(request)
    return bool(details) and not details.history_restore_request and details.target != MAIN
