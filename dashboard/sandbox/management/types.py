"""M8: TypeScript types of the demo schema."""

from django.http import HttpRequest, HttpResponse

from dashboard.sandbox.answers import answer
from dashboard.sandbox.management.projects import needs_database
from dashboard.sandbox.management.schema import typescript
from dashboard.sandbox.models import Project
from dashboard.sandbox.operations import operation


@operation("M8", "GET", "/v1/projects/{ref}/types/typescript")
def generate(request: HttpRequest, project: Project) -> HttpResponse:
    needs_database(project)
    named = request.GET.get("included_schemas") or "public"
    return answer({"types": typescript([name.strip() for name in named.split(",") if name.strip()])})
