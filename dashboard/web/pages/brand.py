"""The team's name, colour and logo on pages behind links: SHARE_TITLE, SHARE_COLOR and SHARE_LOGO."""

from base64 import b64encode
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from dashboard.web.files.downloads import STRANGE
from dashboard.web.pages import brand_colour

PRODUCT = "Pilothouse"


@dataclass(frozen=True, slots=True)
class Brand:
    """The brand on a page: the name ("" if the logo needs none beside it), and the address of the logo."""

    title: str
    logo: str


def of_team() -> Brand:
    logo = settings.SHARE_LOGO
    return Brand(
        title=settings.SHARE_TITLE or ("" if logo else PRODUCT),
        logo=_address("web:brand_logo", _read(logo)) if logo else "",
    )


def link_of_sheet() -> tuple[str, str] | None:
    """Return address and digest of the style sheet; None if no colour is set."""
    if not settings.SHARE_COLOR:
        return None
    content = brand_colour.sheet(settings.SHARE_COLOR).encode()
    return _address("web:brand_sheet", content), f"sha256-{b64encode(sha256(content).digest()).decode()}"


@login_not_required
@require_safe
def sheet(_request: HttpRequest) -> HttpResponse:
    if not settings.SHARE_COLOR:
        raise Http404("No colour is set.")
    return _kept(HttpResponse(brand_colour.sheet(settings.SHARE_COLOR), content_type="text/css"))


@login_not_required
@require_safe
def logo(_request: HttpRequest) -> HttpResponse:
    if not settings.SHARE_LOGO:
        raise Http404("No logo is set.")
    data = _read(settings.SHARE_LOGO)
    response = HttpResponse(data, content_type=brand_colour.logo_type(data))
    response["Content-Security-Policy"] = STRANGE
    return _kept(response)


@cache
def _read(path: str) -> bytes:
    return Path(path).read_bytes()


def _address(name: str, content: bytes) -> str:
    """Return an address that changes with the content, so that browsers may cache it."""
    return f"{reverse(name)}?v={sha256(content).hexdigest()[:12]}"


def _kept(response: HttpResponse) -> HttpResponse:
    response["Cache-Control"] = "public, max-age=31536000, immutable"
    return response
