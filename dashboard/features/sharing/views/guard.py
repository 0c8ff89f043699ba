"""What every answer to somebody without a sign-in goes through: guessing is slowed down, failures get a face, nothing is kept."""

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.middleware.csrf import CsrfViewMiddleware
from django.template.loader import render_to_string
from django.utils.decorators import decorator_from_middleware
from django.views.decorators.csrf import csrf_exempt

from dashboard.features.sharing.views import end_states
from dashboard.features.sharing.views.end_states import Dead, Face
from dashboard.interfaces import errors
from dashboard.links.access import find
from dashboard.links.models import Share
from dashboard.tokens.errors import TokenLocked
from dashboard.tokens.workspace import Inactive
from dashboard.web import throttle
from dashboard.web.errors import NeedsToken
from dashboard.web.requests import client_address
from dashboard.web.throttle import TooMany, of_address
from dashboard.web.transfers import Busy

P = ParamSpec("P")

# No script, no connection, no frame: style sheet and icon are all that a share page loads.
POLICY = "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
NO_RIGHT = (errors.TokenRefused, errors.NotAllowed, NeedsToken)
GONE = (errors.NotFound, errors.NameRefused)

Opened = Callable[Concatenate[HttpRequest, Share, str, P], HttpResponseBase]


class _Csrf(CsrfViewMiddleware):
    """Under `no-referrer` browsers send `Origin: null` with a form, so the token alone has to say that the form is ours."""

    def _origin_verified(self, request: HttpRequest) -> bool:
        verified: bool = super()._origin_verified(request)  # type: ignore[misc] # missing in the stubs
        return verified or request.headers.get("Origin") == "null"

    def _reject(self, request: HttpRequest, reason: str) -> HttpResponse:  # noqa: ARG002 - Django's signature
        raise Dead(end_states.STALE)


def by_code(view: Opened[P]) -> Callable[..., HttpResponseBase]:
    """Hand the share and its code to the view, and answer with a face whenever either comes to nothing."""
    checked = decorator_from_middleware(_Csrf)(view)

    @csrf_exempt
    @wraps(view)
    def inner(request: HttpRequest, /, code: str, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        try:
            response: HttpResponseBase = checked(request, _share(request, code), code, *args, **kwargs)
        except Dead as dead:
            response = show(dead.face)
        except TooMany as many:
            response = show(end_states.too_many(many.seconds))
        except Busy:
            response = show(end_states.busy())
        except TokenLocked:
            response = show(end_states.LOCKED)
        except (*NO_RIGHT, Inactive):
            response = show(end_states.NO_RIGHT)
        except GONE:
            response = show(end_states.GONE)
        except errors.InterfaceError as error:
            response = show(end_states.down(round(error.retry_after) if error.retry_after else None))
        return _withdrawn(response)

    return inner


def draw(template: str, context: dict[str, object], *, status: int = 200) -> HttpResponse:
    """A page without frame, person, session and script."""
    return HttpResponse(render_to_string(template, context), status=status)


def show(face: Face) -> HttpResponse:
    response = draw("sharing/face.html", {"face": face}, status=face.status)
    if face.retry_after is not None:
        response["Retry-After"] = str(face.retry_after)
    return response


def _share(request: HttpRequest, code: str) -> Share:
    """Raises `Dead` for no code of ours, `TooMany` for an address with too many tries: not even the right one opens then."""
    subject = of_address(client_address(request))
    throttle.require_room(subject)
    share = find(code)
    if share is None:
        throttle.count(subject)
        raise Dead(end_states.UNKNOWN)
    return share


def _withdrawn(response: HttpResponseBase) -> HttpResponseBase:
    """Found by no search engine, kept by no cache, and told to nobody."""
    response.headers.setdefault("Content-Security-Policy", POLICY)
    response["Referrer-Policy"] = "no-referrer"
    response["X-Robots-Tag"] = "noindex, nofollow, noarchive"
    response["Cache-Control"] = "private, no-store"
    return response
