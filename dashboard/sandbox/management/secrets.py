"""M5 … M7: secrets. Values are listed as SHA-256 digests only."""

import hashlib

from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from dashboard.sandbox.answers import answer, nothing
from dashboard.sandbox.errors import ManagementRefusal
from dashboard.sandbox.management.bodies import Members, array, json_body, refuse, texts
from dashboard.sandbox.management.projects import moment
from dashboard.sandbox.models import Project, Secret
from dashboard.sandbox.operations import operation

RESERVED = "SUPABASE_"
RESERVED_TEXT = "Secret name must not start with the SUPABASE_ prefix."
LONGEST_NAME = 256
LONGEST_VALUE = 24_576
MOST = 100


@operation("M5", "GET", "/v1/projects/{ref}/secrets")
def all(_request: HttpRequest, project: Project) -> HttpResponse:  # noqa: A001 - the document's word
    return answer(
        [
            {
                "name": secret.name,
                "value": hashlib.sha256(secret.value.encode()).hexdigest(),
                "updated_at": moment(secret.updated_at),
            }
            for secret in Secret.objects.filter(project=project).order_by("name")
        ]
    )


@operation("M6", "POST", "/v1/projects/{ref}/secrets")
def create(request: HttpRequest, project: Project) -> HttpResponse:
    wanted: dict[str, str] = {}
    for place, item in enumerate(array(json_body(request), "body")):
        body = Members(item, at=str(place))
        name = body.text("name", least=1, most=LONGEST_NAME)
        if name.startswith(RESERVED):
            raise refuse(f"{place}.name", RESERVED_TEXT)
        wanted[name] = body.text("value", most=LONGEST_VALUE)
    with transaction.atomic():
        there = Secret.objects.filter(project=project)
        names = set(there.exclude(name__startswith=RESERVED).values_list("name", flat=True)) | set(wanted)
        if len(names) > MOST:
            # not shown: the text of the limit
            raise ManagementRefusal(400, f"A project can have at most {MOST} secrets.")
        for name, value in wanted.items():
            Secret.objects.update_or_create(project=project, name=name, defaults={"value": value, "updated_at": timezone.now()})
    return nothing(201)


@operation("M7", "DELETE", "/v1/projects/{ref}/secrets")
def delete(request: HttpRequest, project: Project) -> HttpResponse:
    """Unknown names are ignored."""
    names = texts(json_body(request), "")
    for place, name in enumerate(names):
        if name.startswith(RESERVED):
            # not shown: how a reserved name is refused here
            raise refuse(str(place), RESERVED_TEXT)
    with transaction.atomic():
        for name in names:
            Secret.objects.filter(project=project, name=name).delete()
    return nothing()
