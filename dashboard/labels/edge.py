"""The label on every page of a project: its colour edges the top bar, "production" is written out there."""

from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject

from dashboard.labels.reading import NOTHING, ProjectLabel, label_of


def project_label(request: HttpRequest) -> dict[str, object]:
    """The context processor. Asks the database only where a whole page is drawn whose address names a project."""
    return {"project_label": SimpleLazyObject(lambda: _label(request))}


def _label(request: HttpRequest) -> ProjectLabel:
    match = request.resolver_match
    names = match.kwargs if match else {}
    ref = names.get("ref") or names.get("space")  # a space that is no project has no label
    signed_in = getattr(request, "user", None) is not None and request.user.is_authenticated
    return label_of(str(ref)) if ref and signed_in else NOTHING
