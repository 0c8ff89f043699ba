"""A project's label around its pages: its colour edges the top bar, and production asks for one more tick."""

from django.http import HttpRequest

from dashboard.labels.queries import NOTHING, ProjectLabel, is_production, label_of


def project_label(request: HttpRequest) -> ProjectLabel:
    """For the frame of a page whose address names a project."""
    ref = _ref(request)
    signed_in = getattr(request, "user", None) is not None and request.user.is_authenticated
    return label_of(ref) if ref and signed_in else NOTHING


def touches_production(request: HttpRequest) -> bool:
    return is_production(_ref(request))


def _ref(request: HttpRequest) -> str:
    """The project that the address names; a space that is no project has no label."""
    names = request.resolver_match.kwargs if request.resolver_match else {}
    return str(names.get("ref") or names.get("space") or "")
