"""The absolute address of a link."""

from django.http import HttpRequest
from django.urls import reverse

from dashboard.web.requests import public_address


def address_of(request: HttpRequest, code: str) -> str:
    return public_address(request, reverse("sharing:show", args=(code,)))
