"""The absolute address of a link."""

from django.conf import settings
from django.http import HttpRequest
from django.urls import reverse


def address_of(request: HttpRequest, code: str) -> str:
    """Below PUBLIC_URL where it is set, otherwise where this request arrived."""
    path = reverse("sharing:show", args=(code,))
    return f"{settings.PUBLIC_URL}{path}" if settings.PUBLIC_URL else request.build_absolute_uri(path)
