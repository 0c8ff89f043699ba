"""Requests without a sign-in: codes are throttled, passwords remembered, failures become the link's own pages."""

import re
from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec

from django.conf import settings
from django.core import signing
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.middleware.csrf import CsrfViewMiddleware
from django.template.loader import render_to_string
from django.utils.decorators import decorator_from_middleware
from django.views.decorators.csrf import csrf_exempt

from dashboard.features.sharing import rules
from dashboard.features.sharing.rules import EndState, LinkClosed
from dashboard.interfaces import errors
from dashboard.links.access import find
from dashboard.links.codes import digest
from dashboard.links.models import Share
from dashboard.tokens.errors import TokenLocked
from dashboard.tokens.workspace import Inactive
from dashboard.web import throttle
from dashboard.web.cookies import cookie_name
from dashboard.web.errors import NeedsToken
from dashboard.web.requests import client_address
from dashboard.web.throttle import TooMany, of_address
from dashboard.web.transfers import Busy

P = ParamSpec("P")

# No script, no connection, no frame: a share page loads only the style sheet and the icon.
POLICY = "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
NO_ACCESS = (errors.TokenRefused, errors.NotAllowed, NeedsToken)
MISSING = (errors.NotFound, errors.NameRefused)
UNLOCKED_SECONDS = 30 * 60
SALT = "dashboard.sharing.password"
CRAWLERS = re.compile(
    r"facebookexternalhit|facebot|whatsapp|telegrambot|slack|twitterbot|discord|linkedinbot|skypeuripreview|microsoftpreview"
    r"|teams|viber|applebot|signal|mastodon|pleroma|redditbot|vkshare|embedly|iframely|kakaotalk-scrap|line-poker|zoom"
    r"|mattermost|rocket\.chat|synapse|matrix|google-?(bot|read|page|other|image|safety)|bingbot|bingpreview|yandex(?!search)|baiduspider"
    r"|duckduckbot|safelinks|proofpoint|mimecast|barracuda|(?<!cu)bot\b|crawl|spider|preview|unfurl|scanner",
    re.IGNORECASE,
)

Opened = Callable[Concatenate[HttpRequest, Share, str, P], HttpResponseBase]


class _Csrf(CsrfViewMiddleware):
    """Accept `Origin: null`, which browsers send under `no-referrer`; the token alone proves that the form is ours."""

    def _origin_verified(self, request: HttpRequest) -> bool:
        verified: bool = super()._origin_verified(request)  # type: ignore[misc] # missing in the stubs
        return verified or request.headers.get("Origin") == "null"

    def _reject(self, request: HttpRequest, reason: str) -> HttpResponse:  # noqa: ARG002 - Django's signature
        raise LinkClosed(rules.STALE_FORM)


def by_code(view: Opened[P]) -> Callable[..., HttpResponseBase]:
    """Pass the share and its code to the view; draw an end state for every failure."""
    checked = decorator_from_middleware(_Csrf)(view)

    @csrf_exempt
    @wraps(view)
    def inner(request: HttpRequest, /, code: str, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        try:
            response: HttpResponseBase = checked(request, _share(request, code), code, *args, **kwargs)
        except LinkClosed as closed:
            response = _draw_end(closed.state)
        except TooMany as many:
            response = _draw_end(rules.too_many_attempts(many.seconds))
        except Busy:
            response = _draw_end(rules.BUSY)
        except TokenLocked:
            response = _draw_end(rules.LOCKED)
        except (*NO_ACCESS, Inactive):
            response = _draw_end(rules.NO_ACCESS)
        except MISSING:
            response = _draw_end(rules.FILE_MISSING)
        except errors.InterfaceError as error:
            response = _draw_end(rules.storage_down(round(error.retry_after) if error.retry_after else None))
        return _unlisted(response)

    return inner


def draw(template: str, context: dict[str, object], *, status: int = 200) -> HttpResponse:
    """A page without the frame, the person, the session or scripts."""
    return HttpResponse(render_to_string(template, context), status=status)


def is_crawler(request: HttpRequest) -> bool:
    """Whether a messenger, search engine or prefetching browser asks: it gets the page, and nothing is counted.

    A browser that reports a click is believed whatever its name, because messengers have built-in browsers.
    """
    prefetched = "prefetch" in f"{request.headers.get('Purpose', '')} {request.headers.get('Sec-Purpose', '')}"
    clicked = request.headers.get("Sec-Fetch-User") == "?1"
    return prefetched or (not clicked and CRAWLERS.search(request.headers.get("User-Agent", "")) is not None)


def is_locked(request: HttpRequest, share: Share) -> bool:
    """Whether the link has a password that this browser did not give in the last half hour."""
    if not share.password:
        return False
    try:
        value = signing.TimestampSigner(salt=SALT).unsign(request.COOKIES.get(_cookie(share), ""), max_age=UNLOCKED_SECONDS)
    except signing.BadSignature:
        return True
    return value != _cookie_value(share)


def unlock(response: HttpResponse, share: Share) -> None:
    """Remember for half an hour, by a signed cookie, that the password of this link was right."""
    value = signing.TimestampSigner(salt=SALT).sign(_cookie_value(share))
    response.set_cookie(_cookie(share), value, max_age=UNLOCKED_SECONDS, secure=settings.HTTPS, httponly=True, samesite="Lax")


def _cookie(share: Share) -> str:
    return cookie_name(f"share_{digest(str(share.pk), purpose='cookie')[:16]}")


def _cookie_value(share: Share) -> str:
    """A new password invalidates it. It reveals nothing about the link, not even its number."""
    return digest(f"{share.pk} {share.password}", purpose="password")[:32]


def _draw_end(state: EndState) -> HttpResponse:
    response = draw("sharing/end_state.html", {"state": state}, status=state.status)
    if state.retry_after is not None:
        response["Retry-After"] = str(state.retry_after)
    return response


def _share(request: HttpRequest, code: str) -> Share:
    """Raises `LinkClosed` for an unknown code, and `TooMany` after too many of them, even for a right one."""
    subject = of_address(client_address(request))
    throttle.require_room(subject)
    share = find(code)
    if share is None:
        throttle.count(subject)
        raise LinkClosed(rules.UNKNOWN)
    return share


def _unlisted(response: HttpResponseBase) -> HttpResponseBase:
    """Keep the answer out of search engines, caches and referrers."""
    response.headers.setdefault("Content-Security-Policy", POLICY)
    response["Referrer-Policy"] = "no-referrer"
    response["X-Robots-Tag"] = "noindex, nofollow, noarchive"
    response["Cache-Control"] = "private, no-store"
    return response
