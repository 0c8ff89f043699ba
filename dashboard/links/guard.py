"""Handle requests without a sign-in: throttle codes, remember passwords, show failures as the link's own pages."""

import re
from collections.abc import Callable
from functools import wraps
from typing import Concatenate, Generic, ParamSpec, TypeVar

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.core import signing
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.middleware.csrf import CsrfViewMiddleware, get_token
from django.template.loader import render_to_string
from django.utils.decorators import decorator_from_middleware
from django.views.decorators.csrf import csrf_exempt

from dashboard.interfaces import errors
from dashboard.links import end_states
from dashboard.links.access import find, password_fits
from dashboard.links.codes import digest
from dashboard.links.end_states import EndState, LinkClosed
from dashboard.links.models import CodedLink
from dashboard.tokens.errors import TokenLocked
from dashboard.tokens.workspace import Inactive
from dashboard.web.http.cookies import cookie_name
from dashboard.web.http.requests import client_address
from dashboard.web.limits import throttle
from dashboard.web.limits.throttle import TooMany, of_address
from dashboard.web.limits.transfers import Busy
from dashboard.web.pages.brand import of_team
from dashboard.web.pages.errors import NeedsToken
from dashboard.web.text import exact, local, relative

P = ParamSpec("P")
L = TypeVar("L", bound=CodedLink)

# Pages load only our own style sheets, pictures, sound and video: no scripts, connections or frames.
POLICY = (
    "default-src 'none'; style-src 'self'; img-src 'self'; media-src 'self'; form-action 'self'; base-uri 'none';"
    " frame-ancestors 'none'"
)
NO_ACCESS = (errors.TokenRefused, errors.NotAllowed, NeedsToken)
MISSING = (errors.NotFound, errors.NameRefused)
UNLOCKED_SECONDS = 30 * 60
SALT = "dashboard.links.password"
CRAWLERS = re.compile(
    r"facebookexternalhit|facebot|whatsapp|telegrambot|slack|twitterbot|discord|linkedinbot|skypeuripreview|microsoftpreview"
    r"|teams|viber|applebot|signal|mastodon|pleroma|redditbot|vkshare|embedly|iframely|kakaotalk-scrap|line-poker|zoom"
    r"|mattermost|rocket\.chat|synapse|matrix|google-?(bot|read|page|other|image|safety)|bingbot|bingpreview|yandex(?!search)|baiduspider"
    r"|duckduckbot|safelinks|proofpoint|mimecast|barracuda|(?<!cu)bot\b|crawl|spider|preview|unfurl|scanner",
    re.IGNORECASE,
)


class _Csrf(CsrfViewMiddleware):
    """Accept `Origin: null`, which browsers send under `no-referrer`. The CSRF token alone proves that the form is ours."""

    def _origin_verified(self, request: HttpRequest) -> bool:
        verified: bool = super()._origin_verified(request)  # type: ignore[misc] # missing in the stubs
        return verified or request.headers.get("Origin") == "null"

    def _reject(self, request: HttpRequest, reason: str) -> HttpResponse:  # noqa: ARG002 - Django's signature
        raise LinkClosed(end_states.STALE_FORM)


def draw_end(state: EndState) -> HttpResponse:
    return draw("links/end_state.html", {"state": state}, status=state.status)


class ByCode(Generic[L]):
    """Decorate a view: pass it the link of this kind with this code, and render an end state for every failure.

    `missing`: the one for what the service doesn't find.
    """

    def __init__(self, kind: type[L], missing: EndState, *, draw: Callable[[EndState], HttpResponse] = draw_end) -> None:
        self._kind, self._missing, self._draw = kind, missing, draw

    def __call__(self, view: Callable[Concatenate[HttpRequest, L, str, P], HttpResponseBase]) -> Callable[..., HttpResponseBase]:
        checked = decorator_from_middleware(_Csrf)(view)

        @csrf_exempt
        @login_not_required
        @wraps(view)
        def inner(request: HttpRequest, /, code: str, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
            try:
                response: HttpResponseBase = checked(request, self._find(request, code), code, *args, **kwargs)
            except LinkClosed as closed:
                response = self._end(closed.state)
            except TooMany as many:
                response = self._end(end_states.too_many_attempts(many.seconds))
            except Busy:
                response = self._end(end_states.BUSY)
            except TokenLocked:
                response = self._end(end_states.LOCKED)
            except (*NO_ACCESS, Inactive):
                response = self._end(end_states.NO_ACCESS)
            except MISSING:
                response = self._end(self._missing)
            except errors.InterfaceError as error:
                response = self._end(end_states.storage_down(round(error.retry_after) if error.retry_after else None))
            return _unlisted(response)

        return inner

    def _find(self, request: HttpRequest, code: str) -> L:
        """Return the link. Raises `LinkClosed` for an unknown code; after too many of them `TooMany`, even for a right one."""
        subject = of_address(client_address(request))
        throttle.require_room(subject)
        link = find(self._kind, code)
        if link is None:
            throttle.count(subject)
            raise LinkClosed(end_states.UNKNOWN)
        return link

    def _end(self, state: EndState) -> HttpResponse:
        response = self._draw(state)
        if state.retry_after is not None:
            response["Retry-After"] = str(state.retry_after)
        return response


def draw(template: str, context: dict[str, object], *, status: int = 200) -> HttpResponse:
    """Render a page without frame, person, session or scripts."""
    return HttpResponse(render_to_string(template, {"brand": of_team(), **context}), status=status)


def ends_of(link: CodedLink) -> dict[str, str]:
    """Return what a page shows of its expiry; nothing for no expiry."""
    if (end := link.expires_at) is None:
        return {}
    return {
        "ends": exact(end),
        "ends_local": local(end, link.zone),
        "ends_relative": relative(end),
        "ends_iso": end.isoformat(timespec="seconds"),
    }


def is_crawler(request: HttpRequest) -> bool:
    """Whether a messenger, search engine or prefetching browser asks. It gets the page, but nothing is counted.

    A request that reports a click counts as a person's whatever its user agent, because messengers have built-in browsers.
    """
    prefetched = "prefetch" in f"{request.headers.get('Purpose', '')} {request.headers.get('Sec-Purpose', '')}"
    clicked = request.headers.get("Sec-Fetch-User") == "?1"
    return prefetched or (not clicked and CRAWLERS.search(request.headers.get("User-Agent", "")) is not None)


def is_locked(request: HttpRequest, link: CodedLink) -> bool:
    """Whether the link has a password that this browser did not enter in the last half hour."""
    if not link.password:
        return False
    try:
        value = signing.TimestampSigner(salt=SALT).unsign(request.COOKIES.get(_cookie(link), ""), max_age=UNLOCKED_SECONDS)
    except signing.BadSignature:
        return True
    return value != _cookie_value(link)


def ask_password(request: HttpRequest, link: CodedLink) -> HttpResponse:
    """Check the submitted password: redirect back with a cookie if right; answer 422 and count the attempt if wrong."""
    wrong = False
    if request.method == "POST":
        if password_fits(link, request.POST.get("password", ""), client_address(request)):
            response = HttpResponse(status=303, headers={"Location": request.path})
            unlock(response, link)
            return response
        wrong = True
    shown = {"wrong": wrong, "csrf_token": get_token(request), "sender": link.owner.name}
    return draw("links/password.html", shown, status=422 if wrong else 200)


def unlock(response: HttpResponse, link: CodedLink) -> None:
    """Set a signed cookie which remembers for half an hour that this link's password was right."""
    value = signing.TimestampSigner(salt=SALT).sign(_cookie_value(link))
    response.set_cookie(_cookie(link), value, max_age=UNLOCKED_SECONDS, secure=settings.HTTPS, httponly=True, samesite="Lax")


def _cookie(link: CodedLink) -> str:
    return cookie_name(f"{link.SUBJECT}_{digest(str(link.pk), purpose='cookie')[:16]}")


def _cookie_value(link: CodedLink) -> str:
    """Return a value that a new password invalidates. It reveals nothing about the link, not even its number."""
    return digest(f"{link.SUBJECT} {link.pk} {link.password}", purpose="password")[:32]


def _unlisted(response: HttpResponseBase) -> HttpResponseBase:
    """Keep the answer out of search engines and caches, and its address out of referrers."""
    response.headers.setdefault("Content-Security-Policy", POLICY)
    response["Referrer-Policy"] = "no-referrer"
    response["X-Robots-Tag"] = "noindex, nofollow, noarchive"
    response["Cache-Control"] = "private, no-store"
    return response
