"""What the team calls a project: what this package adds to lower ones."""

from django.http import HttpRequest

from dashboard.labels.services import NOTHING, ProjectLabel, is_production, label_of
from dashboard.notifications import hooks
from dashboard.web.pages import confirm, frame


def project_label(request: HttpRequest) -> ProjectLabel:
    """Return the label of the project that the page's address names."""
    ref = _ref(request)
    signed_in = getattr(request, "user", None) is not None and request.user.is_authenticated
    return label_of(ref) if ref and signed_in else NOTHING


def _ref(request: HttpRequest) -> str:
    """Return the project's ref from the address; a space may be a project."""
    names = request.resolver_match.kwargs if request.resolver_match else {}
    return str(names.get("ref") or names.get("space") or "")


frame.add("project_label", project_label)
confirm.add_production_check(lambda request: is_production(_ref(request)))
hooks.place_names.append(lambda ref, _person_id: label_of(ref).name)
