"""The start page. It never waits for a service: what a service must answer is loaded in parts."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.conf import settings
from django.http import HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_GET

from dashboard.features.home import services
from dashboard.features.home.services import Glance, Sections
from dashboard.interfaces.management.projects import REGIONS, Project
from dashboard.interfaces.storage.buckets import Bucket
from dashboard.tokens import spaces
from dashboard.tokens.access import WorkspaceRequest, with_workspace
from dashboard.tokens.models import Kind
from dashboard.tokens.spaces import SHARED, Space
from dashboard.web.answers import page

PROJECTS, BUCKETS = "home-projects", "home-buckets"


@dataclass(frozen=True, slots=True)
class Task:
    """Something to do first, and the button that leads there."""

    title: str
    reason: str
    button: str
    href: str
    urgent: bool = False


@dataclass(frozen=True, slots=True)
class Place:
    """A project, space or bucket. `links` are label and address."""

    name: str
    href: str
    note: str
    ref: str = ""
    links: tuple[tuple[str, str], ...] = ()


@require_GET
@with_workspace
def index(request: WorkspaceRequest) -> HttpResponse:
    workspace = request.workspace
    part = request.htmx.target if request.htmx and not request.htmx.history_restore_request else ""
    if part == PROJECTS:
        projects = services.list_projects(workspace)
        return page(request, "home/_projects.html", {"glance": _glance(projects, [_project(found) for found in projects.few])})
    if part == BUCKETS:
        buckets = services.list_buckets(workspace, SHARED)
        glance = _glance(buckets, [_bucket(SHARED, found) for found in buckets.few])
        return page(request, "home/_buckets.html", {"glance": glance, "space": SHARED})
    here = services.sections_of(has_management=bool(settings.MANAGEMENT_URL))
    stored = services.list_spaces(workspace) if here.per_project and not here.management else None
    context = {
        "here": here,
        "tasks": list(_tasks(request, here)),
        "has_management": here.management and workspace.has("management"),
        "has_shared": here.storage and not here.per_project and workspace.has("storage", SHARED),
        "spaces": _glance(stored, [_space(found) for found in stored.few]) if stored else None,
        "shared": SHARED,
        "changes": services.latest_changes(workspace),
    }
    return page(request, "home/index.html", context)


def _glance(found: Glance[Project] | Glance[Bucket] | Glance[Space], places: Sequence[Place]) -> Glance[Place]:
    return Glance(places, found.total)


def _tasks(request: WorkspaceRequest, here: Sections) -> Iterator[Task]:
    workspace = request.workspace
    for kind, space in services.missing_tokens(workspace, here):
        is_management = kind == Kind.MANAGEMENT
        yield Task(
            title=f"Add your {'management' if is_management else 'storage'} token",
            reason="It shows your organizations and projects." if is_management else "It opens your buckets and objects.",
            button="Add token",
            href=f"{reverse('account:token_new')}?kind={kind}" + (f"&space={space}" if space else ""),
        )
    for token in services.refused_tokens(workspace):
        reported = f" It reported: “{token.refusal}”" if token.refusal else ""
        yield Task(
            title=f"Replace your {spaces.token_name(token.kind, token.space)}",
            reason=f"The service refused the token …{token.last4}.{reported}",
            button="Show tokens",
            href=reverse("account:tokens"),
            urgent=True,
        )


def _project(project: Project) -> Place:
    links = [("Secrets", reverse("secrets:index", args=[project.id]))]
    if spaces.can_be(project.id):
        links.append(("Storage", reverse("buckets:index", args=[project.id])))
    return Place(
        name=project.name,
        ref=project.id,
        href=reverse("projects:show", args=[project.id]),
        note=REGIONS.get(project.region, project.region),
        links=tuple(links),
    )


def _bucket(space: str, bucket: Bucket) -> Place:
    """An identifier with a slash has no address of its own."""
    objects = reverse("objects:index", args=[space, bucket.id]) if "/" not in bucket.id else ""
    href = objects or reverse("buckets:index", args=[space])
    return Place(name=bucket.name, href=href, note="Public" if bucket.public else "Private")


def _space(space: Space) -> Place:
    return Place(name=space.title, href=reverse("buckets:index", args=[space.name]), note="Token stored")
