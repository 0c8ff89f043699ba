"""The label on every page of a project: its colour edges the top bar, "production" is written out and asks for more care."""

from collections.abc import Callable
from functools import cache

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.functional import SimpleLazyObject

from dashboard.labels.reading import NOTHING, ProjectLabel, is_production, label_of


def project_label(request: HttpRequest) -> dict[str, object]:
    """The context processor. Asks the database only where a whole page is drawn whose address names a project."""
    return {"project_label": SimpleLazyObject(lambda: _label(request))}


class Production:
    """Middleware: `request.on_production()`, for the question before something is destroyed. Asks the database only then."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        request.on_production = cache(lambda: is_production(_ref(request)))  # type: ignore[attr-defined] # read by `confirm`
        return self.get_response(request)


def _label(request: HttpRequest) -> ProjectLabel:
    ref = _ref(request)
    signed_in = getattr(request, "user", None) is not None and request.user.is_authenticated
    return label_of(ref) if ref and signed_in else NOTHING


def _ref(request: HttpRequest) -> str:
    """The project that the address names; a space that is no project has no label."""
    names = request.resolver_match.kwargs if request.resolver_match else {}
    return str(names.get("ref") or names.get("space") or "")
