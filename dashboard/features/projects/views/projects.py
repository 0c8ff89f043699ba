"""Show and switch projects, and edit their labels."""

from dataclasses import dataclass
from itertools import groupby
from math import ceil

from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_GET, require_http_methods

from dashboard.facts.cells import text_of
from dashboard.facts.overview import Cell, Overview, overviews, refresh
from dashboard.features.projects.forms import LabelForm
from dashboard.features.projects.services import create, projects
from dashboard.features.projects.views.rows import row_of
from dashboard.journal.periods import by_day
from dashboard.labels.services import MARK, label_of, labels, set_label
from dashboard.team.rights import allows, needs
from dashboard.tokens import palette
from dashboard.tokens.access import WorkspaceRequest, recent, with_workspace
from dashboard.tokens.models import Kind
from dashboard.tokens.workspace import Workspace
from dashboard.web.input.forms import posted
from dashboard.web.pages.answers import done, page, submit
from dashboard.web.pages.finder import Group, Hit, Matches, find, matching, query_of
from dashboard.web.pages.frame import zone_of
from dashboard.web.pages.htmx import wants_part
from dashboard.web.pages.navigation import project_section
from dashboard.web.process.parallel import side_by_side


@dataclass(frozen=True, slots=True)
class Figure:
    """A fact in a card of the overview, in words, with its picture if there is one."""

    cell: Cell
    text: str
    picture: object | None


@require_GET
@with_workspace
def show(request: WorkspaceRequest, ref: str) -> HttpResponse:
    workspace = request.workspace
    if workspace.grant_at(Kind.STORAGE, ref) and not workspace.can_manage:
        # Access to storage only.
        return redirect("buckets:index", ref)
    listed, organizations = side_by_side(
        lambda: projects.list_projects(workspace), lambda: projects.list_organizations(workspace)
    )
    project = projects.find_project(listed, ref)
    context = {
        "project": project,
        "row": row_of(project, organizations, label_of(ref)),
        "reach": projects.reach_of(workspace, ref),
        "startup": create.startup_of(ref, project, check=0) if create.is_starting(project) else None,
        "failure": organizations.failure,
        **_facts(workspace, ref),
        "others": projects.other_tokens(workspace, ref),
        "by_day": by_day(((row.started_at, row) for row in projects.latest_changes(workspace, ref)), zone_of(request)),
    }
    return page(request, "projects/show.html", context)


@require_GET
@with_workspace
def facts(request: WorkspaceRequest, ref: str) -> HttpResponse:
    """Show the overview's facts, after reading due ones. Without htmx, redirect to the project's page."""
    workspace = request.workspace
    workspace.require(Kind.MANAGEMENT)
    if not wants_part(request):
        return redirect(reverse("projects:show", args=[ref]))
    wait = refresh(workspace, ref).wait
    response = page(request, "projects/_facts.html", {**_facts(workspace, ref), "ref": ref})
    if wait:
        response["Retry-After"] = str(ceil(wait))
    return response


def _facts(workspace: Workspace, ref: str) -> dict[str, object]:
    """Return the facts without the state, which the page itself shows, and without those that a grant doesn't cover."""
    overview = overviews(workspace, [ref])[ref]
    cells = [cell for key, cell in overview.cells.items() if key != "state" and cell.is_covered]
    figures = (_figure(workspace, overview, cell) for cell in cells)
    cards = groupby(figures, lambda figure: figure.cell.fact.view.partition(":")[0])
    return {"overview": overview, "cards": [list(card) for _, card in cards]}


def _figure(workspace: Workspace, overview: Overview, cell: Cell) -> Figure:
    picture = cell.fact.picture.of(workspace, overview.place, cell.value) if cell.fact.picture and cell.shown else None
    return Figure(cell, text_of(cell, is_gone=overview.is_gone), picture)


@require_http_methods(["GET", "POST"])
@with_workspace
@needs("label changed")
def label(request: WorkspaceRequest, ref: str) -> HttpResponse:
    """Edit the label. `?list`: opened from Home, whose list then refreshes itself."""
    workspace = request.workspace
    project = projects.find_project(projects.list_projects(workspace), ref)
    form = LabelForm(posted(request), current=label_of(ref), may_mark=allows(workspace.person.role, MARK))
    from_list = "list" in request.GET
    home = reverse("home:index") if from_list else reverse("projects:show", args=[ref])

    def perform() -> None:
        set_label(workspace.person, ref, form.chosen(), project=project.name)

    def then(_: None) -> HttpResponse:
        message = f"Label of {project.name} saved." if form.chosen() else f"Label of {project.name} removed."
        return done(request, message, changed="projects" if from_list else (), to=home)

    context = {
        "title": f"Label of {project.name}",
        "button": "Save label",
        "lead": "Shared with your team, not with the service.",
        "back": home,
    }
    return submit(request, form, perform=perform, then=then, context=context)


def found(request: WorkspaceRequest, query: str) -> list[Hit]:
    """Yield projects for the command palette."""
    return matching(query, _hits(request, "overview", with_refs=bool(query)).values())


@require_GET
@with_workspace
def switch(request: WorkspaceRequest, ref: str) -> HttpResponse:
    """Choose another project, recently used ones first. `section` is the one to open there. Waits at most a second."""
    section = request.GET.get("section", "")
    query = query_of(request)
    hits = _hits(request, section, with_refs=bool(query), here=ref)
    latest = [hits.pop(one) for one in recent(request) if one in hits and one != ref]
    groups = (Group("Recently used", matching(query, latest)), Group("All projects", matching(query, hits.values())))
    matches = Matches(
        action=request.path,
        query=query,
        hint="Name, ref or label",
        none="No project matches." if hits else "The projects are loading slowly. Try again, or open Home.",
        groups=[group for group in groups if group.hits],
        keep=[("section", section)],
    )
    return find(request, matches, title="Switch project", back=project_section(ref, section))


def _hits(request: WorkspaceRequest, section: str, *, with_refs: bool, here: str = "") -> dict[str, Hit]:
    """Return an entry for each project that leads to a section, recently used ones first."""
    known = labels()
    return {
        project.id: Hit(
            name=project.name,
            href=project_section(project.id, section),
            icon="layers",
            note=project.id if with_refs else "",
            label=known.get(project.id),
            here=project.id == here,
        )
        for project in palette.projects(request)
    }
