"""M20 and M21: the encryption root key, 32 bytes as 64 hex characters."""

import re

from django.http import HttpRequest, HttpResponse

from dashboard.sandbox import faults
from dashboard.sandbox.answers import answer
from dashboard.sandbox.errors import ManagementRefusal
from dashboard.sandbox.management.bodies import Members, json_body
from dashboard.sandbox.management.projects import needs_database
from dashboard.sandbox.models import Project
from dashboard.sandbox.operations import operation

# not shown: whether upper-case letters are taken
KEY = re.compile(r"[0-9a-fA-F]{64}")


@operation("M20", "GET", "/v1/projects/{ref}/pgsodium")
def get(_request: HttpRequest, project: Project) -> HttpResponse:
    needs_database(project)
    return answer({"root_key": project.root_key})


@operation("M21", "PUT", "/v1/projects/{ref}/pgsodium")
def update(request: HttpRequest, project: Project) -> HttpResponse:
    key = Members(json_body(request)).text("root_key")
    if not KEY.fullmatch(key):
        raise ManagementRefusal(400, "Expected a 32 byte secret, hex-encoded (64 characters).")
    needs_database(project)
    if not faults.stays("M21"):
        project.root_key = key.lower()
        project.save(update_fields=("root_key",))
    return answer({"root_key": project.root_key})
