"""M1 and M2: projects of the caller. A new one is UNKNOWN in the answer, then COMING_UP in lists, healthy some seconds later."""

import re
from datetime import datetime, timedelta

from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from dashboard.sandbox import faults, generations
from dashboard.sandbox.answers import answer
from dashboard.sandbox.errors import ManagementRefusal
from dashboard.sandbox.management.bodies import Members, boolean, json_body, refuse, string
from dashboard.sandbox.models import Organization, Person, Project, Restrictions
from dashboard.sandbox.operations import operation
from dashboard.sandbox.settings import SANDBOX_DELAY

REGIONS = (
    *("us-east-1", "us-east-2", "us-west-1", "us-west-2", "ca-central-1", "sa-east-1", "ap-east-1", "ap-south-1"),
    *("ap-southeast-1", "ap-southeast-2", "ap-northeast-1", "ap-northeast-2"),
    *("eu-west-1", "eu-west-2", "eu-west-3", "eu-central-1", "eu-central-2", "eu-north-1"),
)
GROUPS = {"americas": "us-east-1", "emea": "eu-central-1", "apac": "ap-southeast-1"}
MEMBERS = frozenset(
    {"name", "organization_id", "organization_slug", "db_pass", "plan", "region", "region_selection", "kps_enabled"}
    | {"desired_instance_size", "template_url"}
)
SLUG = re.compile(r"[A-Za-z0-9_-]+")
VERSION = "17.6.1.084"


def moment(when: datetime) -> str:
    """Format a time as RFC 3339 in UTC with whole seconds."""
    return when.strftime("%Y-%m-%dT%H:%M:%SZ")


def status(project: Project) -> str:
    """Return the current state; a starting project becomes healthy at `ready_at`."""
    if project.status == "COMING_UP" and project.ready_at and project.ready_at <= timezone.now():
        return "ACTIVE_HEALTHY"
    return project.status


def needs_database(project: Project) -> None:
    """Refuse operations that need the project's database while it is not running."""
    state = status(project)
    if state in {"INACTIVE", "PAUSING"}:
        # not shown: the text of 540
        raise ManagementRefusal(540, "Project is paused.")
    if state in {"COMING_UP", "UNKNOWN", "RESTORING", "INIT_FAILED", "GOING_DOWN"}:
        # not shown: the answer of a project that isn't ready
        raise ManagementRefusal(400, "Project is not ready yet, please try again in a few minutes.")


def record(project: Project) -> dict[str, object]:
    """Return a project as M1 lists it; the older form has `database` only while it runs."""
    found = _created(project, status(project))
    # not shown: when `database` is left out. Today's contract requires it; the document makes it optional.
    if not generations.is_older() or found["status"] not in {"UNKNOWN", "COMING_UP", "INACTIVE", "INIT_FAILED", "REMOVED"}:
        found["database"] = {
            "host": f"db.{project.ref}.supabase.co",
            "version": project.database_version,
            "postgres_engine": project.database_version.split(".")[0],
            "release_channel": "ga",
        }
    return found


def _created(project: Project, state: str) -> dict[str, object]:
    """Return a project in the form of M2's answer, without `database`."""
    return {
        "id": project.ref,
        "ref": project.ref,
        "organization_id": project.organization_id,
        "organization_slug": project.organization_id,
        "name": project.name,
        "region": project.region,
        "status": state,
        "created_at": moment(project.created_at),
    }


@operation("M1", "GET", "/v1/projects")
def all(_request: HttpRequest, person: Person) -> HttpResponse:  # noqa: A001 - the document's word
    projects = Project.objects.filter(organization__members=person).order_by("-created_at", "ref")
    return answer([record(project) for project in projects])


@operation("M2", "POST", "/v1/projects")
def create(request: HttpRequest, person: Person) -> HttpResponse:
    body = Members(json_body(request), only=MEMBERS)
    name = body.text("name", least=1, most=256)
    body.text("db_pass", least=1)
    organization = _organization(body, person)
    for member, check in (("kps_enabled", boolean), ("desired_instance_size", string), ("template_url", string)):
        body.optional(member, check)
    plan = body.optional("plan", string)
    if plan not in {None, "free", "pro"}:
        raise refuse("plan", f"Invalid enum value. Expected 'free' | 'pro', received '{plan}'")
    project = Project.objects.create(
        organization=organization,
        name=name,
        region=_region(body),
        status="COMING_UP",
        ready_at=None if faults.stays("M2") else timezone.now() + timedelta(seconds=SANDBOX_DELAY),
        database_version=VERSION,
    )
    Restrictions.objects.create(project=project, v4=["0.0.0.0/0"], v6=["::/0"])
    return answer(_created(project, "UNKNOWN"), 201)


def _organization(body: Members, person: Person) -> Organization:
    field = "organization_slug" if "organization_slug" in body else "organization_id"
    slug = body.text(field)
    if not SLUG.fullmatch(slug):
        raise refuse(field, "slug must contain only lowercase letters, numbers, underscores, and dashes")
    found = Organization.objects.filter(members=person, id=slug).first()
    if found is None:
        # not shown: the answer for somebody else's organization
        raise refuse(field, "Organization not found")
    return found


def _region(body: Members) -> str:
    if "region_selection" in body:
        choice = Members(body["region_selection"], at="region_selection")
        kind, code = choice.text("type"), choice.text("code")
        region = GROUPS.get(code, "") if kind == "smartGroup" else code
        field = "region_selection.code"
    else:
        region = body.text("region")
        field = "region"
    if region not in REGIONS:
        expected = " | ".join(f"'{known}'" for known in REGIONS)
        raise refuse(field, f"Invalid enum value. Expected {expected}, received '{region}'")
    return region
