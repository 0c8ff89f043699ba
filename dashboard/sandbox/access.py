"""Authentication and access to projects (401, 403, 404, and 400 for a removed project)."""

import hmac

from django.http import HttpRequest

from dashboard.sandbox.errors import ManagementRefusal, StorageRefusal
from dashboard.sandbox.models import Organization, Person, Project

_secrets: dict[str, str] = {}

NOT_ALLOWED = "Your account does not have the necessary privileges to access this endpoint."


def person(request: HttpRequest) -> Person:
    """Return the owner of the personal token in `Authorization: Bearer …`. Raises 401."""
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    if scheme.lower() == "bearer" and token:
        for someone in Person.objects.all():
            if hmac.compare_digest(someone.token.encode(), token.strip().encode()):
                return someone
    raise ManagementRefusal(401, "Unauthorized")


def may_write(someone: Person) -> None:
    if someone.role != "owner":
        raise ManagementRefusal(403, NOT_ALLOWED)


def project(someone: Person, ref: str, *, writes: bool) -> Project:
    """Return the project. Raises 404 if it doesn't exist, 400 if it was removed, 403 if the person may not do this."""
    found = Project.objects.filter(ref=ref).first()
    if found is None:
        raise ManagementRefusal(404, "Project not found")
    if not Organization.objects.filter(id=found.organization_id, members=someone).exists():
        raise ManagementRefusal(403, NOT_ALLOWED)
    if writes:
        may_write(someone)
    if found.status == "REMOVED":
        raise ManagementRefusal(400, "Resource has been removed")
    return found


def storage_exists(ref: str) -> None:
    """Raise 404 for an unknown ref, as the hosted service has no such host."""
    storage_secret(ref)


def storage_secret(ref: str) -> str:
    """Return the signing secret of a project's storage tokens, or raise 404. It never changes."""
    if ref not in _secrets:
        found = Project.objects.filter(ref=ref).values_list("jwt_secret", flat=True).first()
        if found is None:
            raise StorageRefusal("404", "not_found", "Project not found", "TenantNotFound", status=404)
        _secrets[ref] = found
    return _secrets[ref]
