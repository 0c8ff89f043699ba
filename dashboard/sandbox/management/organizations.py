"""M3 and M4: organizations of the caller."""

from django.db import transaction
from django.http import HttpRequest, HttpResponse

from dashboard.sandbox.answers import answer
from dashboard.sandbox.management.bodies import Members, json_body
from dashboard.sandbox.models import Organization, Person, new_ref
from dashboard.sandbox.operations import operation


def record(organization: Organization) -> dict[str, str]:
    return {"id": organization.id, "slug": organization.id, "name": organization.name}


@operation("M3", "GET", "/v1/organizations")
def all(_request: HttpRequest, person: Person) -> HttpResponse:  # noqa: A001 - the document's word
    return answer(
        [record(organization) for organization in Organization.objects.filter(members=person).order_by("created_at", "id")]
    )


@operation("M4", "POST", "/v1/organizations")
def create(request: HttpRequest, person: Person) -> HttpResponse:
    body = Members(json_body(request), only=frozenset({"name"}))
    with transaction.atomic():
        organization = Organization.objects.create(id=new_ref(), name=body.text("name", least=1, most=256))
        organization.members.add(person)
    return answer(record(organization), 201)
