"""Addresses of pages that became a part of another page."""

from collections.abc import Callable

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_GET


def leads_to(name: str, **query: str) -> Callable[..., HttpResponse]:
    """Return a view that leads to the page `name` with the request's query and `query`, after the sign-in.

    Values of `query` may hold parts of the former address: "{ref}".
    """

    @require_GET
    @login_required
    def former(request: HttpRequest, **parts: str) -> HttpResponse:
        found = request.GET.copy()
        for key, value in query.items():
            found[key] = value.format(**parts)
        return redirect(f"{reverse(name)}?{found.urlencode()}" if found else reverse(name))

    return former
