"""The label on every page of a project: its colour edges the top bar, "production" is written out and asks for more care."""

from collections.abc import Callable
from functools import cache

from django.http import HttpRequest
from django.http.response import HttpResponseBase

from dashboard.labels.queries import NOTHING, ProjectLabel, is_production, label_of


def project_label(request: HttpRequest) -> ProjectLabel:
    """For the frame of a page whose address names a project."""
    ref = _ref(request)
    signed_in = getattr(request, "user", None) is not None and request.user.is_authenticated
    return label_of(ref) if ref and signed_in else NOTHING


class Production:
    """Middleware: `request.on_production()`, for the question before something is destroyed. Asks the database only then."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        request.on_production = cache(lambda: is_production(_ref(request)))  # type: ignore[attr-defined] # read by `confirm`
        return self.get_response(request)


def _ref(request: HttpRequest) -> str:
    """The project that the address names; a space that is no project has no label."""
    names = request.resolver_match.kwargs if request.resolver_match else {}
    return str(names.get("ref") or names.get("space") or "")
