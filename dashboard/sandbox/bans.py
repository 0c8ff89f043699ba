"""A test switch to ban addresses, as the database does after three wrong passwords."""

from ipaddress import ip_address

from django.db import transaction
from django.http import HttpRequest, HttpResponse

from dashboard.sandbox.answers import answer
from dashboard.sandbox.errors import ManagementRefusal
from dashboard.sandbox.management.bodies import Members, json_body, texts
from dashboard.sandbox.models import Ban, Person, Project
from dashboard.sandbox.operations import operation


@operation("_bans", "POST", "/_bans")
def ban(request: HttpRequest, _person: Person) -> HttpResponse:
    """Ban the addresses of `{"ref", "addresses"}` in the project."""
    body = Members(json_body(request))
    project = Project.objects.filter(ref=body.text("ref")).first()
    if project is None:
        raise ManagementRefusal(404, "Project not found")
    addresses = texts(body.required("addresses"), "addresses")
    try:
        banned = [str(ip_address(address)) for address in addresses]
    except ValueError:
        raise ManagementRefusal(400, "addresses: Invalid IP address") from None
    with transaction.atomic():
        for address in banned:
            Ban.objects.get_or_create(project=project, address=address)
    return answer({"banned_ipv4_addresses": list(Ban.objects.filter(project=project).values_list("address", flat=True))}, 201)
