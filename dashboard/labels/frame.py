"""A project's label in the page frame and in the production check of `confirm`."""

from django.http import HttpRequest

from dashboard.labels.services import NOTHING, ProjectLabel, is_production, label_of


def project_label(request: HttpRequest) -> ProjectLabel:
    """Return the label of the project that the page's address names."""
    ref = _ref(request)
    signed_in = getattr(request, "user", None) is not None and request.user.is_authenticated
    return label_of(ref) if ref and signed_in else NOTHING


def touches_production(request: HttpRequest) -> bool:
    return is_production(_ref(request))


def _ref(request: HttpRequest) -> str:
    """Return the project's ref from the address; a space may be a project."""
    names = request.resolver_match.kwargs if request.resolver_match else {}
    return str(names.get("ref") or names.get("space") or "")
